/** Lists with groups whose members do not fit one response, in both SCIM versions. */
import { beforeAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import type { Step } from "#core/database/table/table.ts";
import { TENANT, tableOf } from "#tests/support/people.ts";
import { NEGOTIATED, refusal, type Shown, scimOf } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const MARK = "urn:scim:identity-admin:schema:GroupMembers";
const api = world({ deployment: NEGOTIATED });
const scim = scimOf(api);
const { get, group, find } = scim;

let users: readonly Shown[];
let large: Shown | undefined;
beforeAll(async () => {
  users = await Promise.all(["ann", "ben"].map((userName) => scim.user({ userName })));
  await group({ displayName: "Small", members: users.map(({ id }) => ({ value: id })) });
  large = await group({ displayName: "Large", members: users.slice(0, 1).map(({ id }) => ({ value: id })) });
  await setCount(20_001);
});
/** Only the count of members decides whether they are read. */
const setCount = (members: number, id = String(large?.id)) =>
  tableOf(api.service).write({
    change: keys.group(TENANT, id),
    set: { members },
    when: "present",
    otherwise: () => new Error("gone"),
  });
const named = (page: Shown, name: string): Shown =>
  page.Resources.find(({ displayName }: Shown) => displayName === name || displayName === `PRIMARY/${name}`);
const mark = () => ({
  membersOmitted: true,
  memberCount: 20_001,
  membersRef: `${api.url}/scim2/Users?filter=${encodeURIComponent(`groups.value eq "${large?.id}"`)}`,
});

describe("a group of more members than a response holds", () => {
  test.each([
    ["GET /Groups", () => get("/Groups")],
    ["a search", () => scim.ask("POST", "/Groups/.search", { body: { attributes: ["members", "displayName"] } })],
    ["a list of everything", () => get("/")],
    ["a page by cursor", () => get("/Groups", { cursor: "", count: 5 })],
    ["a filter on a member", () => get("/Groups", { filter: `members.value eq "${users[0]?.id}"` })],
  ])("is shown without members in %s, with a mark; others with all of theirs", async (_, asking) => {
    const { status, body, text } = await asking();
    expect(status, text).toBe(200);
    expect(named(body, "Large")).not.toHaveProperty("members");
    expect(named(body, "Large")).toMatchObject({ schemas: expect.arrayContaining([MARK]), [MARK]: mark() });
    expect(named(body, "Small").members).toHaveLength(2);
    expect(named(body, "Small")).not.toHaveProperty([MARK]);
  });

  test("has no mark where members are not asked for", async () => {
    for (const query of [{ excludedAttributes: "members" }, { attributes: "displayName" }]) {
      expect(named((await get("/Groups", query)).body, "Large")).not.toHaveProperty([MARK]);
    }
  });

  test("names a list of its members", async () => {
    const { pathname, search } = new URL(mark().membersRef);
    const { body } = await scim.ask("GET", `${pathname.replace("/scim2", "")}${search}&count=1`);
    expect(body.Resources).toMatchObject([{ userName: "ann" }]);
  });

  test("loses no members where it is sent back as the list shows it", async () => {
    const shown = named((await get("/Groups")).body, "Large");
    const message = refusal(await scim.ask("PUT", `/Groups/${large?.id}`, { body: shown }), 400, "invalidValue");
    expect(message).toContain("PATCH");
    expect((await find(`groups.value eq "${large?.id}"`)).Resources).toHaveLength(1);
  });

  test("is shown in the same way by SCIM 1.1", async () => {
    const { status, body, text } = await api.ask("GET", "/svc/scim/Groups?attributes=members");
    expect(status, text).toBe(200);
    expect(named(body, "Large")).not.toHaveProperty("members");
    expect(named(body, "Large")[MARK]).toMatchObject({ membersOmitted: true });
    expect(named(body, "Small").members).toHaveLength(2);
  });
});

test("members whose long names do not fit 5 MB are left out of a list, and refused in a group", async () => {
  const id: string = (await group({ displayName: "Long names" })).id;
  const name = "語".repeat(250);
  const count = 6_000;
  const table = tableOf(api.service);
  const members = Array.from(
    { length: count },
    (_, at): Step => ({
      put: { ...keys.member(TENANT, id, `person-${at}`), name },
      when: "any",
      otherwise: () => new Error("there already"),
    }),
  );
  for (let at = 0; at < count; at += 100) await table.write(...members.slice(at, at + 100));
  await setCount(count, id);
  const { status, body, text } = await get("/Groups");
  expect(status, text.slice(0, 300)).toBe(200);
  expect(named(body, "Long names")).toMatchObject({ [MARK]: { memberCount: count } });
  expect(named(body, "Small").members).toHaveLength(2);
  expect(refusal(await get(`/Groups/${id}`), 400, "tooMany")).toContain("excludedAttributes");
});
