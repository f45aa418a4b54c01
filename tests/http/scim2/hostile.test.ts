/**
 * Hostile input returns
 * the right status, scimType and detail, changes nothing, and does not stop the service.
 */
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addUser } from "#tests/support/people.ts";
import { fresh, NEGOTIATED, refusal, type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { ADMIN, type Answer, type Ask, basic, world } from "#tests/support/world.ts";

const api = world({ deployment: NEGOTIATED });
const scim = scimOf(api);
const { ask, get } = scim;
let kim: Shown;
let group: Shown;
let before: unknown;
/** All resources, as they are shown. */
const everything = async () => [(await get("/Users")).body, (await get("/Groups")).body];

/** Sends a path as it is; fetch would normalise it. */
const raw = (method: string, path: string, headers: Record<string, string> = { authorization: basic(ADMIN) }) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const { hostname, port } = new URL(api.url);
    const sent = request({ hostname, port, method, path, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (part: string) => {
        text += part;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    sent.on("error", reject);
    sent.end();
  });

beforeAll(async () => {
  kim = await scim.user({ userName: "kim", title: "T" });
  group = await scim.group({ displayName: "crew", members: [{ value: kim.id }] });
  before = await everything();
});
/** Checks that nothing changed; ends every group of tests. */
const nothingHasChanged = () =>
  afterAll(async () => {
    expect(await everything()).toEqual(before);
  });

/** The operations that read a body. */
const bodies = (): readonly [string, string][] => [
  ["POST", "/Users"],
  ["PUT", `/Users/${kim.id}`],
  ["PATCH", `/Users/${kim.id}`],
  ["POST", "/Users/.search"],
  ["POST", "/Groups"],
  ["PATCH", `/Groups/${group.id}`],
  ["PATCH", "/Me"],
  ["POST", "/Bulk"],
];
const everywhere = (options: Ask): Promise<Answer[]> =>
  Promise.all(bodies().map(([method, path]) => ask(method, path, options)));
/** Two operations are enough: all share one reader. */
const somewhere = (options: Ask): Promise<Answer[]> =>
  Promise.all(
    bodies()
      .slice(4, 6)
      .map(([method, path]) => ask(method, path, options)),
  );

describe("JSON", () => {
  nothingHasChanged();
  const op = (value: string) => `{"Operations":[{"op":"add","value":${value}}]}`;
  test.each<[string, string]>([
    ["a prototype", '{"userName":"proto","__proto__":{"admin":true}}'],
    ["a prototype within", '{"userName":"proto","name":{"__proto__":{"givenName":"x"}}}'],
    ["a prototype in an operation", op('{"__proto__":{"title":"x"}}')],
    [
      "a prototype in bulk data",
      '{"Operations":[{"method":"POST","path":"/Users","bulkId":"x","data":{"userName":"proto","__proto__":{}}}]}',
    ],
    ["a name twice", '{"userName":"aaa","userName":"admin2"}'],
    ["half a surrogate pair in a name", '{"userName":"half","\\ud800":1}'],
    ["half a surrogate pair", '{"userName":"half\\udc00"}'],
    ["30,000 levels of lists", `{"userName":"deep","emails":${"[".repeat(30_000)}${"]".repeat(30_000)}}`],
    ["200 levels of objects", `{"userName":"deep","x":${'{"x":'.repeat(200)}1${"}".repeat(200)}}`],
    ["a number above the maximum", '{"userName":"big","x":1e400}'],
    ["a trailing comma", '{"userName":"comma",}'],
    ["a comment", '{"userName":"comment"/* x */}'],
    ["two texts", '{"userName":"one"}{"userName":"two"}'],
    ["a byte order mark", '\ufeff{"userName":"mark"}'],
    ["a list", '[{"userName":"list"}]'],
    ["null", "null"],
    ["only blanks", "   "],
  ])("returns 400 invalidSyntax for %s", async (_, text) => {
    for (const answer of await somewhere({ raw: text })) expect(refusal(answer, 400, "invalidSyntax")).toMatch(/\.$/);
    expect({}).not.toHaveProperty("admin");
  });
  test("returns 400 invalidSyntax for constructor.prototype, and ignores other inherited names", async () => {
    const body = { userName: "kim", title: "T", toString: "x", hasOwnProperty: { a: 1 }, prototype: { x: 1 } };
    const wrong = { ...body, constructor: { prototype: { admin: true } } };
    refusal(await ask("PUT", `/Users/${kim.id}`, { body: wrong }), 400, "invalidSyntax");
    const answer = await ask("PUT", `/Users/${kim.id}`, { body });
    expect([answer.status, answer.body]).toEqual([200, await scim.read(`/Users/${kim.id}`)]);
    expect({}).not.toHaveProperty("admin");
  });
  test("returns 400 invalidSyntax for 10,001 members", async () => {
    const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`a${n}`, 1]));
    refusal(await ask("POST", "/Users", { body: { userName: "many", ...many } }), 400, "invalidSyntax");
  });
  test("returns 400 invalidSyntax for bytes that are not UTF-8", async () => {
    for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80]]) {
      const text = Buffer.concat([Buffer.from('{"userName":"bytes'), Buffer.from(bytes), Buffer.from('"}')]);
      const headers = { "content-type": "application/scim+json" };
      for (const answer of await everywhere({ raw: text, headers })) refusal(answer, 400, "invalidSyntax");
    }
  });
  test.each([
    ["application/json; charset=utf-16", undefined],
    ["application/json", "gzip"],
    ["text/plain", undefined],
  ])("returns 415 for the type %j, encoded as %j", async (type, encoding) => {
    const headers = { "content-type": type, ...(encoding && { "content-encoding": encoding }) };
    for (const answer of await everywhere({ raw: '{"userName":"typed"}', headers })) refusal(answer, 415);
  });
  test("returns 413 for a body of more than 1 MB", async () => {
    const body = JSON.stringify({ userName: "large", x: "x".repeat(1_048_576) });
    for (const answer of await somewhere({ raw: body })) expect(refusal(answer, 413)).toMatch(/1048576/);
  });
});

describe("PATCH", () => {
  nothingHasChanged();
  test("returns 413 with the limit for 10,000 operations of any kind", async () => {
    for (const path of [`/Users/${kim.id}`, `/Groups/${group.id}`, "/Me"]) {
      const Operations = Array.from({ length: 10_000 }, () => ({ op: "add", path: "title", value: "x" }));
      expect(refusal(await ask("PATCH", path, { body: { Operations } }), 413)).toMatch(/10000 operations.*1000/);
    }
  });
  test("returns 400 for paths to what cannot be changed", async () => {
    for (const [path, scimType] of [
      ["id", "mutability"],
      ["meta.created", "mutability"],
      ["password.hash", "invalidPath"],
      ["__proto__.x", "invalidPath"],
      ["constructor", "invalidPath"],
      [`${URN.user}:password`, "mutability"],
      [`${"(".repeat(1_000)}`, "invalidPath"],
      [`emails[${"(".repeat(200)}value pr${")".repeat(200)}]`, "invalidPath"],
      [`emails[value eq "${"x".repeat(10_000)}"]`, "invalidPath"],
      ["x".repeat(10_000), "invalidPath"],
      ["emails[value eq \u0022\\ud800\u0022]", "invalidPath"],
    ] as const) {
      refusal(await scim.patch(`/Users/${kim.id}`, { op: "remove", path }), 400, scimType);
    }
  });
  test("returns 413 for operations with quadratic cost", async () => {
    const roles = Array.from({ length: 100 }, (_, n) => `role-${n}`);
    const filter = Array.from({ length: 150 }, (_, n) => `value eq "${n}"`).join(" or ");
    const Operations = [
      { op: "add", path: "roles", value: roles },
      ...Array.from({ length: 150 }, () => ({ op: "remove", path: `roles[${filter}]` })),
    ];
    const answer = await ask("PATCH", `/Users/${kim.id}`, { body: { Operations } });
    refusal(answer, 413);
  });
});

describe("resources", () => {
  nothingHasChanged();
  test("ignores what only the service can set", async () => {
    const { body } = await ask("PUT", `/Users/${kim.id}`, {
      body: {
        ...kim,
        id: "x",
        meta: { version: "x" },
        groups: [],
        tenant: "other",
        version: 99,
        groupIds: ["x"],
        roleIds: ["admin"],
        hasPassword: true,
        [URN.system]: { isReadOnlyUser: true, accountState: "LOCKED", failedPushAuthAttempts: 9 },
      },
    });
    expect(body).toEqual(await scim.read(`/Users/${kim.id}`));
    expect(body.groups).toHaveLength(1);
  });
  test("stores a role that a client writes as a word without privileges, and ignores assigned roles that come back", async () => {
    const as = { username: "climber", password: "a-good-password" };
    const roles = [
      { value: "admin", display: "admin", type: "default", $ref: "http://x/scim2/v2/Roles/y" },
      { value: "admin" },
    ];
    const made = await scim.user({ userName: as.username, password: as.password, roles });
    const path = `/Users/${made.id}`;
    expect(made.roles).toEqual([{ value: "admin" }]);
    expect((await scim.patched(path, { op: "replace", value: { roles } })).roles).toEqual([{ value: "admin" }]);
    refusal(await ask("GET", "/Users", { as }), 403);
    expect((await ask("DELETE", path)).status).toBe(204);
    const admin = (await scim.find('userName eq "admin"')).Resources[0];
    expect(admin.roles).toHaveLength(1);
    expect((await ask("PUT", `/Users/${admin.id}`, { body: admin })).body).toEqual(admin);
  });
  test("rejects names that could be taken for others", async () => {
    for (const userName of [
      "ADMIN",
      "NOPE/kim",
      "APPLICATION/kim",
      "PRIMARY/PRIMARY/kim",
      "/kim",
      "u".repeat(300),
      " \t ",
      "a\r\nb: c",
    ]) {
      const { status } = await ask("POST", "/Users", { body: { userName } });
      expect([400, 409]).toContain(status);
    }
  });
  test("returns 400 for thousands of members that are not users, and adds none", async () => {
    const nobodies = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ value: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}` }));
    for (const [method, path, body, more] of [
      ["POST", "/Groups", { displayName: "huge", members: nobodies(10_000) }, 9_995],
      ["PUT", `/Groups/${group.id}`, { displayName: "crew", members: nobodies(500) }, 495],
      ["PATCH", `/Groups/${group.id}`, { Operations: [{ op: "add", path: "members", value: nobodies(500) }] }, 495],
    ] as const) {
      expect(refusal(await ask(method, path, { body }), 400, "invalidValue")).toMatch(`and ${more} more`);
    }
  });
  test("rejects a group as a member, also of itself", async () => {
    for (const member of [{ value: group.id }, { value: group.id, type: "Group" }]) {
      refusal(
        await scim.patch(`/Groups/${group.id}`, { op: "add", path: "members", value: [member] }),
        400,
        "invalidValue",
      );
    }
  });
  test("treats log and terminal sequences as text", async () => {
    const title = "$\u007bjndi:ldap://x} %n\u001b[31m \u2028 <script>alert(1)</script>";
    const { id } = await scim.user({ userName: "$\u007bjndi.x}", title });
    expect((await scim.read(`/Users/${id}`)).title).toBe(title);
    await ask("DELETE", `/Users/${id}`);
  });
});

describe("the address", () => {
  nothingHasChanged();
  test("returns 400 for broken escapes in the address", async () => {
    for (const query of ["filter=%", "filter=%zz", "filter=%ff", "filter=%ED%A0%80", "count=%"]) {
      expect((await raw("GET", `/scim2/Users?${query}`)).status).toBe(400);
    }
  });
  test("bounds a list of attributes of 10 KB, and keeps id and schemas", async () => {
    const attributes = Array.from({ length: 1_200 }, (_, n) => `a${n}`).join(",");
    refusal(await get(`/Users/${kim.id}`, { attributes }), 400, "invalidValue");
    expect((await get(`/Users/${kim.id}`, { attributes: "__proto__" })).body).toEqual({
      schemas: [URN.user],
      id: kim.id,
    });
  });
});

describe("paths and methods", () => {
  nothingHasChanged();
  test.each([
    "//scim2/Users",
    "/scim2//Users",
    "/./scim2/Users",
    "/scim2/./Users",
    "/x/../scim2/Users",
    "/scim2/%2e%2e/scim2/Users",
    "/scim2/..;/Users",
    "/scim2/Users;x=1",
    "/scim2\\Users",
    "/scim2%5cUsers",
    "/scim2/Users%00",
    "/scim2/Users%0d%0aX:y",
    "/SCIM2/Users",
    "/scim2/users",
    "/scim2/Users.json",
    "/scim2/Users%20",
    "/oauth2/token/../../scim2/Users",
    "/t/evil.example/scim2/Users",
    "/t/carbon.super/t/carbon.super/scim2/Users",
    "/t//scim2/Users",
    "/t/../scim2/Users",
    "/o/scim2/Users",
  ])("returns no list for %s, with and without a credential", async (path) => {
    for (const headers of [undefined, {}]) {
      const { status, text } = await raw("GET", path, headers);
      expect([400, 401, 404]).toContain(status);
      expect(text).not.toContain("totalResults");
    }
  });
  test("ignores a method in a header or in the address", async () => {
    const headers = { "x-http-method-override": "DELETE", "x-method-override": "DELETE" };
    expect((await ask("GET", `/Users/${kim.id}?_method=DELETE`, { headers })).status).toBe(200);
    refusal(await ask("POST", `/Users/${kim.id}`, { body: {}, headers }), 405);
  });
  test("returns 403 for a search with the scope to create users", async () => {
    const as = { username: "maker", password: "a long enough password" };
    const id = await addUser(api.service, { ...as, scopes: ["internal_user_mgt_create"] });
    refusal(await ask("POST", "/Users/.search", { as, body: {} }), 403);
    refusal(await ask("POST", "/.search", { as, body: {} }), 403);
    const made = await ask("POST", "/Users/", { as, body: { userName: "made-by-maker" } });
    expect(made.status).toBe(201);
    for (const one of [id, made.body.id]) await ask("DELETE", `/Users/${one}`);
  });
  test("returns 401 for HEAD without a credential and 200 with one, without a body", async () => {
    const path = `/scim2/Users/${kim.id}`;
    expect(await raw("HEAD", path, {})).toEqual({ status: 401, text: "" });
    expect(await raw("HEAD", path)).toEqual({ status: 200, text: "" });
  });
  test("links to the configured host, whatever the request says", async () => {
    const headers = { "x-forwarded-host": "evil.example", forwarded: "host=evil.example" };
    expect((await ask("GET", `/Users/${kim.id}`, { headers })).body.meta.location).toMatch(new RegExp(`^${api.url}/`));
  });
  test("C225 reveals no secret and no internals in errors", async () => {
    const secret = "s3cr3t-w0rd";
    const answers = [
      await get("/Users", { filter: `password eq "${secret}"` }),
      await get("/Users", { password: secret, count: "x" }),
      await ask("POST", "/Users", { body: { userName: "kim", password: secret } }),
      await ask("POST", "/Users", { body: { userName: "secretive", password: `${secret}\t` } }),
      await ask("POST", "/Users", { raw: `{"password":"${secret}"` }),
      await ask("GET", "/Users", { as: basic({ username: "kim", password: secret }) }),
      await get(`/Users/${"x".repeat(3_000)}`),
    ];
    for (const { status, text } of answers) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(text).not.toContain(secret);
      expect(text).not.toMatch(/\.ts|node_modules|dynamo|at \w+ \(|identity-admin-api|stack/i);
    }
  });
  test("returns 404 for a second deletion", async () => {
    const { id } = await scim.user({ userName: fresh("twice") });
    const statuses = [await ask("DELETE", `/Users/${id}`), await ask("DELETE", `/Users/${id}`)].map(
      ({ status }) => status,
    );
    expect(statuses).toEqual([204, 404]);
  });
});
