/** Users and groups of several user stores, by the functions of the operations. */
import { beforeAll, describe, expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import { patchGroup, postGroup, putGroup, readGroup } from "#core/directory/scim-api/v1/groups.ts";
import { listGroups, listUsers } from "#core/directory/scim-api/v1/list.ts";
import { postUser, putUser, readUser } from "#core/directory/scim-api/v1/users.ts";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { Fault } from "#core/kernel/faults.ts";
import { testTable } from "#tests/support/engine.ts";
import type { Shown } from "#tests/support/scim.ts";
import { callOn, storesOn } from "./support.ts";

const tenant = "stores.example";
let call: ReturnType<typeof callOn>;
const user = async (userName: string): Promise<Shown> => (await postUser(call, { userName })).body;
const group = async (displayName: string, ...members: readonly Shown[]): Promise<Shown> =>
  (await postGroup(call, { displayName, members: members.map(({ id }) => id) })).body;
const refused = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return "nothing";
  } catch (error) {
    if (error instanceof Fault) return `${error.row.status} ${error.description}`;
    throw error;
  }
};
const names = ({ Resources }: Shown): string[] =>
  Resources.map(({ userName, displayName }: Shown) => userName ?? displayName);

beforeAll(async () => {
  const table = (await testTable()).open(newMeter());
  await bootstrapTenant(table, tenant, { username: "boss", password: "good-password" });
  call = callOn(tenant, storesOn(table, ["PRIMARY", "SECOND"]));
});

describe("users of another store", () => {
  test("are named <DOMAIN>/<name>, whatever the case of the request, and names are unique per store", async () => {
    const [kim, other] = [await user("kim"), await user("second/kim")];
    expect([kim.userName, other.userName]).toEqual(["kim", "SECOND/kim"]);
    expect((await readUser(call, { id: other.id })).body.userName).toBe("SECOND/kim");
    expect(await refused(user("SECOND/KIM"))).toMatch(/^409 .*KIM/);
    expect(await refused(user("THIRD/kim"))).toMatch(/^400 .*THIRD/);
  });
  test("are found in all stores by the name alone, and in one store with its prefix", async () => {
    await Promise.all([user("lee"), user("SECOND/lee")]);
    const found = async (filter: string) => names(await listUsers(call, { filter }));
    expect(await found('userName Eq "lee"')).toEqual(["lee", "SECOND/lee"]);
    expect(await found('userName Eq "Second/Lee"')).toEqual(["SECOND/lee"]);
    expect(await found('userName Eq "PRIMARY/lee"')).toEqual(["lee"]);
  });
  test("stay in their store", async () => {
    const max = await user("SECOND/max");
    expect(await refused(putUser(call, { id: max.id }, { userName: "max" }))).toMatch(/^400 .*store/);
    const renamed = await putUser(call, { id: max.id }, { userName: "second/maxine" });
    expect(renamed.body.userName).toBe("SECOND/maxine");
  });
});

describe("groups of another store", () => {
  test("are named with it, and have only its users", async () => {
    const [mine, theirs] = [await user("ann"), await user("SECOND/ben")];
    const staff = await group("SECOND/staff", theirs);
    expect(staff).toMatchObject({
      displayName: "SECOND/staff",
      members: [{ value: theirs.id, display: "SECOND/ben" }],
    });
    expect((await readUser(call, { id: theirs.id })).body.groups).toEqual([
      { value: staff.id, display: "SECOND/staff" },
    ]);
    expect(await refused(group("SECOND/mixed", theirs, mine))).toMatch(new RegExp(`^400 .*${mine.id}`));
    expect(await refused(patchGroup(call, { id: staff.id }, { members: [mine.id] }))).toMatch(/^400/);
    expect((await readGroup(call, staff.id)).body.members).toHaveLength(1);
  });
  test("a name without a store means PRIMARY for a new group, and the group's own store for an existing one", async () => {
    const crew = await group("SECOND/crew");
    expect((await group("crew")).displayName).toBe("PRIMARY/crew");
    expect((await putGroup(call, { id: crew.id }, { displayName: "sailors" })).body?.displayName).toBe(
      "SECOND/sailors",
    );
    const wish = putGroup(call, { id: crew.id }, { displayName: "PRIMARY/sailors" });
    expect(await refused(wish)).toMatch(/^400 .*store/);
    const found = async (filter: string) => names(await listGroups(call, { filter }));
    expect(await found("displayNameEqcrew")).toEqual(["PRIMARY/crew"]);
    expect(await found("displayNameEqsecond/*ail*")).toEqual(["SECOND/sailors"]);
    expect(await found('displayName Eq "second/SAILORS"')).toEqual(["SECOND/sailors"]);
    expect(names(await listGroups(call, {}))).toContain("SECOND/sailors");
  });
});
