/** The members of a group as users (a filter on groups), and the groups of a user as groups (a filter on members). */
import { beforeAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { TENANT, tableOf } from "#tests/support/people.ts";
import { NEGOTIATED, refusal, type Shown, scimOf } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const api = world({ deployment: NEGOTIATED });
const scim = scimOf(api);
const { get, names, find, patch } = scim;

/** In an order that is neither that of names nor that of creation. */
const drivers = ["mia", "Élodie", "ben", "zoe", "Ada", "liu", "tom", "ann"];
const inOrder = ["Ada", "ann", "ben", "liu", "mia", "tom", "zoe", "Élodie"];
let group: Shown;
let byName = new Map<string, Shown>();
const idOf = (name: string): string => byName.get(name)?.id;
const member = (name: string) => ({ value: idOf(name) });

beforeAll(async () => {
  const made: Shown[] = [];
  for (const [at, name] of [...drivers, "outside"].entries()) {
    made.push(await scim.user({ userName: name, title: at % 2 === 0 ? "Day" : "Night" }));
  }
  byName = new Map(made.map((user) => [user.userName, user]));
  group = await scim.group({ displayName: "Drivers", members: drivers.map(member) });
});
const ofGroup = (): string => `groups.value eq "${group.id}"`;

describe("the members of a group", () => {
  test("are listed as users, in the order of their names", async () => {
    for (const filter of [ofGroup(), 'groups.display eq "drivers"', `groups[value eq "${group.id}"]`]) {
      const page = await find(filter);
      expect(page.Resources.map(({ userName }: Shown) => userName)).toEqual(inOrder);
      expect(page.totalResults).toBe(inOrder.length);
      expect(page.Resources[0].groups).toMatchObject([{ value: group.id, display: "Drivers" }]);
    }
  });

  test("are paged forwards and backwards, with the total", async () => {
    expect(await find(ofGroup(), "/Users", { startIndex: 3, count: 2 })).toMatchObject({
      totalResults: 8,
      itemsPerPage: 2,
      Resources: [{ userName: "ben" }, { userName: "liu" }],
    });
    expect(await names(ofGroup(), { sortBy: "userName", sortOrder: "descending", count: 3 })).toEqual(
      inOrder.toReversed().slice(0, 3),
    );
    expect(await find(ofGroup(), "/Users", { count: 0 })).toMatchObject({ totalResults: 8, Resources: [] });
    expect(await find(ofGroup(), "/Users", { startIndex: 9 })).toMatchObject({ totalResults: 8, Resources: [] });
  });

  test("are paged by cursor to the end", async () => {
    const seen: string[] = [];
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const page: Shown = await find(ofGroup(), "/Users", { cursor, count: 3 });
      expect(page.totalResults).toBe(8);
      seen.push(...page.Resources.map(({ userName }: Shown) => userName));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(inOrder);
  });

  test("are filtered by further terms", async () => {
    expect(await names(`${ofGroup()} and userName sw "a"`)).toEqual(["Ada", "ann"]);
    expect(await names(`${ofGroup()} and userName eq "zoe"`)).toEqual(["zoe"]);
    expect(await names(`${ofGroup()} and userName eq "outside"`)).toEqual([]);
    expect(await names(`userName co "o" and ${ofGroup()} and not (userName ew "m")`)).toEqual(["zoe", "Élodie"]);
    expect(await names(`${ofGroup()} and title eq "Night"`)).toEqual(["ann", "liu", "zoe", "Élodie"]);
    expect(await names(`${ofGroup()} and userName co "i" and title eq "day"`)).toEqual(["mia"]);
    expect(await names(`${ofGroup()} or userName eq "outside"`, { sortBy: "title" })).toEqual([
      "Ada",
      "ben",
      "mia",
      "outside",
      "tom",
      "ann",
      "liu",
      "zoe",
      "Élodie",
    ]);
  });

  test("are sorted by their current names", async () => {
    const id = idOf("tom");
    await scim.patched(`/Users/${id}`, { op: "replace", path: "userName", value: "aaron" });
    expect(await names(ofGroup(), { count: 2 })).toEqual(["aaron", "Ada"]);
    await scim.patched(`/Users/${id}`, { op: "replace", path: "userName", value: "tom" });
    expect(await names(ofGroup(), { count: 2 })).toEqual(["Ada", "ann"]);
  });

  test("are an empty list for an unknown group", async () => {
    const gone = await scim.group({ members: [member("mia")] });
    expect((await scim.ask("DELETE", `/Groups/${gone.id}`)).status).toBe(204);
    for (const id of [gone.id, "nothing", "__proto__", "x".repeat(3_000)]) {
      expect(await names(`groups.value eq "${id}"`)).toEqual([]);
    }
    expect(await names('groups.display eq "nothing"')).toEqual([]);
    expect((await scim.read(`/Users/${idOf("mia")}`)).groups).toHaveLength(1);
  });
});

describe("a large group", () => {
  /** More members than a test can create: only the count matters. */
  const claiming = async (members: number, during: () => Promise<void>): Promise<void> => {
    const table = tableOf(api.service);
    const setTo = (count: number) =>
      table.write({
        change: keys.group(TENANT, group.id),
        set: { members: count },
        when: "present",
        otherwise: () => new Error("gone"),
      });
    await setTo(members);
    try {
      await during();
    } finally {
      await setTo(drivers.length);
    }
  };

  test("is found by one of its members, and shown without members", () =>
    claiming(500_000, async () => {
      const filter = `members.value eq "${idOf("mia")}"`;
      const query = { filter, excludedAttributes: "members" };
      const { body } = await get("/Groups", query);
      expect(body).toMatchObject({ totalResults: 1, Resources: [{ displayName: "Drivers" }] });
      const [shown] = (await find(filter, "/Groups")).Resources;
      expect(shown).not.toHaveProperty("members");
      expect(shown["urn:scim:identity-admin:schema:GroupMembers"]).toMatchObject({ memberCount: 500_000 });
    }));

  test("returns its member count, and 400 for sorted members", () =>
    claiming(500_000, async () => {
      expect(await find(ofGroup(), "/Users", { count: 0 })).toMatchObject({ totalResults: 500_000 });
      expect((await find(ofGroup(), "/Users", { count: 5 })).Resources).toHaveLength(5);
      const ordered = await get("/Users", { filter: ofGroup(), sortBy: "userName" });
      expect(refusal(ordered, 400, "tooMany")).toContain("cursor");
      refusal(await get("/Users", { filter: `${ofGroup()} and title eq "Day"` }), 400, "tooMany");
      // A name leads to one user in any group.
      expect(await names(`${ofGroup()} and userName eq "mia"`)).toEqual(["mia"]);
    }));

  test("can be changed although it is too large to be shown", () =>
    claiming(50_000, async () => {
      const path = `/Groups/${group.id}`;
      const out = await patch(path, { op: "add", path: "members", value: [member("outside")] });
      expect([out.status, out.text]).toEqual([204, ""]);
      const query = { attributes: "members,displayName" };
      const body = {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        Operations: [{ op: "remove", path: `members[value eq "${idOf("outside")}"]` }],
      };
      const shown = await scim.ask("PATCH", path, { body, query });
      expect(shown.status, shown.text).toBe(200);
      expect(shown.body.displayName).toBe("Drivers");
      expect(shown.body).not.toHaveProperty("members");
    }));
});
