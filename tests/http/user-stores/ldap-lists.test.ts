/** Lists of users with a directory as user store (S2-035 to S2-039). */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fresh, RFC7644, refusal, type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { scim1Of } from "#tests/support/scim1.ts";
import { directoryStore, hasSlapd, PEOPLE, type Slapd, startSlapd } from "#tests/support/slapd.ts";
import { world } from "#tests/support/world.ts";

/** More than the size limit of the directory, which is 500. */
const CROWD = 620;
const numbered = (at: number) => `u${String(at).padStart(3, "0")}`;

const fill = (slapd: Slapd) =>
  slapd.connected(async (client) => {
    for (let at = 0; at < CROWD; at += 1) {
      const uid = numbered(at);
      await client.add(`uid=${uid},${PEOPLE}`, {
        objectClass: "inetOrgPerson",
        uid,
        cn: `User ${at}`,
        sn: at % 2 === 0 ? "Even" : "Odd",
        mail: [`${uid}@corp.example`, `${uid}@home.example`],
        ...(at % 10 === 0 && { title: `Title ${String(at % 100).padStart(2, "0")}` }),
      });
    }
  });

describe.runIf(hasSlapd)("a directory's users", async () => {
  if (!hasSlapd) return;
  const slapd = await startSlapd();
  const api = world({ deployment: `${RFC7644}${directoryStore(slapd.url, "page_size = 100")}` });
  const scim = scimOf(api);
  const scim1 = scim1Of(api);
  const { get } = scim;
  const listed = async (query: Shown): Promise<{ total: number; names: string[] }> => {
    const answer = await get("/Users", query);
    expect(answer.status, answer.text).toBe(200);
    const { totalResults: total, Resources } = answer.body;
    return { total, names: Resources.map(({ userName }: Shown) => userName) };
  };
  beforeAll(async () => {
    await fill(slapd);
    for (const userName of ["u-primary-1", "u-primary-2"]) await scim.user({ userName });
  }, 60_000);
  afterAll(() => slapd.close());

  describe("of the store alone", () => {
    test("pages to the end, each user once, with the total of the page", async () => {
      const seen: string[] = [];
      for (let startIndex = 1; ; startIndex += 200) {
        const { total, names } = await listed({ domain: "CORP", startIndex, count: 200 });
        expect(total).toBe(names.length);
        if (names.length === 0) break;
        seen.push(...names);
      }
      expect(seen.length).toBe(CROWD);
      expect(new Set(seen).size).toBe(CROWD);
      expect(await listed({ domain: "CORP", startIndex: 3, count: 2 })).toEqual({ total: 2, names: seen.slice(2, 4) });
      expect(await listed({ domain: "CORP", count: 0 })).toEqual({ total: 0, names: [] });
    });

    test.each([
      ['userName eq "u007"', 1],
      ['userName eq "CORP/U007"', 1],
      ['userName sw "u00"', 10],
      ['userName ew "99"', 6],
      ['userName co "12"', 17],
      ['userName sw "u0" and name.familyName eq "odd"', 50],
      ['emails.value eq "U010@corp.example"', 1],
      ['emails[value ew "@home.example" and value sw "u01"]', 10],
      ["title pr", 62],
      ['not (title pr) and userName sw "u00"', 9],
      ['title eq "Title 10" or title eq "Title 20"', 13],
      ['userName sw "u00" and title ne "Title 00"', 9],
      ['userName sw "u00" and not (name.familyName eq "Even")', 5],
      ['userName sw "u00" and active eq true', 10],
      ['userName sw "u00" and (name.familyName eq "Even" or userName eq "u001")', 6],
      ['title ge "Title 80"', 12],
      ['userName gt "u617"', 2],
      ['userName eq "u000" and nickName pr', 0],
      ['meta.resourceType eq "Group"', 0],
    ])("%s finds %i", async (filter, wanted) => {
      const { names } = await listed({ domain: "CORP", filter, count: 200 });
      expect(names.length).toBe(wanted);
    });

    test("sorts on request", async () => {
      const filter = 'userName sw "u00"';
      const { names } = await listed({ domain: "CORP", filter, sortBy: "userName", sortOrder: "descending" });
      expect(names).toEqual(Array.from({ length: 10 }, (_, at) => `CORP/${numbered(9 - at)}`));
      const byTitle = await listed({ domain: "CORP", filter: "title pr", sortBy: "title", count: 3 });
      expect(byTitle.names.every((name) => /[0-6]00$/.test(name))).toBe(true);
    });

    test("filters by attributes of the directory record: an external id, a group", async () => {
      const [user] = (await scim.find('userName eq "u005"', "/Users", { domain: "CORP" })).Resources;
      await scim.patched(`/Users/${user.id}`, { op: "add", value: { externalId: "outside-5" } });
      const group = await scim.group({ displayName: `CORP/${fresh("crew")}`, members: [{ value: user.id }] });
      for (const filter of ['externalId eq "outside-5"', `groups.value eq "${group.id}"`, `id eq "${user.id}"`]) {
        expect(await listed({ filter })).toEqual({ total: 1, names: ["CORP/u005"] });
      }
    });

    test("returns 400 for a cursor, and says what to use instead", async () => {
      for (const query of [{ domain: "CORP" }, {}]) {
        expect(refusal(await get("/Users", { ...query, cursor: "", count: 2 }), 400, "invalidCursor")).toContain(
          "startIndex",
        );
      }
      expect((await get("/Users", { domain: "PRIMARY", cursor: "", count: 2 })).status).toBe(200);
    });
  });

  describe("after the users of the table", () => {
    test("shows users of the table first, then fills the page from the directory", async () => {
      const filter = 'userName sw "u"';
      expect(await listed({ filter, count: 4 })).toMatchObject({ total: 4 });
      const { names } = await listed({ filter, count: 4 });
      expect(names.slice(0, 2)).toEqual(["u-primary-1", "u-primary-2"]);
      expect(names.slice(2).every((name) => name.startsWith("CORP/"))).toBe(true);
      expect(await listed({ filter, count: 2 })).toEqual({ total: 2, names: ["u-primary-1", "u-primary-2"] });
      const further = await listed({ filter, startIndex: 5, count: 4 });
      expect([further.names.length, new Set([...names, ...further.names]).size]).toEqual([4, 8]);
      const search = { schemas: [URN.search], filter, count: 4 };
      expect((await scim.ask("POST", "/.search", { body: search })).body.Resources.length).toBe(4);
    });

    test("returns 400 for sorting over all stores", async () => {
      expect(refusal(await get("/Users", { sortBy: "title" }), 400, "invalidValue")).toContain("domain");
    });

    test("lists groups as without a directory", async () => {
      expect((await get("/Groups", { sortBy: "displayName" })).status).toBe(200);
      expect((await get("/Groups", { cursor: "" })).status).toBe(200);
    });
  });

  test("SCIM 1.1: pages, and lists all users without paging parameters", async () => {
    const all = await scim1.list("/Users");
    expect(all.Resources.length).toBe(CROWD + 3);
    const page = await scim1.list("/Users", { startIndex: 1, count: 5 });
    expect(page.itemsPerPage).toBe(5);
  });
});

describe.runIf(hasSlapd)("a directory with consider_total_records_for_total_results_of_ldap", async () => {
  if (!hasSlapd) return;
  const slapd = await startSlapd();
  const counting = "[scim2]\nconsider_total_records_for_total_results_of_ldap = true\n";
  const api = world({ deployment: `${counting}${directoryStore(slapd.url)}` });
  const { get } = scimOf(api, "wso2");
  beforeAll(() => fill(slapd), 60_000);
  afterAll(() => slapd.close());

  test("counts all matches, of the directory and of all stores", async () => {
    const total = async (query: Shown) => (await get("/Users", query)).body.totalResults;
    expect(await total({ domain: "CORP", count: 2 })).toBe(CROWD);
    expect(await total({ domain: "CORP", count: 0, filter: 'name.familyName eq "Odd"' })).toBe(CROWD / 2);
    expect(await total({ count: 1 })).toBe(CROWD + 1);
    expect(await total({ startIndex: CROWD + 10, count: 10 })).toBe(CROWD + 1);
  });
});
