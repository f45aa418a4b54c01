/** The version of a role when one of its users or groups is deleted: it shows them, so it is another one. */
import { describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { TENANT, tableOf } from "#tests/support/people.ts";
import { fresh, RFC7644, type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const api = world({ deployment: RFC7644 });
const scim = scimOf(api);
const ROLES = "/scim2/v2/Roles";

const role = async (body: object = {}): Promise<Shown> => {
  const answer = await api.ask("POST", ROLES, { body: { displayName: fresh("role"), ...body } });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const roles = (count: number, body: object = {}): Promise<readonly Shown[]> =>
  Promise.all(Array.from({ length: count }, () => role(body)));
const deleted = async (path: string): Promise<void> => {
  const answer = await api.ask("DELETE", path);
  expect(answer.status, answer.text).toBe(204);
};
const read = async (path: string): Promise<Shown> => (await api.ask("GET", path)).body;
const valuesOf = (list: readonly Shown[] = []) => list.map(({ value }) => value).sort();
/** The numbers of roles with other versions than they had: `true` for another one. */
const changesOf = async (before: readonly Shown[]): Promise<readonly boolean[]> => {
  const after = await Promise.all(before.map(({ id }) => read(`${ROLES}/${id}`)));
  return after.map(({ meta }, at) => meta.version !== before[at]?.meta.version);
};
const all = (list: readonly unknown[]) => list.map(() => true);

describe.each(["users", "groups"] as const)("%s of a role", (list) => {
  const path = list === "users" ? "/scim2/Users" : "/scim2/Groups";
  const added = async () => (list === "users" ? scim.user() : scim.group());

  test("one is deleted: the version from before counts no more, and the history has no further change", async () => {
    const [one, two] = [await added(), await added()];
    const before = await role({ [list]: [{ value: one.id }, { value: two.id }] });
    const own = `${ROLES}/${before.id}`;
    await deleted(`${path}/${one.id}`);
    const after = await api.ask("GET", own, { headers: { "if-none-match": before.meta.version } });
    expect([after.status, valuesOf(after.body?.[list])]).toEqual([200, [two.id]]);
    expect(after.body.meta.lastModified >= before.meta.lastModified).toBe(true);
    const headers = { "if-match": before.meta.version };
    expect((await api.ask("PUT", own, { headers, body: before })).status).toBe(412);
    expect((await read(`${own}/history`)).records).toHaveLength(1);
  });

  test("several are deleted at once", async () => {
    const some = await Promise.all(Array.from({ length: 12 }, added));
    const before = await role({ [list]: some.map(({ id }) => ({ value: id })) });
    await Promise.all(some.map(({ id }) => deleted(`${path}/${id}`)));
    const after = await read(`${ROLES}/${before.id}`);
    expect([valuesOf(after[list]), after.meta.version]).toEqual([[], 'W/"13"']);
  });

  test.each([12, 20, 60, 100])("one with %i roles is deleted", async (count) => {
    const one = await added();
    const before = await roles(count, { [list]: [{ value: one.id }] });
    await deleted(`${path}/${one.id}`);
    expect(await changesOf(before)).toEqual(all(before));
    const last = `${ROLES}/${before.at(-1)?.id}`;
    expect(valuesOf((await read(last))[list])).toEqual([]);
    expect((await read(`${last}/history`)).records).toHaveLength(1);
  });

  test.each([1, 11, 60])("one is deleted that has %i deleted roles", async (count) => {
    const one = await added();
    const [kept, ...gone] = await roles(count + 1, { [list]: [{ value: one.id }] });
    const table = tableOf(api.service);
    // What the deletion of a role of many assignees leaves until it is cleared.
    for (const { id } of gone) await table.forget(keys.role(TENANT, id));
    await deleted(`${path}/${one.id}`);
    expect(await changesOf(kept ? [kept] : [])).toEqual([true]);
    const pairKey = list === "users" ? keys.roleUser : keys.roleGroup;
    const pairs = await table.getMany(gone.map(({ id }) => pairKey(TENANT, id, one.id)));
    expect(pairs.filter((pair) => pair !== undefined)).toEqual([]);
  });
});

test.each(["Users", "Groups"])("one of %s is deleted by SCIM 1.1", async (name) => {
  const list = name.toLowerCase();
  const { id } = name === "Users" ? await scim.user() : await scim.group();
  const before = await roles(50, { [list]: [{ value: id }] });
  expect((await api.ask("DELETE", `/svc/scim/${name}/${id}`)).status).toBe(200);
  expect(await changesOf(before)).toEqual(all(before));
});

test("a group with many members and roles is deleted", async () => {
  const Operations = Array.from({ length: 60 }, (_, at) => {
    return { method: "POST", path: "/Users", bulkId: `b${at}`, data: { schemas: [URN.user], userName: fresh("user") } };
  });
  const { body } = await api.ask("POST", "/scim2/Bulk", { body: { schemas: [URN.bulk], Operations } });
  const members = body.Operations.map(({ location }: Shown) => ({ value: location.split("/").at(-1) }));
  const group = await scim.group({ members });
  const before = await roles(3, { groups: [{ value: group.id }] });
  await deleted(`/scim2/Groups/${group.id}`);
  expect(await changesOf(before)).toEqual(all(before));
  expect((await read(`${ROLES}/${before[0]?.id}/history`)).records).toHaveLength(1);
});
