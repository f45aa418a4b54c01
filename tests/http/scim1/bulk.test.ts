/** Bulk requests of SCIM 1.1. */
import { describe, expect, test } from "vitest";
import { addUser, breakUser } from "#tests/support/people.ts";
import { fresh, type Shown, scimOf, UNKNOWN_ID } from "#tests/support/scim.ts";
import { CORE, refusal1, scim1Of } from "#tests/support/scim1.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const scim = scim1Of(api);
const { ask } = scim;

const send = (Operations: unknown, rest: Shown = {}) =>
  ask("POST", "/Bulk", { body: { schemas: [CORE], Operations, ...rest } });
/** The results of the operations. */
const bulk = async (Operations: readonly Shown[], rest: Shown = {}): Promise<Shown[]> => {
  const answer = await send(Operations, rest);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toEqual({ schemas: [CORE], Operations: expect.any(Array) });
  return answer.body.Operations;
};
/** An operation as clients of Identity Server write it: its data repeats the method, the path and the bulkId. */
const making = (userName: string, data: Shown = {}): Shown => {
  const own = { method: "POST", path: "/Users", bulkId: userName };
  return { ...own, data: { schemas: [CORE], userName, wso2Extension: { askPassword: true }, ...data, ...own } };
};
const codes = (outcomes: readonly Shown[]) => outcomes.map(({ status }) => status.code);
const idOf = ({ location }: Shown): string => location.split("/").at(-1);

describe("scim1Bulk", () => {
  test("returns 200 with a result for each operation, of every method, in the documented shape", async () => {
    const kim = await scim.user();
    const group = await scim.group();
    const [userName, displayName] = [fresh("made"), fresh("made")];
    const outcomes = await bulk([
      making(userName, { emails: ["a@x.example"] }),
      { method: "POST", path: "/Groups", bulkId: "g", data: { displayName } },
      { method: "put", path: `/Users/${kim.id}`, bulkId: "p", data: { userName: kim.userName, title: "T" } },
      { method: "PATCH", path: `/Users/${kim.id}`, data: { nickName: "N", meta: { attributes: ["title"] } } },
      { method: "PATCH", path: `/Groups/${group.id}`, data: { members: [{ value: kim.id }] } },
      { method: "PUT", path: `/groups/${group.id}`, data: { displayName: group.displayName } },
      { method: "DELETE", path: `/Groups/${group.id}`, bulkId: "d" },
    ]);
    const at = (path: string) => `${api.url}/svc/scim${path}`;
    const made = outcomes.slice(0, 2).map(idOf);
    expect(outcomes).toEqual([
      { location: at(`/Users/${made[0]}`), method: "POST", bulkId: userName, status: { code: "201" } },
      { location: at(`/Groups/${made[1]}`), method: "POST", bulkId: "g", status: { code: "201" } },
      { location: at(`/Users/${kim.id}`), method: "PUT", bulkId: "p", status: { code: "200" } },
      { location: at(`/Users/${kim.id}`), method: "PATCH", status: { code: "200" } },
      { location: at(`/Groups/${group.id}`), method: "PATCH", status: { code: "200" } },
      { location: at(`/Groups/${group.id}`), method: "PUT", status: { code: "200" } },
      { location: at(`/Groups/${group.id}`), method: "DELETE", bulkId: "d", status: { code: "200" } },
    ]);
    expect(await scim.read(`/Users/${made[0]}`)).toMatchObject({ userName, emails: [{ value: "a@x.example" }] });
    const after = await scim.read(`/Users/${kim.id}`);
    expect(after).toMatchObject({ nickName: "N" });
    expect(after).not.toHaveProperty("title");
    refusal1(await ask("GET", `/Groups/${group.id}`), 404);
  });

  test("applies 1,000 operations in one request, and reports those that fail in the middle", async () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `many-${at}`);
    const operations = names.map((name) => making(name));
    operations[300] = making("many-2");
    operations[500] = { method: "DELETE", path: `/Users/${UNKNOWN_ID}`, bulkId: "nobody" };
    operations[700] = making("x");
    const outcomes = await bulk(operations.map((one, at) => ({ ...one, bulkId: String(at) })));
    expect(outcomes).toHaveLength(1_000);
    const failed = outcomes.filter(({ status }) => status.code !== "201");
    expect(failed).toEqual([
      { method: "POST", bulkId: "300", status: { code: "409", description: expect.stringContaining("many-2") } },
      {
        location: `${api.url}/svc/scim/Users/${UNKNOWN_ID}`,
        method: "DELETE",
        bulkId: "500",
        status: { code: "404", description: expect.stringContaining(UNKNOWN_ID) },
      },
      { method: "POST", bulkId: "700", status: { code: "400", description: expect.stringContaining("userName") } },
    ]);
    expect((await scim.list("/Users", { filter: 'userName Eq "many-999"' })).totalResults).toBe(1);
    const { body } = await scimOf(api, "wso2").get("/Users", { filter: 'userName sw "many-"', count: 0 });
    expect(body.totalResults).toBe(997);
  }, 60_000);

  test("is safe to repeat: creations fail as duplicates, and other operations change nothing", async () => {
    const [kim, gone] = [await scim.user({ nickName: "old" }), await scim.user()];
    const names = [fresh("again"), fresh("again")];
    const displayName = fresh("again");
    const operations = [
      ...names.map((name) => making(name)),
      {
        method: "POST",
        path: "/Groups",
        bulkId: "g",
        data: { displayName, members: names.map((name) => `bulkId:${name}`) },
      },
      { method: "PUT", path: `/Users/${kim.id}`, data: { userName: kim.userName, nickName: "new" } },
      { method: "PATCH", path: `/Users/${kim.id}`, data: { emails: ["a@x.example"] } },
      { method: "DELETE", path: `/Users/${gone.id}` },
    ];
    const first = await bulk(operations);
    expect(codes(first)).toEqual(["201", "201", "201", "200", "200", "200"]);
    const group = await scim.read(`/Groups/${idOf(first[2] ?? {})}`);
    expect(group.members.map(({ value }: Shown) => value).sort()).toEqual(first.slice(0, 2).map(idOf).sort());
    const made = await Promise.all(first.slice(0, 2).map((one) => scim.read(`/Users/${idOf(one)}`)));
    const changed = await scim.read(`/Users/${kim.id}`);
    expect(codes(await bulk(operations))).toEqual(["409", "409", "409", "200", "200", "404"]);
    expect(await scim.read(`/Groups/${group.id}`)).toEqual(group);
    expect(await Promise.all(first.slice(0, 2).map((one) => scim.read(`/Users/${idOf(one)}`)))).toEqual(made);
    const { meta: _, ...now } = await scim.read(`/Users/${kim.id}`);
    const { meta: __, ...then } = changed;
    expect(now).toEqual(then);
  });

  test("stops after failOnErrors failures, and applies all operations where it is 0 or absent", async () => {
    const wrong = (bulkId: string) => ({ method: "POST", path: "/Users", bulkId, data: {} });
    const run = async (rest: Shown) => {
      const names = [fresh("stop"), fresh("stop"), fresh("stop")] as const;
      const operations = [making(names[0]), wrong("a"), making(names[1]), wrong("b"), making(names[2])];
      const outcomes = codes(await bulk(operations, rest));
      const { totalResults } = await scim.list("/Users", { filter: `userName Eq ${names[2]}` });
      return [outcomes.join(), totalResults];
    };
    expect(await run({ failOnErrors: 1 })).toEqual(["201,400", 0]);
    expect(await run({ failOnErrors: 2 })).toEqual(["201,400,201,400", 0]);
    expect(await run({ failOnErrors: 3 })).toEqual(["201,400,201,400,201", 1]);
    expect(await run({ failOnErrors: 0 })).toEqual(["201,400,201,400,201", 1]);
    expect(await run({})).toEqual(["201,400,201,400,201", 1]);
  });

  test("resolves bulkIds in members, managers and paths, also of later operations", async () => {
    const [boss, kim] = [fresh("boss"), fresh("kim")];
    const outcomes = await bulk([
      {
        method: "POST",
        path: "/Groups",
        bulkId: "g",
        data: { displayName: fresh("team"), members: [{ value: `bulkId:${kim}` }] },
      },
      making(kim, { wso2Extension: { askPassword: true, manager: { managerId: `bulkId:${boss}` } } }),
      making(boss),
      { method: "PATCH", path: "/Groups/bulkId:g", data: { members: [{ value: `bulkId:${boss}` }] } },
    ]);
    expect(codes(outcomes)).toEqual(["201", "201", "201", "200"]);
    const [group, kimMade, bossMade, patched] = outcomes.map(idOf);
    expect(patched).toBe(group);
    const { members } = await scim.read(`/Groups/${group}`);
    expect(members.map(({ value }: Shown) => value).sort()).toEqual([kimMade, bossMade].sort());
    expect((await scim.read(`/Users/${kimMade}`)).wso2Extension.manager).toEqual({ managerId: bossMade });
  });

  test("fails only the operation that refers to an unknown or failed bulkId", async () => {
    const outcomes = await bulk([
      { method: "POST", path: "/Groups", bulkId: "a", data: { displayName: fresh("a"), members: ["bulkId:nothing"] } },
      { method: "POST", path: "/Groups", bulkId: "b", data: { displayName: fresh("b"), members: ["bulkId:a"] } },
      { method: "POST", path: "/Groups", bulkId: "c", data: { displayName: fresh("c"), members: ["bulkId:c"] } },
      making(fresh("alone")),
    ]);
    expect(codes(outcomes)).toEqual(["409", "409", "409", "201"]);
    expect(outcomes[0]?.status.description).toContain("nothing");
  });

  test("reports why an operation is invalid, and applies the others", async () => {
    const { id } = await scim.user();
    const outcomes = await bulk([
      { method: "POST", path: "/svc/scim/Users", bulkId: "1", data: {} },
      { method: "POST", path: "Users", bulkId: "2", data: {} },
      { method: "POST", path: "/Roles", bulkId: "3", data: {} },
      { method: "POST", path: `/Users/${id}`, bulkId: "4", data: {} },
      { method: "PUT", path: "/Users", data: {} },
      { method: "GET", path: `/Users/${id}` },
      { method: "PATCH", path: `/Users/${id}` },
      { method: "PATCH", path: `/Users/${id}`, data: [] },
      { method: "PUT", path: "/Users/me", data: { userName: "admin" } },
      {},
    ]);
    expect(codes(outcomes)).toEqual(["400", "400", "400", "400", "400", "400", "400", "400", "404", "400"]);
    for (const { status } of outcomes) expect(status.description).toMatch(/\S/);
    expect(outcomes[6]).toMatchObject({ location: `${api.url}/svc/scim/Users/${id}` });
  });

  test("returns 404 for an id that cannot be a key, and applies the other operations", async () => {
    for (const id of ["x".repeat(1_000), "\u{1F600}".repeat(500), "x".repeat(3_000), "x".repeat(100_000)]) {
      const userName = fresh("beside");
      const outcomes = await bulk([
        making(userName),
        { method: "DELETE", path: `/Groups/${id}` },
        { method: "PUT", path: `/Groups/${id}`, data: { displayName: fresh("q"), members: ["a"] } },
        { method: "PATCH", path: `/Groups/${id}`, data: { members: [{ value: "a" }] } },
        { method: "DELETE", path: `/Users/${id}` },
        { method: "PUT", path: `/Users/${id}`, data: { userName: fresh("q") } },
        { method: "PATCH", path: `/Users/${id}`, data: { nickName: "N" } },
      ]);
      const code = id.length > 1_024 ? "400" : "404";
      expect(codes(outcomes)).toEqual(["201", code, code, code, code, code, code]);
      expect(JSON.stringify(outcomes).length).toBeLessThan(20_000);
      expect((await scim.list("/Users", { filter: `userName Eq ${userName}` })).totalResults).toBe(1);
    }
  });

  test("reports a defect in its own operation, and applies and reports the others", async () => {
    const [broken, kim] = [await scim.user(), await scim.user()];
    await breakUser(api.service, broken.id);
    const operations = [
      making(fresh("first")),
      { method: "PATCH", path: `/Users/${broken.id}`, data: { nickName: "N" } },
      { method: "PATCH", path: `/Users/${kim.id}`, data: { nickName: "N" } },
    ];
    const outcomes = await bulk(operations);
    expect(codes(outcomes)).toEqual(["201", "500", "200"]);
    expect(JSON.stringify(outcomes[1])).not.toMatch(/JSON|position|at /);
    expect(codes(await bulk([...operations.slice(1)], { failOnErrors: 1 }))).toEqual(["500"]);
  });

  describe("each operation needs its own scope, or its bulk scope", () => {
    const password = "a long enough password";
    const everything = async (as: Shown) => {
      const [kim, group] = [await scim.user(), await scim.group()];
      const { body } = await ask("POST", "/Bulk", {
        as: as as { username: string; password: string },
        body: {
          Operations: [
            making(fresh("by")),
            { method: "PUT", path: `/Users/${kim.id}`, data: { userName: kim.userName } },
            { method: "PATCH", path: `/Users/${kim.id}`, data: { nickName: "N" } },
            { method: "DELETE", path: `/Users/${kim.id}` },
            { method: "POST", path: "/Groups", bulkId: "g", data: { displayName: fresh("by") } },
            { method: "PUT", path: `/Groups/${group.id}`, data: { displayName: group.displayName } },
            { method: "PATCH", path: `/Groups/${group.id}`, data: { displayName: fresh("by") } },
            { method: "DELETE", path: `/Groups/${group.id}` },
          ],
        },
      });
      return codes(body.Operations).map((code) => code !== "403");
    };
    test.each([
      ["none", []],
      ["internal_user_mgt_create", [0]],
      ["internal_bulk_user_create", [0]],
      ["internal_user_mgt_update", [1, 2]],
      ["internal_bulk_user_update", [1, 2]],
      ["internal_user_mgt_delete", [3]],
      ["internal_bulk_user_delete", [3]],
      ["internal_group_mgt_create", [4]],
      ["internal_bulk_group_create", [4]],
      ["internal_group_mgt_update", [5, 6]],
      ["internal_bulk_group_update", [5, 6]],
      ["internal_group_mgt_delete", [7]],
      ["internal_bulk_group_delete", [7]],
      ["internal_bulk_role_create", []],
    ])("%s", async (scope, allowed) => {
      const as = { username: `bulk-1-${scope}`, password };
      await addUser(api.service, { ...as, scopes: ["internal_bulk_resource_create", scope] });
      expect(await everything(as)).toEqual(Array.from({ length: 8 }, (_, at) => (allowed as number[]).includes(at)));
    });
  });

  test("returns 400 for an invalid request, and applies nothing", async () => {
    const userName = fresh("never");
    for (const [operations, rest, reason] of [
      [undefined, {}, /Operations/],
      ["x", {}, /Operations/],
      [[5], {}, /Operations\[0\]/],
      [[making(userName), { method: "POST", path: "/Users", data: {} }], {}, /bulkId/],
      [[making(userName), making(userName)], {}, /twice/],
      [[making(userName), { method: 5 }], {}, /method/],
      [[making(userName)], { failOnErrors: -1 }, /failOnErrors/],
      [[making(userName)], { failOnErrors: "many" }, /failOnErrors/],
    ] as const) {
      expect(refusal1(await send(operations, rest), 400), JSON.stringify(operations)).toMatch(reason);
    }
    expect((await scim.list("/Users", { filter: `userName Eq ${userName}` })).totalResults).toBe(0);
    expect(await bulk([])).toEqual([]);
  });

  test("returns 413 for more than 1,000 operations or 1,048,576 bytes", async () => {
    const one = { method: "DELETE", path: `/Users/${UNKNOWN_ID}` };
    expect(refusal1(await send(Array.from({ length: 1_001 }, () => one)), 413)).toContain("1000");
    const raw = JSON.stringify({ Operations: [making(fresh("large"), { nickName: "x".repeat(1_048_576) })] });
    expect(refusal1(await ask("POST", "/Bulk", { raw }), 413)).toContain("1048576");
  });
});
