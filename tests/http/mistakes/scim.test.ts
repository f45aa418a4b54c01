/** Mistakes in requests of SCIM 2.0 and SCIM 1.1: each answer says where it is and what to change. */
import { beforeAll, describe, expect, test } from "vitest";
import { type Mistake, type MistakeRow, testMistakes, toldIn } from "#tests/support/mistakes.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const USERS = "POST /scim2/Users";
const ID = "01960000-0000-7000-8000-000000000000";

let kim = "";
let drivers = "";
beforeAll(async () => {
  kim = (await api.ask("POST", "/scim2/Users", { body: { userName: "kim", password: "maple-tree-42" } })).body.id;
  drivers = (await api.ask("POST", "/scim2/Groups", { body: { displayName: "drivers" } })).body.id;
});

const strict = { prefer: "handling=strict" };
const list = (query: string): Mistake => ({ call: `GET /scim2/Users?${query}` });
const to = (call: string, body: unknown): Mistake => ({ call, body });
const patch = (...Operations: readonly unknown[]): Mistake => ({
  call: () => `PATCH /scim2/Users/${kim}`,
  body: { Operations },
});

describe("bodies of users", () => {
  const rows: readonly MistakeRow[] = [
    ["nothing", { body: {} }, 400, "attribute userName is missing", "attribute password is missing"],
    [
      "a misspelt name",
      { body: { usrName: "lee", password: "maple-tree-42" } },
      400,
      "userName is missing",
      "body.usrName is unknown: did you mean userName?",
    ],
    ["a number as the name", { body: { userName: 5 } }, 400, "userName", "must be a string, not a number"],
    ["a text as an object", { body: { userName: "lee", name: "Lee" } }, 400, "name", "must be an object, not a string"],
    ["a word as a flag", { body: { userName: "lee", active: "maybe" } }, 400, "active", "must be true or false"],
    [
      "a number in a list",
      { body: { userName: "lee", phoneNumbers: [{ value: "1" }, { type: 5 }] } },
      400,
      "phoneNumbers[1].type",
      "must be a string",
    ],
    ["a short password", { body: { userName: "lee", password: "a" } }, 400, "password", "8 to 100 characters"],
    ["a name in use", { body: { userName: "kim", password: "maple-tree-42" } }, 409, "name: kim", "already exists"],
    [
      "a misspelt member where members must be known",
      { body: { userName: "lee", emails: [{ valu: "a@b.cd" }] }, headers: strict },
      400,
      "body.emails[0].valu",
      "did you mean value?",
    ],
    ["no body", {}, 400, "This operation requires", "a JSON body"],
    ["no JSON", { raw: '{"userName": "lee"' }, 400, "Line 1, column 19", "expected a closing brace or a comma"],
    ["XML", { raw: "<a/>", headers: { "content-type": "text/xml" } }, 415, "Content-Type", "application/scim+json"],
    [
      "a page of HTML wanted",
      { call: "GET /scim2/Users", headers: { accept: "text/html" } },
      406,
      "Accept",
      "scim+json",
    ],
  ];
  testMistakes(api, USERS, rows);
});

describe("lists and ids", () => {
  const rows: readonly MistakeRow[] = [
    ["an unknown id", { call: `GET /scim2/Users/${ID}` }, 404, `id: ${ID}`, "not found"],
    [
      "a misspelt attribute",
      list("filter=userNam+eq+%22x%22"),
      400,
      "'userNam' at character 1",
      "Did you mean userName?",
    ],
    ["a misspelt operator", list("filter=userName+eqq+%22x%22"), 400, "character 10", "Use eq, ne, co"],
    ["no closing quote", list("filter=userName+eq+%22x"), 400, "character 13", "the closing quote is missing"],
    ["no parenthesis", list("filter=(userName+eq+%22x%22"), 400, "character 17", "expected the closing parenthesis"],
    ["a count that is no number", list("count=abc"), 400, "count", "must be a whole number"],
    ["a misspelt order", list("sortBy=userNam"), 400, "sortBy: 'userNam'", "Did you mean userName?"],
    ["a misspelt direction", list("sortBy=userName&sortOrder=up"), 400, "sortOrder", "'ascending' or 'descending'"],
    ["a misspelt path", { call: "GET /scim2/Userss" }, 404, "this path", "Did you mean /scim2/Users?"],
    ["a method", { call: "PATCH /scim2/Users", body: {} }, 405, "/scim2/Users", "supports GET, POST, not PATCH"],
  ];
  testMistakes(api, USERS, rows);
});

describe("PATCH", () => {
  const op = (path: string, value: unknown = "x", name = "replace") => ({ op: name, path, value });
  const rows: readonly MistakeRow[] = [
    [
      "one operation without its list",
      { call: () => `PATCH /scim2/Users/${kim}`, body: op("nickName") },
      400,
      "Operations",
      "must be a list of objects with op, path and value",
    ],
    [
      "a misspelt list",
      { call: () => `PATCH /scim2/Users/${kim}`, body: { Operation: [op("nickName")] } },
      400,
      "body.Operation is unknown",
      "did you mean Operations?",
    ],
    ["an unknown operation", patch(op("nickName", "x", "update")), 400, "Operations[0].op", "add, replace or remove"],
    [
      "a misspelt path",
      patch(op("nickName"), op("nickNam")),
      400,
      "Operations[1]: 'nickNam'",
      "Did you mean nickName?",
    ],
    ["a misspelt part", patch(op("name.givenNam")), 400, "'name.givenNam'", "Did you mean name.givenName?"],
    ["a JSON pointer", patch(op("/nickName")), 400, "'/nickName'", "Did you mean nickName?"],
    ["no such element", patch(op('emails[type eq "x"].value')), 400, "Operations[0]", "no element of 'emails' matches"],
    ["the removal of nothing", patch({ op: "remove" }), 400, "Operations[0].path", "is required for remove"],
    ["a read-only attribute", patch(op("id")), 400, "Operations[0]: 'id'", "is read-only"],
    ["a number as a text", patch(op("nickName", 5)), 400, "Operations[0].nickName", "must be a string, not a number"],
    [
      "the schema of another message",
      { call: () => `PATCH /scim2/Users/${kim}`, body: { schemas: ["x"], Operations: [] } },
      400,
      "schemas",
      "must contain urn:ietf:params:scim:api:messages:2.0:PatchOp",
    ],
  ];
  testMistakes(api, USERS, rows);
});

describe("groups and roles", () => {
  const role = (more: object) => to("POST /scim2/v2/Roles", { displayName: "r", ...more });
  const rows: readonly MistakeRow[] = [
    ["a group without a name", to("POST /scim2/Groups", {}), 400, "displayName", "is missing"],
    ["a group in use", to("POST /scim2/Groups", { displayName: "drivers" }), 409, "name: drivers", "already exists"],
    [
      "a member by another name",
      to("POST /scim2/Groups", { displayName: "g", members: [{ id: ID }] }),
      400,
      "members[0].value",
      "is required",
    ],
    [
      "a member that is no user",
      to("POST /scim2/Groups", { displayName: "g", members: [{ value: "nope" }] }),
      400,
      'members: these are not users of the group\'s user store: "nope"',
      "Send the ids of /scim2/Users.",
    ],
    [
      "a misspelt path of a group",
      {
        call: () => `PATCH /scim2/Groups/${drivers}`,
        body: { Operations: [{ op: "add", path: "member", value: [] }] },
      },
      400,
      "Operations[0]: 'member'",
      "Did you mean members?",
    ],
    [
      "a misspelt permission",
      role({ permissions: [{ value: "internal_user_mgt_lst" }] }),
      400,
      'permissions: no API has these scopes: "internal_user_mgt_lst"',
      "Did you mean internal_user_mgt_list?",
    ],
    ["an unknown permission", role({ permissions: ["x"] }), 400, '"x"', "GET /api/server/v1/scopes lists them"],
    ["another audience", role({ audience: { type: "app" } }), 400, "audience.type", "organization or application"],
    [
      "unknown users and groups",
      role({ users: [{ value: "x" }], groups: [{ value: "y" }] }),
      400,
      'users: these do not exist: "x". Send the ids of /scim2/Users.',
      'groups: these do not exist: "y". Send the ids of /scim2/Groups.',
    ],
    [
      "an unknown bulk method",
      to("POST /scim2/Bulk", { Operations: [{ method: "POST" }] }),
      400,
      "Operations[0]",
      "required",
    ],
  ];
  testMistakes(api, USERS, rows);
});

describe("SCIM 1.1", () => {
  const rows: readonly MistakeRow[] = [
    ["no name", { body: {} }, 400, "userName", "is missing"],
    ["a name in use", { body: { userName: "kim", password: "maple-tree-42" } }, 409, "name: kim", "already exists"],
    ["no JSON", { raw: '{"userName": ' }, 400, "Line 1, column 14", "expected a value"],
    ["XML", { raw: "<a/>", headers: { "content-type": "text/xml" } }, 415, "Content-Type", "application/json"],
    [
      "a word as operator",
      { call: "GET /svc/scim/Users?filter=userName+is+x" },
      400,
      '"userName is x"',
      "the operator Eq",
    ],
    [
      "a misspelt attribute",
      { call: "GET /svc/scim/Users?filter=userNam+Eq+%22x%22" },
      400,
      '"userNam"',
      "Did you mean userName?",
    ],
    ["no operations", to("POST /svc/scim/Bulk", {}), 400, "Operations", "must be a list"],
  ];
  testMistakes(api, "POST /svc/scim/Users", rows);
});

describe("all faults at once", () => {
  const wrong = { userName: 5, name: "Lee", emails: [{ value: {} }, "a@b.cd", { type: 3 }], active: "maybe" };
  const told =
    "Attribute userName must be a string, not a number. Attribute name must be an object, not a string. " +
    "Attribute active must be true or false. Attribute emails[2].type must be a string, not a number.";
  test.each(["/scim2/Users", "/svc/scim/Users"])("of a body of POST %s", async (path) => {
    const answer = await api.ask("POST", path, { body: { ...wrong, password: "maple-tree-42" } });
    expect([answer.status, toldIn(answer)]).toEqual([400, told]);
  });
  test("what is missing too", async () => {
    const answer = await api.ask("POST", "/scim2/Users", { body: { nickName: [], title: 5, active: "x" } });
    expect(toldIn(answer)).toBe(
      "Attribute title must be a string, not a number. Attribute active must be true or false. " +
        "Required attribute userName is missing in the SCIM object. " +
        "Required attribute password is missing in the SCIM object.",
    );
  });
  test("of all operations of a PATCH", async () => {
    const Operations = [
      { op: "replace", value: { nickName: 5, active: "x" } },
      { op: "replace", path: "titel", value: "x" },
      { op: "replace", path: "id", value: "x" },
    ];
    const answer = await api.ask("PATCH", `/scim2/Users/${kim}`, { body: { Operations } });
    expect([answer.body.scimType, toldIn(answer)]).toEqual([
      "invalidSyntax",
      "Attribute Operations[0].nickName must be a string, not a number. " +
        "Attribute Operations[0].active must be true or false. " +
        "Operations[1]: 'titel' is not an attribute of User. Did you mean title? Operations[2]: 'id' is read-only.",
    ]);
    expect((await api.ask("GET", `/scim2/Users/${kim}`)).body.nickName).toBeUndefined();
  });
  test("at most 20 of them, in time that does not depend on their number", async () => {
    const phoneNumbers = Array.from({ length: 9_000 }, () => ({ type: 5 }));
    const answer = await api.ask("POST", "/scim2/Users", { body: { userName: "lee", phoneNumbers, title: {} } });
    expect(toldIn(answer).match(/must be a string/g)).toHaveLength(20);
  });
});
