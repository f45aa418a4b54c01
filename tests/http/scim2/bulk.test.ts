/** Rows C174 to C185, P10 and W12 of docs/scim-conformance.md: bulk requests. */
import { describe, expect, test } from "vitest";
import { everyKey } from "#tests/support/api-resources.ts";
import { addUser, breakUser } from "#tests/support/people.ts";
import { fresh, NEGOTIATED, refusal, type Shown, scimOf, UNKNOWN_ID, URN } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const api = world({ deployment: NEGOTIATED });
const scim = scimOf(api);
const { find } = scim;
const send = (Operations: unknown, rest: Shown = {}) =>
  scim.ask("POST", "/Bulk", { body: { schemas: [URN.bulk], Operations, ...rest } });
/** The results of the operations. */
const bulk = async (Operations: readonly Shown[], rest: Shown = {}): Promise<Shown[]> => {
  const answer = await send(Operations, rest);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body.schemas).toEqual([URN.bulkResponse]);
  return answer.body.Operations;
};
const making = (userName: string, rest: Shown = {}): Shown => ({
  method: "POST",
  path: "/Users",
  bulkId: userName,
  data: { schemas: [URN.user], userName, ...rest },
});
const idOf = ({ location }: Shown): string => location.split("/").at(-1);
const statuses = (outcomes: readonly Shown[]) => outcomes.map(({ status }) => status);

describe("bulk", () => {
  test("C174 C175 C176 C177 returns a result for each operation, with its method and bulkId", async () => {
    const kim = await scim.user();
    const group = await scim.group();
    const name = fresh("made");
    const outcomes = await bulk([
      making(name),
      { method: "PUT", path: `/Users/${kim.id}`, bulkId: "put", data: { userName: kim.userName, title: "T" } },
      {
        method: "patch",
        path: `/Users/${kim.id}`,
        data: { Operations: [{ op: "add", path: "nickName", value: "N" }] },
      },
      { method: "DELETE", path: `/Groups/${group.id}`, bulkId: "gone" },
    ]);
    const location = `${api.url}/scim2/Users/${kim.id}`;
    expect(outcomes).toEqual([
      {
        method: "POST",
        bulkId: name,
        version: 'W/"1"',
        location: expect.stringMatching(/\/scim2\/Users\/[0-9a-f-]{36}$/),
        status: "201",
      },
      { method: "PUT", bulkId: "put", version: 'W/"2"', location, status: "200" },
      { method: "PATCH", version: 'W/"3"', location, status: "200" },
      { method: "DELETE", bulkId: "gone", location: `${api.url}/scim2/Groups/${group.id}`, status: "204" },
    ]);
    expect((await scim.read(`/Users/${idOf(outcomes[0] ?? {})}`)).userName).toBe(name);
    expect(await scim.read(`/Users/${kim.id}`)).toMatchObject({ title: "T", nickName: "N" });
  });
  test("C175 takes a slash at the end of a path, as single requests do", async () => {
    const [kim, group, name] = [await scim.user(), await scim.group(), fresh("made")];
    const outcomes = await bulk([
      { ...making(name), path: "/Users/" },
      { ...making(fresh("made"), { emails: [{ value: "k@example.com" }] }), path: "/users/" },
      {
        method: "PATCH",
        path: `/Users/${kim.id}/`,
        data: { Operations: [{ op: "add", path: "title", value: "T" }] },
      },
      {
        method: "PATCH",
        path: `/Groups/${group.id}/`,
        data: { Operations: [{ op: "add", path: "members", value: [{ value: `bulkId:${name}` }] }] },
      },
      { method: "POST", path: "/v2/Roles/", bulkId: "role", data: { displayName: fresh("role") } },
      { method: "DELETE", path: "/Users/bulkId:role/" },
      { method: "DELETE", path: "/v2/Roles/bulkId:role/" },
      ...["/Users//", `/Users/${kim.id}//`, "/Users/ /x"].map((path) => ({ method: "DELETE", path })),
    ]);
    expect(statuses(outcomes)).toEqual(["201", "201", "200", "200", "201", "404", "204", "404", "404", "404"]);
    expect(outcomes[2]?.location).toBe(`${api.url}/scim2/Users/${kim.id}`);
    expect((await scim.read(`/Users/${kim.id}`)).title).toBe("T");
    expect((await scim.read(`/Groups/${group.id}`)).members).toMatchObject([{ value: idOf(outcomes[0] ?? {}) }]);
  });
  test("C178 C179 P10 reports why an operation fails, and applies the others", async () => {
    const { userName } = await scim.user();
    const good = fresh("good");
    const outcomes = await bulk([
      making(userName),
      {
        method: "PATCH",
        path: `/Users/${UNKNOWN_ID}`,
        data: { Operations: [{ op: "add", path: "title", value: "x" }] },
      },
      { method: "POST", path: "/Users", bulkId: "nameless", data: {} },
      { method: "DELETE", path: "/Groups/nothing" },
      making(good),
    ]);
    expect(statuses(outcomes)).toEqual(["409", "404", "400", "404", "201"]);
    expect(outcomes[0]).toEqual({
      method: "POST",
      bulkId: userName,
      status: "409",
      response: {
        schemas: [URN.error],
        status: "409",
        scimType: "uniqueness",
        detail: expect.stringContaining(userName),
      },
    });
    expect(outcomes[1]).toMatchObject({
      location: `${api.url}/scim2/Users/${UNKNOWN_ID}`,
      response: { status: "404" },
    });
    expect(outcomes[2]).not.toHaveProperty("location");
    expect(await scim.names(`userName eq "${good}"`)).toEqual([good]);
  });
  test("C180 applies and reports nothing after failOnErrors failures", async () => {
    const names = Array.from({ length: 4 }, () => fresh("stop"));
    const bad = { method: "DELETE", path: `/Users/${UNKNOWN_ID}` };
    const [a, b, c, d] = names.map((name) => making(name));
    const operations = [a, bad, b, bad, c, d] as Shown[];
    expect(statuses(await bulk(operations, { failOnErrors: 2 }))).toEqual(["201", "404", "201", "404"]);
    expect(await scim.names('userName sw "stop"')).toEqual(names.slice(0, 2).sort());
    expect(statuses(await bulk([bad, making(names[3] ?? "")], { failOnErrors: 1 }))).toEqual(["404"]);
    expect(statuses(await bulk([bad, bad, bad], { failOnErrors: 0 }))).toEqual(["404", "404", "404"]);
  });
  test.each([-1, 1.5, "x", "2", {}, true])("returns 400 invalidValue for failOnErrors %j", async (failOnErrors) => {
    const name = fresh("never");
    refusal(await send([making(name)], { failOnErrors }), 400, "invalidValue");
    expect(await scim.names(`userName eq "${name}"`)).toEqual([]);
  });
  test("C181 applies an operation after the bulkIds that it refers to: in members, in a path, in a manager", async () => {
    const [boss, kim] = [fresh("boss"), fresh("kim")];
    const outcomes = await bulk([
      {
        method: "POST",
        path: "/Groups",
        bulkId: "group",
        data: { displayName: fresh("crew"), members: [{ value: `bulkId:${kim}` }, { value: `bulkId:${boss}` }] },
      },
      {
        method: "PATCH",
        path: `/Users/bulkId:${kim}`,
        data: { Operations: [{ op: "add", path: "title", value: "T" }] },
      },
      making(kim, { [URN.enterprise]: { manager: { value: `bulkId:${boss}` } } }),
      making(boss),
    ]);
    expect(statuses(outcomes)).toEqual(["201", "200", "201", "201"]);
    const [groupId, , kimId, bossId] = outcomes.map((outcome) => (outcome.location ? idOf(outcome) : ""));
    const group = await scim.read(`/Groups/${groupId}`);
    expect(group.members.map(({ value }: Shown) => value).sort()).toEqual([kimId, bossId].sort());
    expect(await scim.read(`/Users/${kimId}`)).toMatchObject({
      title: "T",
      [URN.enterprise]: { manager: { value: bossId } },
    });
  });
  test.each([
    ["a quoted value", (name: string) => `members[value eq "bulkId:${name}"]`],
    ["a value without quotes, in any case of the path", (name: string) => `MEMBERS[VALUE EQ bulkId:${name}]`],
  ])("C181 applies a PATCH after the bulkId in its path: %s", async (_, pathOf) => {
    const [kept, gone] = [await scim.user(), fresh("gone")];
    const group = await scim.group({ members: [{ value: kept.id }] });
    const add = { op: "add", path: "members", value: [{ value: `bulkId:${gone}` }] };
    const patch = (...Operations: readonly Shown[]) => ({
      method: "PATCH",
      path: `/Groups/${group.id}`,
      data: { Operations },
    });
    const removal = { op: "remove", PATH: pathOf(gone) };
    expect(statuses(await bulk([patch(removal), patch(add), patch(add, removal), making(gone)]))).toEqual([
      "200",
      "200",
      "200",
      "201",
    ]);
    const { members } = await scim.read(`/Groups/${group.id}`);
    expect(members.map(({ value }: Shown) => value)).toEqual([kept.id]);
    const [unknown] = await bulk([patch({ op: "remove", path: pathOf("none") })]);
    expect([unknown?.status, unknown?.response.detail]).toEqual(["409", expect.stringContaining('"none"')]);
  });
  test("returns 409 for a reference to an unknown or failed operation, and does not apply the operation", async () => {
    const taken = await scim.user();
    const outcomes = await bulk([
      {
        method: "POST",
        path: "/Groups",
        bulkId: "g1",
        data: { displayName: fresh("crew"), members: [{ value: "bulkId:none" }] },
      },
      making(taken.userName),
      {
        method: "POST",
        path: "/Groups",
        bulkId: "g2",
        data: { displayName: fresh("crew"), members: [{ value: `bulkId:${taken.userName}` }] },
      },
      {
        method: "POST",
        path: "/Groups",
        bulkId: "g3",
        data: { displayName: fresh("crew"), members: [{ value: "bulkId:g3" }] },
      },
      { method: "PATCH", path: "/Users/bulkId:none", data: { Operations: [] } },
    ]);
    expect(statuses(outcomes)).toEqual(["409", "409", "409", "409", "409"]);
    for (const { response } of outcomes) expect(response.detail).toMatch(/bulkId|already exists/);
    expect(
      (await find('displayName sw "crew"', "/Groups")).Resources.filter(({ members }: Shown) => members.length < 2),
    ).toEqual([]);
  });
  test("fails operations that refer to each other in a circle", async () => {
    const circle = (own: string, other: string) =>
      making(own, { [URN.enterprise]: { manager: { value: `bulkId:${other}` } } });
    expect(statuses(await bulk([circle("circle-a", "circle-b"), circle("circle-b", "circle-a")]))).toContain("409");
    expect(statuses(await bulk([circle("self-made", "self-made")]))).toEqual(["409"]);
  });
  test("applies operations in order: the same resource created, changed, created again and deleted", async () => {
    const name = fresh("ordered");
    const outcomes = await bulk([
      making(name),
      { ...making(name), bulkId: "again" },
      { method: "DELETE", path: `/Users/bulkId:${name}` },
      { ...making(name), bulkId: "third" },
    ]);
    expect(statuses(outcomes)).toEqual(["201", "409", "204", "201"]);
    expect(await scim.names(`userName eq "${name}"`)).toHaveLength(1);
  });
  test("compares the version of an operation with the current one", async () => {
    const { id, userName, meta } = await scim.user();
    const put = (version: string) => ({ method: "PUT", path: `/Users/${id}`, version, data: { userName } });
    expect(statuses(await bulk([put('W/"9"'), put(meta.version)]))).toEqual(["412", "200"]);
  });
  test("C183 returns 413 with the limit for more operations than are advertised", async () => {
    const before = await everyKey(api.service);
    const { bulk: limits } = (await scim.get("/ServiceProviderConfig")).body;
    expect(limits).toEqual({ supported: true, maxOperations: 1_000, maxPayloadSize: 1_048_576 });
    for (const count of [1_001, 10_000]) {
      const operations = Array.from({ length: count }, (_, n) => ({ method: "DELETE", path: `/Users/${n}` }));
      expect(refusal(await send(operations), 413)).toMatch(new RegExp(`${count} operations.*1000`));
    }
    expect(await everyKey(api.service)).toEqual(before);
  });
  test("applies 1,000 operations", async () => {
    const outcomes = await bulk(Array.from({ length: 1_000 }, () => ({ method: "DELETE", path: "/none" })));
    expect(outcomes).toHaveLength(1_000);
    expect(new Set(statuses(outcomes))).toEqual(new Set(["404"]));
  });
  test("C184 returns 413 with the limit for a larger body than is advertised", async () => {
    const answer = await send([making("large", { title: "x".repeat(1_048_576) })]);
    expect(refusal(answer, 413)).toMatch(/1048576/);
    expect(await scim.names('userName eq "large"')).toEqual([]);
  });
  test.each<[string, unknown, string]>([
    [
      "C185 a POST without a bulkId",
      [{ method: "POST", path: "/Users", data: { userName: "anonymous" } }],
      "invalidValue",
    ],
    ["a repeated bulkId", [making("twin"), making("twin")], "invalidValue"],
    ["no Operations", undefined, "invalidSyntax"],
    ["Operations that are not a list", { 0: making("object") }, "invalidSyntax"],
    ["an operation that is not an object", [5], "invalidSyntax"],
    ["a path that is not a text", [{ method: "POST", path: 5, bulkId: "x", data: {} }], "invalidSyntax"],
    ["a bulkId that is not a text", [{ method: "POST", path: "/Users", bulkId: 5, data: {} }], "invalidSyntax"],
  ])("%s: returns 400 and creates nothing", async (_, operations, scimType) => {
    const before = await everyKey(api.service);
    const name = fresh("innocent");
    const sent = Array.isArray(operations) ? [making(name), ...operations] : operations;
    refusal(await send(sent), 400, scimType);
    expect(await everyKey(api.service)).toEqual(before);
  });
  test("returns 400 for another message, and accepts an empty list of operations", async () => {
    refusal(await send([], { schemas: [URN.patch] }), 400, "invalidValue");
    expect(await bulk([])).toEqual([]);
    expect(await bulk([], { schemas: [] })).toEqual([]);
  });
  test.each([
    ["", "404"],
    ["Users", "404"],
    ["/", "404"],
    ["/Bulk", "404"],
    ["/Me", "404"],
    ["/Users/me", "404"],
    ["/scim2/Users", "404"],
    ["/../../api/server/v1/applications", "404"],
    ["/Users/../Groups", "404"],
    ["https://evil.example/Users", "404"],
    ["/Users/a/b", "404"],
    ["/Users/", "400"],
    ["/Users", "400"],
    ["/Users/__proto__", "404"],
  ])("reports for the path %j of a PATCH the status %s in its result", async (path, status) => {
    const [outcome] = await bulk([{ method: "PATCH", path, data: { Operations: [] } }]);
    expect(outcome).toMatchObject({ method: "PATCH", status, response: { status } });
  });
  test("reports 400 in the result for an unknown method and for a POST to a resource", async () => {
    for (const operation of [
      { method: "GET", path: "/Users" },
      { method: "", path: "/Users" },
      { path: "/Users" },
      { method: "constructor", path: "/Users" },
      { method: "POST", path: `/Users/${UNKNOWN_ID}`, bulkId: "x", data: {} },
    ]) {
      expect(statuses(await bulk([operation]))).toEqual(["400"]);
    }
  });
  test("W12 creates two users with failOnErrors 1, at the locations of the results", async () => {
    const outcomes = await bulk(
      [making("w12-a", { password: "maple-tree-42" }), making("w12-b", { password: "birch-tree-43" })],
      {
        failOnErrors: 1,
      },
    );
    for (const { location } of outcomes) {
      expect((await scim.ask("DELETE", new URL(location).pathname.replace("/scim2", ""))).status).toBe(204);
    }
  });
  test("returns 404 for an id that cannot be a key, and applies the other operations", async () => {
    for (const id of ["x".repeat(1_000), "\u{1F600}".repeat(500), "x".repeat(3_000), "x".repeat(100_000)]) {
      const name = fresh("beside");
      const patch = { Operations: [{ op: "add", path: "members", value: [{ value: "a" }] }] };
      const outcomes = await bulk([
        making(name),
        { method: "DELETE", path: `/Groups/${id}` },
        { method: "PUT", path: `/Groups/${id}`, data: { displayName: fresh("q"), members: [{ value: "a" }] } },
        { method: "PATCH", path: `/Groups/${id}`, data: patch },
        { method: "DELETE", path: `/Users/${id}` },
        { method: "PUT", path: `/Users/${id}`, data: { userName: fresh("q") } },
        { method: "PATCH", path: `/Users/${id}`, data: { Operations: [{ op: "add", value: { title: "x" } }] } },
      ]);
      const status = id.length > 1_024 ? "400" : "404";
      expect(statuses(outcomes)).toEqual(["201", status, status, status, status, status, status]);
      expect(JSON.stringify(outcomes).length).toBeLessThan(20_000);
      expect(await scim.names(`userName eq "${name}"`)).toEqual([name]);
      if (id.length > 1_024) continue;
      for (const path of ["/Groups", "/Users"]) {
        refusal(await scim.ask("DELETE", `${path}/${encodeURIComponent(id)}`), 404);
      }
    }
  });
  test("reports a defect in its own operation, and applies and reports the others", async () => {
    const [broken, kim] = [await scim.user(), await scim.user()];
    await breakUser(api.service, broken.id);
    const titled = ({ id }: Shown) => ({
      method: "PATCH",
      path: `/Users/${id}`,
      data: { Operations: [{ op: "add", value: { title: "x" } }] },
    });
    const name = fresh("first");
    const outcomes = await bulk([making(name), titled(broken), titled(kim), making(fresh("last"))]);
    expect(statuses(outcomes)).toEqual(["201", "500", "200", "201"]);
    expect(outcomes[1]).toMatchObject({ location: expect.any(String), response: { status: "500" } });
    expect(JSON.stringify(outcomes[1])).not.toMatch(/JSON|position|at /);
    expect(await scim.names(`userName eq "${name}"`)).toEqual([name]);
    // A defect counts as a failure.
    expect(statuses(await bulk([titled(broken), titled(kim)], { failOnErrors: 1 }))).toEqual(["500"]);
  });
  test("returns 403 without the scope of bulk requests, whatever else the caller may do", async () => {
    const as = { username: "almost", password: "a long enough password" };
    const scopes = ["internal_user_mgt_create", "internal_group_mgt_create", "internal_bulk_user_create"];
    await addUser(api.service, { ...as, scopes });
    const body = { Operations: [making("unauthorised")] };
    refusal(await scim.ask("POST", "/Bulk", { as, body }), 403);
    expect(await scim.names('userName eq "unauthorised"')).toEqual([]);
  });
  test("needs for each operation its own scope or its bulk scope, and rejects only operations without them", async () => {
    const as = { username: "clerk", password: "a long enough password" };
    const scopes = ["internal_bulk_resource_create", "internal_user_mgt_create", "internal_bulk_group_delete"];
    await addUser(api.service, { ...as, scopes });
    const [kim, group, name] = [await scim.user(), await scim.group(), fresh("made")];
    const send = (...Operations: Shown[]) => scim.ask("POST", "/Bulk", { as, body: { Operations } });
    const update = { Operations: [{ op: "replace", value: { displayName: "renamed" } }] };
    const { body } = await send(
      { method: "POST", path: "/Groups", bulkId: "g", data: { displayName: fresh("g") } },
      { method: "PATCH", path: `/Groups/${group.id}`, data: update },
      {
        method: "PATCH",
        path: `/Users/${kim.id}`,
        data: { Operations: [{ op: "replace", value: { password: "x" } }] },
      },
      { method: "DELETE", path: `/Users/${kim.id}` },
      { method: "DELETE", path: `/Users/${UNKNOWN_ID}` },
      { method: "PATCH", path: "/Groups/bulkId:g", data: update },
      making(name),
      { method: "DELETE", path: `/Groups/${group.id}` },
    );
    // A caller without the scope does not learn whether the resource exists.
    expect(statuses(body.Operations)).toEqual(["403", "403", "403", "403", "403", "403", "201", "204"]);
    expect(body.Operations[0].response).toMatchObject({
      schemas: [URN.error],
      status: "403",
      detail: expect.stringContaining("internal_group_mgt_create or internal_bulk_group_create"),
    });
    expect(await scim.names(`userName eq "${kim.userName}"`)).toHaveLength(1);
    const refused = { method: "DELETE", path: `/Users/${kim.id}` };
    const stopped = { failOnErrors: 2, Operations: [refused, refused, making(fresh("never"))] };
    const answer = await scim.ask("POST", "/Bulk", { as, body: stopped });
    expect(statuses(answer.body.Operations)).toEqual(["403", "403"]);
  });
});
