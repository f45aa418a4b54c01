/**
 * Many users and groups: a list without pages is complete or fails with how to page, and is never truncated. Of the
 * users only what the pages need is loaded: the counted ranges of all names, and the first and the last names.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { type Entry, layout } from "#core/database/table/name-index/items.ts";
import type { Item } from "#core/database/table/table.ts";
import { groupItem } from "#core/directory/groups/store.ts";
import { tallyOf } from "#core/directory/memberships/tally.ts";
import { freshUser } from "#core/directory/users/model.ts";
import { userItem } from "#core/directory/users/store.ts";
import { loadInto } from "#tests/support/load.ts";
import { idOf, TENANT, tableOf } from "#tests/support/people.ts";
import type { Shown } from "#tests/support/scim.ts";
import { refusal1, scim1Of } from "#tests/support/scim1.ts";
import { world } from "#tests/support/world.ts";

const USERS = 100_000;
const GROUPS = 5_000;
const api = world();
const { ask, list, group } = scim1Of(api);
const userNames = keys.userNames(TENANT, "PRIMARY");
const groupNames = keys.groupNames(TENANT, "PRIMARY");
const numbered = (word: string, at: number) => `${word}-${String(at).padStart(6, "0")}`;
const named = (word: string, count: number) =>
  Array.from({ length: count }, (_, at): Entry => ({ key: numbered(word, at), id: `${word}-id-${at}` }));
/** A range is split at a few hundred names. */
const isLoaded = (at: number) => at < 2_000 || at >= USERS - 4_000;

function* items(administrator: string): Generator<Item, void> {
  const users = named("user", USERS);
  const skipped = new Set(users.filter((_, at) => !isLoaded(at)).map(({ key }) => key));
  for (const item of layout(userNames, [{ key: "admin", id: administrator }, ...users])) {
    if (item.PK !== userNames.entries || !skipped.has(item.SK)) yield item;
  }
  for (const { key, id } of users) {
    if (!skipped.has(key)) yield userItem(TENANT, freshUser(id, key, 0));
  }
  const groups = named("group", GROUPS);
  yield* layout(groupNames, groups);
  for (const { key, id } of groups) {
    const times = { createdMs: 0, modifiedMs: 0, version: 1 };
    yield groupItem(TENANT, { id, displayName: key, userStore: "PRIMARY", roleIds: [], ...tallyOf([]), ...times });
  }
}

beforeAll(async () => {
  await loadInto(api.service, items(await idOf(api.service, "admin")));
}, 60_000);

describe("100,000 users", () => {
  test("returns 400 without pages, with how to page", async () => {
    for (const query of [{}, { attributes: "emails" }, { startIndex: "", count: "" }]) {
      const sentence = refusal1(await ask("GET", "/Users", { query }), 400);
      expect(sentence).toMatch(/100001 resources.*5000.*startIndex=1&count=200.*startIndex=201/);
    }
  });
  test("returns the first page, the last page, and an empty page after it", async () => {
    const page = async (startIndex: number, count = 200) => {
      const body = await list("/Users", { startIndex, count });
      expect([body.totalResults, body.startIndex]).toEqual([USERS + 1, startIndex]);
      return body.Resources.map(({ userName }: Shown) => userName);
    };
    expect((await page(1, 2)).join()).toBe(`admin,${numbered("user", 0)}`);
    expect((await page(2)).at(-1)).toBe(numbered("user", 199));
    expect((await page(USERS - 1)).join()).toBe([3, 2, 1].map((back) => numbered("user", USERS - back)).join());
    expect(await page(USERS + 2)).toEqual([]);
  });
  test("finds one user by its name", async () => {
    const body = await list("/Users", { filter: `userName Eq "${numbered("USER", 1_234)}"` });
    expect([body.totalResults, body.Resources[0].id]).toEqual([1, "user-id-1234"]);
  });
  test("finds by indexed attributes, and returns 400 that names them for a filter that reads all users", async () => {
    expect((await list("/Users", { filter: 'externalId Eq "nobody"' })).totalResults).toBe(0);
    expect(refusal1(await ask("GET", "/Users", { query: { filter: "nickName Eq N" } }), 400)).toMatch(/userName/);
  });
});

describe("5,000 groups", () => {
  test("returns all groups without pages, or those of a pattern, each once, and 400 for one group more", async () => {
    const body = await list("/Groups");
    expect([body.totalResults, body.itemsPerPage, body.startIndex]).toEqual([GROUPS, GROUPS, 1]);
    expect(new Set(body.Resources.map(({ id }: Shown) => id)).size).toBe(GROUPS);
    expect((await list("/Groups", { filter: "displayNameEq*9*" })).Resources).toHaveLength(1_355);
    await group();
    expect(refusal1(await ask("GET", "/Groups"), 400)).toMatch(/5001 resources/);
    expect((await list("/Groups", { count: 1 })).totalResults).toBe(GROUPS + 1);
  });
});

describe("a group of more members than a response can hold", () => {
  test("is changed without a response body, and can be read only without its members", async () => {
    const id = String((await group()).id);
    // Only the count matters here: the members themselves are not read.
    const stored = await tableOf(api.service).get(keys.group(TENANT, id));
    if (!stored) throw new Error("the group is there");
    await loadInto(api.service, [{ ...stored, members: 20_001 }]);
    for (const [method, body] of [
      ["PATCH", { displayName: "crowd" }],
      ["PUT", { displayName: "many" }],
    ] as const) {
      const answer = await ask(method, `/Groups/${id}`, { body });
      expect([answer.status, answer.text]).toEqual([204, ""]);
      expect(answer.headers.get("location")).toBe(`${api.url}/svc/scim/Groups/${id}`);
    }
    const named = await ask("GET", `/Groups/${id}`, { query: { attributes: "externalId" } });
    expect(named.body.displayName).toBe("PRIMARY/many");
  });
});
