/** Who is assigned to an application: the operations, and what happens with those who are deleted. */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addUser } from "#tests/support/people.ts";
import { DELETED } from "#tests/support/recovery.ts";
import { saasOf } from "#tests/support/saas.ts";
import { APPLICATIONS, type Ask, world } from "#tests/support/world.ts";

const api = world();
const saas = saasOf(api);
const NOTHING = "00000000-0000-0000-0000-000000000000";

let user = "";
let group = "";
let role = "";
let path = "";
let made = 0;

const sent = async (method: string, to: string, body?: unknown, status = 200) => {
  const answer = await api.ask(method, to, body === undefined ? {} : { body });
  expect([answer.status, answer.text], `${method} ${to}`).toEqual([status, answer.text]);
  return answer;
};
const newUser = async (userName: string): Promise<string> =>
  (await sent("POST", "/scim2/Users", { userName, password: "a-good-Password-1" }, 201)).body.id;
const newGroup = async (displayName: string, ...members: string[]): Promise<string> =>
  (await sent("POST", "/scim2/Groups", { displayName, members: members.map((value) => ({ value })) }, 201)).body.id;
const newRole = async (displayName: string, more: object = {}): Promise<string> =>
  (await sent("POST", "/scim2/v2/Roles", { displayName, ...more }, 201)).body.id;
const assign = (type: string, id: string, ask: Ask = {}) => api.ask("POST", path, { body: { type, id }, ...ask });
const list = async (query = "") => (await sent("GET", `${path}${query}`)).body;
/** A caller with these scopes alone. */
const limited = async (...scopes: string[]) => {
  made += 1;
  const who = { username: `manager ${made}`, password: "a-long-password" };
  await addUser(api.service, { ...who, scopes });
  return who;
};
const namesIn = ({ assignments }: { assignments: { type: string; principal: { displayName: string } }[] }) =>
  assignments.map(({ type, principal }) => `${type} ${principal.displayName}`);

beforeAll(async () => {
  user = await newUser("kim");
  group = await newGroup("drivers");
  role = await newRole("dispatchers");
});
beforeEach(async () => {
  made += 1;
  path = `${APPLICATIONS}/${await api.create({ name: `assigned ${made}` })}/assignments`;
});

describe("assign", () => {
  test("assigns a user, a group and a role, each once", async () => {
    for (const [type, id, displayName] of [
      ["user", user, "kim"],
      ["group", group, "drivers"],
      ["role", role, "dispatchers"],
    ] as const) {
      const answer = await assign(type, id);
      expect([answer.status, answer.body]).toEqual([
        201,
        {
          id: expect.any(String),
          type,
          principal: { id, displayName },
          createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        },
      ]);
      const location = answer.headers.get("location") ?? "";
      expect(location).toBe(`${api.url}/t/carbon.super${path}/${answer.body.id}`);
      expect((await api.ask("GET", new URL(location).pathname)).body).toEqual(answer.body);
      const again = await assign(type, id);
      expect([again.status, again.body.code]).toEqual([409, "APP-60531"]);
    }
    expect((await list()).totalResults).toBe(3);
  });

  test("of twenty at once one succeeds, and others are 409; different ones all succeed", async () => {
    const same = await Promise.all(Array.from({ length: 20 }, () => assign("user", user)));
    expect(same.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    const users = await Promise.all(Array.from({ length: 8 }, (_, at) => newUser(`racer-${made}-${at}`)));
    expect((await Promise.all(users.map((id) => assign("user", id)))).map(({ status }) => status)).toEqual(
      users.map(() => 201),
    );
    expect((await list()).totalResults).toBe(9);
  });

  test("refuses who does not exist, is of another tenant, or is a role of another application", async () => {
    const acme = await saas.newTenant(`acme${made}.example`);
    const stranger = await acme.newUser("kim");
    const other = await api.create({ name: `other ${made}` });
    const elsewhere = await newRole("there", { audience: { type: "application", value: other } });
    const here = await newRole("here", { audience: { type: "application", value: path.split("/")[5] } });
    for (const [type, id] of [
      ...[["user", NOTHING] as const, ["group", NOTHING] as const, ["role", NOTHING] as const],
      ...[["user", stranger] as const, ["user", group] as const, ["role", elsewhere] as const],
      ["user", "a#b"] as const,
    ]) {
      const { status, body } = await assign(type, id);
      expect([type, id, status, body.code]).toEqual([type, id, 400, "APP-60532"]);
    }
    expect((await assign("role", here)).status).toBe(201);
    expect((await assign("guest", user)).status).toBe(400);
    expect((await api.ask("POST", path, { body: { type: "user" } })).status).toBe(400);
    expect(namesIn(await list())).toEqual(["role here"]);
    expect((await acme.ask("POST", path, { body: { type: "user", id: stranger } })).status).toBe(404);
  });

  test("is 404 for an application that does not exist", async () => {
    const { status, body } = await api.ask("POST", `${APPLICATIONS}/${NOTHING}/assignments`, {
      body: { type: "user", id: user },
    });
    expect([status, body.code]).toEqual([404, "APP-60006"]);
  });

  test("needs the scope that shows what is assigned; names are shown to those who have it", async () => {
    const scopes = ["internal_application_mgt_view", "internal_application_mgt_update"];
    const views = { user: "internal_user_mgt_view", group: "internal_group_mgt_view", role: "internal_role_mgt_view" };
    const ids = { user, group, role };
    for (const type of ["user", "group", "role"] as const) {
      const without = await limited(
        ...scopes,
        ...Object.entries(views).flatMap(([other, scope]) => (other === type ? [] : [scope])),
      );
      const refused = await assign(type, ids[type], { as: without });
      expect([refused.status, refused.body.description]).toEqual([403, expect.stringContaining(views[type])]);
      const withIt = await limited(...scopes, views[type]);
      const answer = await assign(type, ids[type], { as: withIt });
      expect(answer.status, answer.text).toBe(201);
      const seen = (await api.ask("GET", path, { as: without })).body.assignments;
      expect(seen.find((one: { type: string }) => one.type === type).principal).toEqual({ id: ids[type] });
      const own = (await api.ask("GET", path, { as: withIt })).body.assignments;
      expect(own.find((one: { type: string }) => one.type === type).principal).toHaveProperty("displayName");
    }
    const blind = await limited(...scopes);
    expect((await api.ask("GET", `${path}?user=${user}`, { as: blind })).status).toBe(403);
  });
});

describe("listAssignments", () => {
  test("pages through groups, roles and users, and counts them all", async () => {
    const groups = [];
    for (const at of [1, 2, 3]) groups.push(await newGroup(`g${made} ${at}`));
    const users = [];
    for (const at of [1, 2, 3, 4, 5]) users.push(await newUser(`u${made}-${at}`));
    for (const id of users) expect((await assign("user", id)).status).toBe(201);
    await assign("role", role);
    for (const id of groups) expect((await assign("group", id)).status).toBe(201);
    const all = await list();
    expect(all).toMatchObject({ totalResults: 9, startIndex: 1, count: 9, links: [] });
    const expected = [
      ...[1, 2, 3].map((at) => `group g${made} ${at}`),
      "role dispatchers",
      ...[1, 2, 3, 4, 5].map((at) => `user u${made}-${at}`),
    ];
    expect(namesIn(all)).toEqual(expected);
    for (let startIndex = 1; startIndex <= 10; startIndex += 1) {
      for (const count of [1, 2, 4, 20]) {
        const page = await list(`?startIndex=${startIndex}&count=${count}`);
        expect(namesIn(page), `${startIndex} ${count}`).toEqual(expected.slice(startIndex - 1, startIndex - 1 + count));
        expect(page.totalResults).toBe(9);
      }
    }
    const seen: string[] = [];
    for (let next: string | undefined = `${path}?count=4`; next !== undefined; ) {
      const { body } = await sent("GET", next);
      seen.push(...namesIn(body));
      next = body.links.find(({ rel }: { rel: string }) => rel === "next")?.href;
    }
    expect(seen).toEqual(expected);
    const last = (await list("?startIndex=5&count=4")).links.find(({ rel }: { rel: string }) => rel === "previous");
    expect(namesIn((await sent("GET", last.href)).body)).toEqual(expected.slice(0, 4));
    const filtered = await list(`?filter=${encodeURIComponent("type eq user")}&count=2&startIndex=4`);
    expect([filtered.totalResults, namesIn(filtered)]).toEqual([5, expected.slice(7)]);
    expect((await list(`?filter=${encodeURIComponent("type eq role or type eq group")}`)).totalResults).toBe(4);
    expect((await list(`?filter=${encodeURIComponent("type eq device")}`)).totalResults).toBe(0);
    for (const query of ["?filter=name%20eq%20kim", "?startIndex=0", "?count=x"]) {
      expect((await api.ask("GET", `${path}${query}`)).status, query).toBe(400);
    }
  });

  test("says by which assignments a user has access", async () => {
    const driver = await newUser(`driver-${made}`);
    const shift = await newGroup(`shift ${made}`, driver);
    const own = await newRole(`own ${made}`, { users: [{ value: driver }] });
    const inherited = await newRole(`inherited ${made}`, { groups: [{ value: shift }] });
    for (const [type, id] of [
      ...[["group", shift] as const, ["group", group] as const, ["role", own] as const],
      ...[["role", inherited] as const, ["role", role] as const, ["user", driver] as const, ["user", user] as const],
    ]) {
      await assign(type, id);
    }
    const found = await list(`?user=${driver}`);
    expect(namesIn(found).sort()).toEqual(
      [`group shift ${made}`, `role inherited ${made}`, `role own ${made}`, `user driver-${made}`].sort(),
    );
    expect(found.totalResults).toBe(4);
    expect(namesIn(await list(`?user=${driver}&filter=${encodeURIComponent("type eq group")}`))).toEqual([
      `group shift ${made}`,
    ]);
    expect((await list(`?user=${NOTHING}`)).totalResults).toBe(0);
  });

  test("of another tenant is as if it did not exist", async () => {
    const acme = await saas.newTenant(`list${made}.example`);
    const { body } = await assign("user", user);
    for (const to of [path, `${path}/${body.id}`, `${path}/history`]) {
      expect((await acme.ask("GET", to)).status, to).toBe(404);
    }
    expect((await acme.ask("DELETE", `${path}/${body.id}`)).status).toBe(404);
    expect((await list()).totalResults).toBe(1);
  });
});

describe("getAssignment", () => {
  test("shows one, and 404 for what is not assigned", async () => {
    const { body } = await assign("group", group);
    expect((await sent("GET", `${path}/${body.id}`)).body).toEqual(body);
    for (const id of [`user.${user}`, "group.", "x", `role.${group}`, `device.${group}`]) {
      const answer = await api.ask("GET", `${path}/${id}`);
      expect([answer.status, answer.body.code], id).toEqual([404, "APP-60530"]);
    }
  });
});

describe("unassign", () => {
  test("takes an assignment away, once", async () => {
    const { body } = await assign("user", user);
    await sent("DELETE", `${path}/${body.id}`, undefined, 204);
    expect((await list()).totalResults).toBe(0);
    expect((await api.ask("DELETE", `${path}/${body.id}`)).status).toBe(404);
    expect((await assign("user", user)).status).toBe(201);
  });

  test("keeps to If-Match, a dry run and an idempotency key", async () => {
    const dry = await api.ask("POST", `${path}?dryRun=true`, { body: { type: "user", id: user } });
    expect([dry.status, dry.headers.get("dry-run")], dry.text).toEqual([201, "true"]);
    expect((await list()).totalResults).toBe(0);
    const key = { headers: { "idempotency-key": `assign-${made}` } };
    const [first, second] = [await assign("user", user, key), await assign("user", user, key)];
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
    const one = `${path}/${first.body.id}`;
    const etag = (await api.ask("GET", one)).headers.get("etag") ?? "";
    expect((await api.ask("DELETE", one, { headers: { "if-match": '"other"' } })).status).toBe(412);
    expect((await api.ask("DELETE", one, { headers: { "if-match": etag } })).status).toBe(204);
  });
});

describe("those who are deleted", () => {
  test.each(["user", "group", "role"] as const)(
    "a deleted %s is assigned no more, and again when restored",
    async (type) => {
      const ids = {
        user: await newUser(`gone-${made}`),
        group: await newGroup(`gone ${made}`),
        role: await newRole(`gone ${made}`),
      };
      const collections = { user: "/scim2/Users", group: "/scim2/Groups", role: "/scim2/v2/Roles" };
      const other = path;
      await assign(type, ids[type]);
      path = `${APPLICATIONS}/${await api.create({ name: `second ${made}` })}/assignments`;
      await assign(type, ids[type]);
      await assign("user", user);
      await sent("DELETE", `${collections[type]}/${ids[type]}`, undefined, 204);
      expect([(await list()).totalResults, namesIn(await list())]).toEqual([1, ["user kim"]]);
      expect((await sent("GET", other)).body).toMatchObject({ totalResults: 0, assignments: [] });
      expect((await assign(type, ids[type])).status).toBe(400);
      await sent("POST", `${DELETED}/${ids[type]}/restore`);
      expect((await list()).totalResults).toBe(2);
      expect((await sent("GET", other)).body.assignments).toHaveLength(1);
    },
  );

  test("an application that is restored has its assignments, and one that is removed for good has none", async () => {
    await assign("user", user);
    await assign("group", group);
    const at = path.replace("/assignments", "");
    const id = at.split("/").at(-1) ?? "";
    await sent("DELETE", at, undefined, 204);
    expect((await api.ask("GET", path)).status).toBe(404);
    await sent("POST", `${DELETED}/${id}/restore`);
    expect(namesIn(await list())).toEqual(["group drivers", "user kim"]);
    await sent("DELETE", at, undefined, 204);
    await sent("DELETE", `${DELETED}/${id}`, undefined, 204);
    const left = await sent("GET", `${path.replace(id, await api.create({ name: `after ${made}` }))}`);
    expect(left.body.totalResults).toBe(0);
  });
});

describe("listAssignmentsHistory", () => {
  test("names who was assigned and taken away, by whom", async () => {
    await assign("user", user);
    await assign("group", group);
    await sent("DELETE", `${path}/user.${user}`, undefined, 204);
    const { records } = (await sent("GET", `${path}/history`)).body;
    expect(records.map(({ operation }: { operation: string }) => operation)).toEqual(["unassign", "assign", "assign"]);
    expect(records[0]).toMatchObject({
      resource: { type: "assignments", applicationId: path.split("/")[5] },
      changes: [{ op: "remove", path: `/users/${user}` }],
      actor: { type: "user" },
    });
    expect(records[1].changes).toEqual([{ op: "add", path: `/groups/${group}`, value: {} }]);
  });

  describe("getAssignmentsVersion", () => {
    test("shows who was assigned", async () => {
      await assign("user", user);
      await assign("role", role);
      await sent("DELETE", `${path}/user.${user}`, undefined, 204);
      await assign("group", group);
      const { records } = (await sent("GET", `${path}/history`)).body;
      const shown = [];
      for (const { version } of records) shown.push(namesIn((await sent("GET", `${path}/history/${version}`)).body));
      expect(shown).toEqual([
        ["group drivers", "role dispatchers"],
        ["role dispatchers"],
        ["role dispatchers", "user kim"],
        ["user kim"],
      ]);
      const paged = (await sent("GET", `${path}/history/${records[2].version}?startIndex=2`)).body;
      expect([paged.totalResults, namesIn(paged)]).toEqual([2, ["user kim"]]);
    });
  });
});

describe("restoreAssignmentsVersion", () => {
  test("assigns those who were assigned and exist, and no others", async () => {
    const leaving = await newUser(`leaving-${made}`);
    await assign("user", user);
    await assign("user", leaving);
    const [version] = (await sent("GET", `${path}/history`)).body.records;
    await sent("DELETE", `${path}/user.${user}`, undefined, 204);
    await assign("group", group);
    await sent("DELETE", `/scim2/Users/${leaving}`, undefined, 204);
    await sent("POST", `${path}/history/${version.version}/restore`);
    expect([namesIn(await list()), (await list()).totalResults]).toEqual([["user kim"], 1]);
    const [latest] = (await sent("GET", `${path}/history`)).body.records;
    expect(latest).toMatchObject({ operation: "restoreAssignmentsVersion" });
    const blind = await limited("internal_application_mgt_view", "internal_application_mgt_update");
    await sent("DELETE", `${path}/user.${user}`, undefined, 204);
    const refused = await api.ask("POST", `${path}/history/${version.version}/restore`, { as: blind });
    expect(refused.status).toBe(403);
  });
});
