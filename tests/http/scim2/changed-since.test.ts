/**
 * Lists of users by the times of their changes in a tenant with more users than a list evaluates: the records of
 * changes say which users to look at.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { changeIdOf, digestOfResource } from "#core/database/changes/change-id.ts";
import { recordItems } from "#core/database/changes/record-rows.ts";
import { keys } from "#core/database/table/keys.ts";
import { type Entry, layout } from "#core/database/table/name-index/items.ts";
import type { Item } from "#core/database/table/table.ts";
import { freshUser } from "#core/directory/users/model.ts";
import { userItem } from "#core/directory/users/store.ts";
import { loadInto } from "#tests/support/load.ts";
import { idOf, TENANT } from "#tests/support/people.ts";
import { NEGOTIATED, type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { scim1Of } from "#tests/support/scim1.ts";
import { world } from "#tests/support/world.ts";

const OLD_USERS = 10_500;
const NEW_USERS = 60;
const DAY = 86_400_000;
const api = world({ deployment: NEGOTIATED });
const scim = scimOf(api);
const scim1 = scim1Of(api);
const names = keys.userNames(TENANT, "PRIMARY");
const oldId = (at: number): string => `00000000-0000-7000-8000-${String(at).padStart(12, "0")}`;
const daysAgo = (days: number): number => Date.now() - days * DAY;

const recordAt = (atMs: number, id: string): Item =>
  recordItems(
    {
      id: changeIdOf(atMs, digestOfResource("user", id)),
      atMs,
      tenant: TENANT,
      actor: { type: "user", id: "somebody" },
      sourceIp: "",
      operation: "createUser",
      resource: { type: "user", id },
      changes: [],
      traceId: "t",
    },
    [],
    Math.floor(Date.now() / 1_000) + 400 * 86_400,
  ).item;

/** Users of half a year ago, with one record of that time. */
function* items(administrator: string): Generator<Item, void> {
  const old = Array.from(
    { length: OLD_USERS },
    (_, at): Entry => ({ key: `old-${String(at).padStart(6, "0")}`, id: oldId(at) }),
  );
  yield* layout(names, [{ key: "admin", id: administrator }, ...old]);
  for (const { key, id } of old) yield userItem(TENANT, freshUser(id, key, daysAgo(180)));
  yield recordAt(daysAgo(180), oldId(0));
}

let created: readonly Shown[] = [];
const shown = async (id: string): Promise<Shown> => (await scim.get(`/Users/${id}`)).body;
const patch = async (id: string, operation: Shown): Promise<void> => {
  const body = { schemas: [URN.patch], Operations: [operation] };
  const { status, text } = await scim.ask("PATCH", `/Users/${id}`, { body });
  expect(status, text).toBe(200);
};
const idsOf = (users: readonly Shown[]): string[] => users.map(({ id }) => String(id)).toSorted();
const list = async (filter: string, more: Shown = {}): Promise<Shown> =>
  (await scim.get("/Users", { filter, count: 200, ...more })).body;

beforeAll(async () => {
  await loadInto(api.service, items(await idOf(api.service, "admin")));
  const Operations = Array.from({ length: NEW_USERS }, (_, at) => ({
    method: "POST",
    path: "/Users",
    bulkId: `b${at}`,
    data: { schemas: [URN.user], userName: `new-${at}`, title: `Title ${at % 3}`, active: at % 4 !== 0 },
  }));
  const { status, body } = await scim.ask("POST", "/Bulk", { body: { schemas: [URN.bulk], Operations } });
  expect(status).toBe(200);
  const ids = body.Operations.map(({ location }: Shown) => String(location).split("/").at(-1));
  await patch(oldId(7), { op: "replace", path: "title", value: "Changed" });
  await patch(oldId(8), { op: "replace", path: "password", value: "An0ther-Passw0rd" });
  await patch(ids[0], { op: "replace", path: "active", value: true });
  expect((await scim.ask("DELETE", `/Users/${ids[1]}`)).status).toBe(204);
  const left = ids.filter((_: string, at: number) => at !== 1);
  created = await Promise.all([...left, oldId(7), oldId(8)].map(shown));
}, 120_000);

describe("in a tenant of more than 10,000 users", () => {
  const since = new Date(daysAgo(1)).toISOString();

  test.each(["gt", "ge"])(
    "lastModified %s finds who was changed or created, and the administrator",
    async (operator) => {
      const body = await list(`meta.lastModified ${operator} "${since}"`);
      const changed = body.Resources.filter(({ userName }: Shown) => userName !== "admin");
      expect(body.totalResults).toBe(body.Resources.length);
      expect(idsOf(changed)).toEqual(idsOf(created));
    },
  );

  test("each time of a change divides the users as their own times do", async () => {
    const times = created.map(({ meta }) => String(meta.lastModified)).toSorted();
    for (const time of [times[0], times[20], times.at(-2), times.at(-1)]) {
      for (const [operator, fits] of [
        ["gt", (one: string) => one > String(time)],
        ["ge", (one: string) => one >= String(time)],
        ["eq", (one: string) => one === time],
      ] as const) {
        const body = await list(`meta.lastModified ${operator} "${time}"`);
        const expected = created.filter(({ meta }) => fits(String(meta.lastModified)));
        expect(idsOf(body.Resources.filter(({ userName }: Shown) => userName !== "admin"))).toEqual(idsOf(expected));
      }
    }
  });

  test("created leaves out who was only changed", async () => {
    const { Resources } = await list(`meta.created gt "${since}" and userName ne "admin"`);
    expect(idsOf(Resources)).toEqual(
      idsOf(created.filter(({ id }) => String(id) !== oldId(7) && String(id) !== oldId(8))),
    );
  });

  test("goes with other terms, orders, pages and cursors", async () => {
    const filter = `meta.lastModified gt "${since}" and title eq "Title 2" and active eq true`;
    const expected = created.filter(({ title, active }) => title === "Title 2" && active);
    expect(idsOf((await list(filter)).Resources)).toEqual(idsOf(expected));
    const sorted = await list(filter, { sortBy: "meta.lastModified", sortOrder: "descending" });
    const times = sorted.Resources.map(({ meta }: Shown) => meta.lastModified);
    expect(times).toEqual(times.toSorted().reverse());
    const paged: Shown[] = [];
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const body: Shown = await list(filter, { cursor, count: 4 });
      paged.push(...body.Resources);
      cursor = body.nextCursor;
    }
    expect(idsOf(paged)).toEqual(idsOf(expected));
    const named = await list(`userName sw "old-" and meta.lastModified gt "${since}"`);
    expect(idsOf(named.Resources)).toEqual([oldId(7), oldId(8)]);
  });

  test("a change that was answered is in the next list", async () => {
    await patch(oldId(9), { op: "replace", path: "title", value: "Later" });
    const { meta } = await shown(oldId(9));
    expect(idsOf((await list(`meta.lastModified ge "${meta.lastModified}"`)).Resources)).toEqual([oldId(9)]);
    await patch(oldId(9), { op: "remove", path: "title" });
    expect((await list(`meta.lastModified eq "${meta.lastModified}"`)).totalResults).toBe(0);
  });

  test("SCIM 1.1 finds them too", async () => {
    const { meta } = await shown(oldId(8));
    const body = await scim1.list("/Users", { filter: `meta.lastModified eq "${meta.lastModified}"` });
    expect(idsOf(body.Resources)).toEqual([oldId(8)]);
  });

  test("what the records do not tell is 400 tooMany", async () => {
    for (const filter of [
      `meta.lastModified gt "${new Date(daysAgo(300)).toISOString()}"`,
      `meta.lastModified lt "${since}"`,
      `not (meta.lastModified gt "${since}")`,
      `meta.lastModified gt "${since}" or title eq "Changed"`,
    ]) {
      const { status, body } = await scim.ask("GET", "/Users", { query: { filter } });
      expect([status, body.scimType], filter).toEqual([400, "tooMany"]);
    }
  });
});
