/** SCIM tells all faults of a body in one answer, each with the path of its attribute. */
import { beforeAll, describe, expect, test } from "vitest";
import { toldIn } from "#tests/support/mistakes.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const ID = "01960000-0000-7000-8000-000000000000";
const password = "maple-tree-42";
const ENTERPRISE = "urn:scim:schemas:extension:enterprise:1.0";
const WSO2 = "urn:scim:schemas:extension:wso2:1.0";
const SEARCH = "urn:ietf:params:scim:api:messages:2.0:SearchRequest";

const ids = { user: "", group: "", role: "" };
beforeAll(async () => {
  const created = async (path: string, body: object) => (await api.ask("POST", path, { body })).body.id as string;
  ids.user = await created("/scim2/Users", { userName: "kim", password });
  ids.group = await created("/scim2/Groups", { displayName: "drivers" });
  ids.role = await created("/scim2/v2/Roles", { displayName: "drivers" });
});

/** Its name, the call, the body, the type of the first fault, and what the answer must name, in this order. */
type Row = readonly [name: string, call: string, body: object, scimType: string, ...told: string[]];

const op = (path: unknown, value: unknown = "x", name: unknown = "replace") => ({ op: name, path, value });
const remove = (path: unknown, value?: unknown) => ({ op: "remove", path, value });
const patch = (...Operations: readonly unknown[]): object => ({ Operations });
const many = (count: number) => Array.from({ length: count }, (_, at) => ({ value: `kim${at}@example.org` }));

const users: readonly Row[] = [
  [
    "the rules of a name and of a password",
    "POST /scim2/Users",
    { userName: "k:m", password: "a" },
    "invalidValue",
    "userName must not contain a colon",
    "The password must have",
  ],
  [
    "an unknown user store and a password",
    "POST /scim2/Users",
    { userName: "NOWHERE/kim", password: "a" },
    "invalidValue",
    "userName: Invalid user store domain: NOWHERE",
    "The password must have",
  ],
  [
    "a name, a password, and too many addresses",
    "POST /scim2/Users",
    { userName: "x", password: "a", emails: many(16) },
    "invalidValue",
    "userName must have",
    "The password must have",
    "emails: a user can have at most 15",
  ],
  [
    "two primary addresses and a photo without a type of text",
    "POST /scim2/Users",
    { userName: "lee", password, emails: [{ value: "a@b.cd", primary: true }, { value: "b@b.cd", primary: true }, 5] },
    "invalidSyntax",
    "emails[2].value must be a string",
    "emails has at most one primary value",
  ],
  [
    "a replacement",
    "PUT /scim2/Users/{user}",
    { userName: "k m", password: "b", emails: many(16) },
    "invalidValue",
    "userName must not contain spaces",
    "The password must have",
    "emails: a user can have at most 15",
  ],
  [
    "rules that operations of a PATCH break",
    "PATCH /scim2/Users/{user}",
    patch(op("userName", "x"), op("password", "b"), op("emails", many(16))),
    "invalidValue",
    "userName must have",
    "The password must have",
    "emails: a user can have at most 15",
  ],
];

const patches: readonly Row[] = [
  [
    "structure and values",
    "PATCH /scim2/Users/{user}",
    patch(op("title", "x", "renew"), op("nickName", 5), "x", op(5), op("active", "maybe")),
    "invalidSyntax",
    "Operations[0].op must be add, replace or remove",
    "Operations[1].nickName must be a string",
    "Operations[2] must be an object",
    "Operations[3].path must be a string",
    "Operations[4].active must be true or false",
  ],
  [
    "two faults of one operation",
    "PATCH /scim2/Users/{user}",
    patch(op("titel", "x", "renew"), { op: "renew", path: "nickName", value: 5 }, { op: "renew", path: 5 }),
    "invalidSyntax",
    "Operations[0].op must be",
    "Operations[0]: 'titel' is not an attribute",
    "Operations[1].op must be",
    "Operations[1].nickName must be a string",
    "Operations[2].op must be",
    "Operations[2].path must be a string",
  ],
  [
    "the schema and the operations",
    "PATCH /scim2/Users/{user}",
    { schemas: ["x"], ...patch(op("nickName", 5), remove(undefined)) },
    "invalidSyntax",
    "schemas must contain",
    "Operations[0].nickName",
    "Operations[1].path is required for remove",
  ],
  [
    "the schema and no operations",
    "PATCH /scim2/Users/{user}",
    { schemas: ["x"] },
    "invalidSyntax",
    "schemas",
    "Operations must",
  ],
  [
    "parts of one value",
    "PATCH /scim2/Users/{user}",
    patch(
      op("name", { givenName: 5, familyName: {}, formatted: [5] }),
      op('emails[type eq "work"]', { value: 5, primary: "maybe" }),
      op("emails", [{ value: 5 }, { type: 5 }], "add"),
      remove("emails", [{ value: 5 }, { valu: "x" }]),
    ),
    "invalidSyntax",
    "Operations[0].name.givenName",
    "Operations[0].name.formatted",
    "Operations[1].emails.value",
    "Operations[1].emails.primary",
    "Operations[2].emails[0].value",
    "Operations[2].emails[1].type",
    "Operations[3].emails[0].value",
    "Operations[3].emails[1] has no part",
  ],
  [
    "paths, protected attributes and filters",
    "PATCH /scim2/Users/{user}",
    patch(
      op("titel"),
      op("id"),
      op("emails[typ eq 5 and valu eq 5].value"),
      op("emails[type eq"),
      op("emails[primary eq 5 or type gt true]"),
      remove("userName"),
    ),
    "invalidPath",
    "Operations[0]: 'titel'",
    "Operations[1]: 'id' is read-only",
    "Operations[2]: 'typ'",
    "'valu' at character 21",
    "Operations[3]:",
    "Operations[4]:",
    "Operations[5]: 'userName' is required",
  ],
  [
    "members of extensions",
    "PATCH /scim2/Users/{user}",
    patch(
      op(undefined, { nickName: 5, "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { department: 5 } }),
      op("x:y:z"),
    ),
    "invalidSyntax",
    "Operations[0].nickName",
    "department",
    "Operations[1]: 'x:y:z'",
  ],
  [
    "members of a group",
    "PATCH /scim2/Groups/{group}",
    patch(
      op(`members[value eq "${ID}"].value`),
      op("displayName", 5),
      op("members", [{ value: ID, type: "Group" }], "add"),
    ),
    "mutability",
    "Operations[0]: an element of members can be added or removed",
    "Operations[1].displayName must be a string",
    "members.type: groups cannot be members",
  ],
  [
    "assignees of a role",
    "PATCH /scim2/v2/Roles/{role}",
    patch(op(`users[value eq "${ID}"].value`), op("displayName", 5), op("groups", [{ display: "x" }], "add")),
    "mutability",
    "Operations[0]: an element of users can be added or removed",
    "Operations[1].displayName must be a string",
    "Operations[2].groups[0].value is required",
  ],
  [
    "what the third version of roles has elsewhere",
    "PATCH /scim2/v3/Roles/{role}",
    patch(op("users", [{ value: ID }], "add"), op("groups", [{ value: ID }], "add"), op("displayName", 5)),
    "invalidValue",
    "users: send them to",
    "groups: send them to",
    "Operations[2].displayName",
  ],
  [
    "users of a role",
    "PATCH /scim2/v3/Roles/{role}/Users",
    patch(op('value eq "x"].display'), op(5), op("", [{ value: 5 }], "add")),
    "invalidPath",
    "Operations[0]",
    "Operations[1].path must be a string",
    "Operations[2].users[0].value must be a string",
  ],
];

const groupsAndRoles: readonly Row[] = [
  [
    "nested groups and a name",
    "POST /scim2/Groups",
    { displayName: "x".repeat(256), members: [{ value: ID, type: "Group" }, { value: ID }] },
    "invalidValue",
    "displayName must have 1 to 255",
    "members.type: groups cannot be members",
  ],
  [
    "a name and members that do not exist",
    "POST /scim2/Groups",
    { displayName: "x".repeat(256), members: [{ value: ID }] },
    "invalidValue",
    "displayName must have 1 to 255",
    "members: these are not users",
  ],
  [
    "a replacement of a group",
    "PUT /scim2/Groups/{group}",
    { displayName: "x".repeat(256), members: [{ value: ID }] },
    "invalidValue",
    "displayName must have 1 to 255",
    "members: these are not users",
  ],
  [
    "a role",
    "POST /scim2/v2/Roles",
    {
      displayName: "a#b",
      audience: { type: "app" },
      users: [{ value: ID }],
      groups: [{ value: ID }],
      permissions: ["nope"],
    },
    "invalidValue",
    "displayName must have 1 to 255",
    "audience.type must be",
    `users: these do not exist: "${ID}"`,
    `groups: these do not exist: "${ID}"`,
    "permissions: no API",
  ],
  [
    "a replacement of a role",
    "PUT /scim2/v2/Roles/{role}",
    { displayName: "a#b", users: [{ value: ID }], groups: [{ value: ID }], permissions: ["nope"] },
    "invalidValue",
    "displayName must have 1 to 255",
    `users: these do not exist: "${ID}"`,
    `groups: these do not exist: "${ID}"`,
    "permissions: no API",
  ],
  [
    "a role of the third version",
    "POST /scim2/v3/Roles",
    { users: [{ value: ID }], groups: [{ value: ID }] },
    "invalidValue",
    "users: send them to",
    "groups: send them to",
    "displayName is missing",
  ],
  [
    "a list of users of a role",
    "PUT /scim2/v3/Roles/{role}/Users",
    [{ display: "x" }, { value: ID }, { value: 5 }, {}],
    "invalidValue",
    "users[0].value is required",
    "users[2].value must be a string",
    "users[3].value is required",
  ],
];

const others: readonly Row[] = [
  [
    "a bulk request",
    "POST /scim2/Bulk",
    {
      schemas: ["x"],
      failOnErrors: -1,
      Operations: [
        "x",
        { method: 5, path: "/Users" },
        { method: "POST", path: 5, bulkId: {} },
        { method: "POST", path: "/Users" },
        { method: "POST", path: "/Users", bulkId: "a" },
        { method: "POST", path: "/Users", bulkId: "a", version: 5 },
      ],
    },
    "invalidValue",
    "schemas must contain",
    "failOnErrors must be a whole number",
    "Operations[0] must be an object",
    "Operations[1].method must be a string",
    "Operations[2].path must be a string",
    "Operations[2].bulkId must be a string",
    "Operations[3].bulkId is required",
    "Operations[5].version must be a string",
    'Operations[5].bulkId: "a" is used twice',
  ],
  [
    "a bulk request without operations",
    "POST /scim2/Bulk",
    { failOnErrors: "x" },
    "invalidValue",
    "failOnErrors",
    "Operations must be a list",
  ],
  ...["/scim2/Users/.search", "/scim2/Groups/.search", "/scim2/v2/Roles/.search"].map(
    (path): Row => [
      `a search at ${path}`,
      `POST ${path}`,
      { schemas: ["x"], attributes: 5, filter: {}, startIndex: [], sortBy: 5, count: "many" },
      "invalidValue",
      "schemas must contain",
      "attributes must be an array",
      "filter must be a string",
      "sortBy must be a string",
      "startIndex must be a whole number",
      "count must be a whole number",
    ],
  ),
  ...["/scim2/Users/.search", "/scim2/Groups/.search", "/scim2/v2/Roles/.search"].map(
    (path): Row => [
      `rules of a search at ${path}`,
      `POST ${path}`,
      { filter: 'nope eq "x" and id gt true or nop eq 5', sortBy: "nme", sortOrder: "up", count: 201, cursor: "" },
      "invalidFilter",
      "'nope' at character 1",
      "'nop' at character",
      "sortBy: 'nme'",
      "sortOrder",
      "count must be at most",
    ],
  ),
  [
    "a search of everything",
    "POST /scim2/.search",
    { schemas: [SEARCH], sortBy: "userName", filter: "userName eq", cursor: "", count: "x" },
    "invalidValue",
    "cannot be sorted together",
    "cannot be paged by cursor",
    "count must be a whole number",
    "Invalid filter at character",
  ],
];

const scim1: readonly Row[] = [
  [
    "a user",
    "POST /svc/scim/Users",
    {
      userName: 5,
      emails: [{ value: 5, operation: "delete" }],
      [ENTERPRISE]: { department: 5 },
      [WSO2]: { manager: 5, employeeNumber: [], costCenter: {} },
    },
    "",
    "userName must be a string",
    "department must be a string",
    "emails[0].value must be a string",
  ],
  [
    "extensions",
    "POST /svc/scim/Users",
    { [ENTERPRISE]: 5, [WSO2]: { department: 5, costCenter: 5 }, title: 5 },
    "",
    "title must be a string",
    `${ENTERPRISE} must be an object`,
    `${WSO2}.costCenter`,
    `${WSO2}.department`,
    "userName is missing",
  ],
  [
    "rules of a user",
    "POST /svc/scim/Users",
    { userName: "x", password: "a", emails: many(16) },
    "",
    "userName must have",
    "The password must",
    "emails: a user",
  ],
  [
    "a change of a user",
    "PATCH /svc/scim/Users/{user}",
    { id: "x", title: 5, meta: { attributes: ["userName", "id"] }, emails: [{ type: 5, operation: "delete" }] },
    "",
    "The id in the body",
    "title must be a string",
    "emails[0].type must be a string",
    "meta.attributes: userName cannot be removed",
    "meta.attributes: id cannot be removed",
  ],
  ["a replacement", "PUT /svc/scim/Users/{user}", { title: 5 }, "", "title must be", "userName is missing"],
  [
    "a group",
    "POST /svc/scim/Groups",
    { displayName: "NOWHERE/x", members: [{ value: ID, type: "group" }] },
    "",
    "displayName: Invalid user store domain: NOWHERE",
    "members.type: groups cannot",
  ],
  [
    "shapes of a group",
    "POST /svc/scim/Groups",
    { members: [{ value: 5 }], externalId: 5 },
    "",
    "externalId must be",
    "members[0].value must be",
    "displayName is missing",
  ],
  [
    "a change of a group",
    "PATCH /svc/scim/Groups/{group}",
    { id: "x", members: [{ value: 5 }, { value: 5, operation: "delete" }], meta: { attributes: 5 } },
    "",
    "The id in the body",
    "members[0].value",
    "members[1].value",
    "meta.attributes must be",
  ],
  [
    "a bulk request",
    "POST /svc/scim/Bulk",
    { failOnErrors: -1, Operations: ["x", { method: 5, path: 5 }] },
    "",
    "failOnErrors",
    "Operations[0] must be",
    "Operations[1].method",
    "Operations[1].path",
  ],
];

async function answerTo(call: string, body: object) {
  const [method = "", path = ""] = call
    .replace(/\{(user|group|role)\}/, (_, kind: keyof typeof ids) => ids[kind])
    .split(" ");
  return api.ask(method, path, { body });
}

describe.each<[string, readonly Row[]]>([
  ["users", users],
  ["PATCH", patches],
  ["groups and roles", groupsAndRoles],
  ["bulk and search", others],
  ["SCIM 1.1", scim1],
])("%s", (_, rows) => {
  const each = rows.map(([name, call, body, scimType, ...told]) => ({ name, call, body, scimType, told }));
  test.each(each)("tells all faults of $name", async ({ call, body, scimType, told }) => {
    const answer = await answerTo(call, body);
    const text = toldIn(answer);
    expect(answer.status, text).toBe(400);
    expect(
      told.filter((one) => !text.includes(one)),
      text,
    ).toEqual([]);
    expect(answer.body.scimType ?? "", text).toBe(scimType);
  });
});

test("tells the path and the method of a bulk operation in its outcome", async () => {
  const Operations = [{ method: "GET", path: "/Nowhere" }];
  const { body } = await answerTo("POST /scim2/Bulk", { Operations });
  const [{ status, response }] = body.Operations;
  expect(status).toBe("404");
  expect(response.detail).toContain(
    'path must be /Users or /Groups or /v2/Roles, with or without an id, not "/Nowhere"',
  );
  expect(response.detail).toContain('method must be POST, PUT, PATCH or DELETE, not "GET"');
});

describe("many faults", () => {
  const wide = Array.from({ length: 5_000 }, (_, at) => [`e${at}`, at] as const);
  const rows: [string, string, object][] = [
    [
      "5,000 elements",
      "POST /scim2/Users",
      { userName: "lee", password, phoneNumbers: wide.map(([, value]) => ({ value })) },
    ],
    ["1,000 operations", "PATCH /scim2/Users/{user}", patch(...wide.slice(0, 1_000).map(() => ({ op: "x", path: 5 })))],
    [
      "5,000 elements of one operation",
      "PATCH /scim2/Users/{user}",
      patch(
        op(
          "emails",
          wide.map(([, value]) => ({ value })),
        ),
      ),
    ],
    [
      "5,000 elements to remove",
      "PATCH /scim2/Users/{user}",
      patch(
        remove(
          "emails",
          wide.map(([, value]) => ({ value })),
        ),
      ),
    ],
    [
      "1,000 operations in bulk",
      "POST /scim2/Bulk",
      { Operations: wide.slice(0, 1_000).map(() => ({ method: 5, path: 5 })) },
    ],
    ["5,000 users of a role", "PUT /scim2/v3/Roles/{role}/Users", wide.map(([, value]) => ({ value }))],
    [
      "4,000 marked elements",
      "POST /svc/scim/Users",
      { userName: "lee", emails: wide.slice(0, 4_000).map(([, value]) => ({ value, operation: "delete" })) },
    ],
    [
      "1,000 names to remove",
      "PATCH /svc/scim/Users/{user}",
      {
        meta: {
          attributes: wide
            .slice(0, 1_000)
            .map(([name]) => `x${name}`)
            .fill("id", 0, 30),
        },
      },
    ],
  ];
  test.each<[string, string, object]>(rows)(
    "of %s are told in part, and the answer says so",
    async (_name, call, body) => {
      const answer = await answerTo(call, body);
      const text = toldIn(answer);
      expect(answer.status, text).toBe(400);
      expect(text.length).toBeLessThan(5_000);
      if (!text.includes("cannot be removed")) expect(text).toMatch(/ There are more\.$/);
    },
  );
});

test("what comes before and after the faults of a body stays so", async () => {
  const missing = await api.ask("PATCH", `/scim2/Users/${ID}`, { body: patch(op("nickName"), op("title")) });
  expect([missing.status, toldIn(missing)]).toEqual([404, `User with id: ${ID} not found in the user store.`]);
  const taken = await api.ask("POST", "/scim2/Users", { body: { userName: "kim", password } });
  expect([taken.status, taken.body.scimType]).toEqual([409, "uniqueness"]);
  const old = await api.ask("PUT", `/scim2/Users/${ids.user}`, {
    body: { userName: "x", password: "a" },
    headers: { "if-match": 'W/"0"' },
  });
  expect(old.status).toBe(412);
});
