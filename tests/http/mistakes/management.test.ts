/** Mistakes in requests of the management API: each answer says where it is and what to change. */
import { beforeAll, describe, expect, test } from "vitest";
import { type Mistake, type MistakeRow, testMistakes, toldIn } from "#tests/support/mistakes.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const V1 = "/api/server/v1";
const POST = `POST ${APPLICATIONS}`;
const ID = "01960000-0000-7000-8000-000000000000";

let own = "";
let ownApi = "";
beforeAll(async () => {
  own = await api.create({ name: "Dispatch" });
  const body = { name: "Bookings", identifier: "x://bookings", scopes: [{ name: "book" }] };
  const { headers } = await api.ask("POST", `${V1}/api-resources`, { body });
  ownApi = headers.get("location")?.split("/").at(-1) ?? "";
});

const oidc = (settings: object): Mistake => ({ body: { name: "x", inboundProtocolConfiguration: { oidc: settings } } });
const get = (query: string): Mistake => ({ call: `GET ${APPLICATIONS}?${query}` });
const to = (call: string, body: unknown): Mistake => ({ call, body });

describe("bodies of applications", () => {
  const rows: readonly MistakeRow[] = [
    ["no name", { body: {} }, 400, "body.name", "is required"],
    [
      "a misspelt name",
      { body: { nme: "x" } },
      400,
      "body.name is required.",
      "body.nme is unknown: did you mean name?",
    ],
    ["a number as the name", { body: { name: 5 } }, 400, "body.name", "must be a string, not a number"],
    ["an empty name", { body: { name: "" } }, 400, "name", "cannot be empty"],
    [
      "a text as a flag",
      { body: { name: "x", advancedConfigurations: { saas: "no" } } },
      400,
      "body.advancedConfigurations.saas",
      "must be true or false, not a string",
    ],
    [
      "a misspelt value",
      { body: { name: "x", claimConfiguration: { dialect: "LOCALL" } } },
      400,
      "body.claimConfiguration.dialect",
      "must be CUSTOM or LOCAL: did you mean LOCAL?",
    ],
    [
      "a text in a list element",
      { body: { name: "x", authenticationSequence: { steps: [{ id: "1", options: [] }] } } },
      400,
      "body.authenticationSequence.steps[0].id",
      "must be a number, not a string",
    ],
    [
      "a value in place of a list",
      oidc({ grantTypes: "password" }),
      400,
      "body.inboundProtocolConfiguration.oidc.grantTypes",
      "must be a list, not a string",
    ],
    [
      "a misspelt grant type",
      oidc({ grantTypes: ["client_credential"] }),
      400,
      "grantTypes takes ",
      "Did you mean client_credentials?",
    ],
    [
      "a code grant without callback",
      oidc({ grantTypes: ["authorization_code"] }),
      400,
      "callbackURLs",
      "Send the addresses",
    ],
    [
      "a callback that is no URL",
      oidc({ grantTypes: ["authorization_code"], callbackURLs: ["app"] }),
      400,
      "callbackURLs: 'app'",
      "is not an absolute URL",
    ],
    [
      "an unknown inbound type",
      { body: { name: "x", inboundProtocolConfiguration: { custom: [{ name: "kas", configName: "kas" }] } } },
      400,
      "Unknown inbound type: kas. Did you mean cas?",
      "The types are saml, oidc, passive-sts and ws-trust, and those of deployment.toml: cas.",
    ],
    ["a list", { body: [] }, 400, "body", "must be an object, not a list"],
    [
      "null",
      { raw: "null", headers: { "content-type": "application/json" } },
      400,
      "body",
      "must be an object, not null",
    ],
    ["no body", {}, 400, "This operation requires a JSON body.", "body.name is required."],
    ["a name in use", { body: { name: "Dispatch" } }, 409, "name: 'Dispatch'", "already exists"],
    [
      "a misspelt member where members must be known",
      { body: { name: "x", descripton: "y", imageUrl: 3 }, headers: { prefer: "handling=strict" } },
      400,
      "body.descripton is unknown: did you mean description?",
      "body.imageUrl must be a string, not a number.",
    ],
  ];
  testMistakes(api, POST, rows);
});

describe("texts that are not JSON", () => {
  const json = (raw: string, type = "application/json"): Mistake => ({ raw, headers: { "content-type": type } });
  const rows: readonly MistakeRow[] = [
    ["a comma too many", json('{\n  "name": "x",\n}'), 400, "Line 3, column 1", "Remove the comma before }."],
    ["single quotes", json("{'name': 'x'}"), 400, "Line 1, column 2", "Write names and texts in double quotes"],
    ["no end", json('{"name": "x"'), 400, "Line 1, column 13", "expected a closing brace or a comma"],
    ["no comma", json('{"name": "x" "a": 1}'), 400, "Line 1, column 14", "expected a comma"],
    ["a form", json("name=x"), 400, "Line 1, column 1", "Send JSON, not the parameters of a form."],
    ["a text without end", json('{"name": "x'), 400, "Line 1, column 10", "the string has no closing quote"],
    ["a member twice", json('{"name": "x",\n"name": "y"}'), 400, "Line 2, column 1", '"name" occurs twice'],
    ["plain text", json('{"name": "x"}', "text/plain"), 415, "Content-Type", "application/json"],
    ["another charset", json("{}", "application/json; charset=latin1"), 415, "Content-Type", "Send the body as UTF-8"],
  ];
  testMistakes(api, POST, rows);
});

describe("queries, paths and methods", () => {
  const rows: readonly MistakeRow[] = [
    ["a limit that is no number", get("limit=abc"), 400, "query.limit", "expected a whole number"],
    [
      "a limit below 1",
      get("limit=-1&offset=x"),
      400,
      "query.limit must be at least 1.",
      "query.offset: expected a whole",
    ],
    ["a parameter twice", get("limit=5&limit=6"), 400, '"limit" more than once', "send it once"],
    ["a broken escape", get("filter=%zz"), 400, 'in the parameter "filter"', "as %25"],
    ["a word as operator", get("filter=name+equals+x"), 400, "'equals'", "use eq, sw, ew, co"],
    ["an attribute without filter", get("filter=nme+eq+x"), 400, "'nme'", "use name, clientId, issuer"],
    ["a filter without value", get("filter=name"), 400, "after 'name'", "Example of a filter: name eq"],
    ["an order", get("sortBy=name"), 501, "sortBy", "remove sortBy and sortOrder"],
    ["an unknown attribute", get("attributes=foo"), 400, "'foo'", "use advancedConfigurations"],
    ["a path in the singular", { call: `GET ${V1}/application` }, 404, "this path", `Did you mean ${APPLICATIONS}?`],
    ["a path without its beginning", { call: "GET /applications" }, 404, "this path", `Did you mean ${APPLICATIONS}?`],
    ["a path of another API", { call: `GET ${V1}/nothing-like-it` }, 404, "this path", "GET /openapi.json lists all"],
    ["a method", { call: `DELETE ${APPLICATIONS}` }, 405, APPLICATIONS, "supports GET, POST, not DELETE"],
    ["an unknown id", { call: `GET ${APPLICATIONS}/${ID}` }, 404, `id: ${ID}`, "in tenantDomain: carbon.super"],
    [
      "an unknown inbound type",
      { call: () => `GET ${APPLICATIONS}/${own}/inbound-protocols/samll` },
      400,
      "Unknown inbound type: samll. Did you mean saml?",
      "The types are saml, oidc, passive-sts and ws-trust, and those of deployment.toml: cas.",
    ],
    ["no settings", { call: () => `GET ${APPLICATIONS}/${own}/inbound-protocols/saml` }, 404, own, "no saml settings"],
  ];
  testMistakes(api, POST, rows);
});

describe("APIs, scopes, tenants and webhooks", () => {
  const rows: readonly MistakeRow[] = [
    ["an API without identifier", to(`POST ${V1}/api-resources`, { name: "x" }), 400, "identifier", "is required"],
    [
      "an identifier in use",
      to(`POST ${V1}/api-resources`, { name: "x", identifier: "x://bookings" }),
      409,
      "'x://bookings'",
      "already exists",
    ],
    [
      "a scope twice",
      to(`POST ${V1}/api-resources`, { name: "x", identifier: "y", scopes: [{ name: "a" }, { name: "a" }] }),
      400,
      "Scope 'a'",
      "more than once",
    ],
    [
      "a misspelt member of a scope",
      to(`POST ${V1}/api-resources`, { name: "x", identifier: "y", scopes: [{ nme: "a" }] }),
      400,
      "body.scopes[0].name is required.",
      "body.scopes[0].nme is unknown: did you mean name?",
    ],
    [
      "an unknown API",
      { call: () => `POST ${APPLICATIONS}/${own}/authorized-apis`, body: { id: ID, scopes: [] } },
      400,
      ID,
      "GET /api/server/v1/api-resources lists them",
    ],
    [
      "a scope with a blank",
      {
        call: () => `PUT ${V1}/api-resources/${ownApi}/scopes`,
        body: [{ name: "with blank" }],
      },
      400,
      "'with blank'",
      "without blanks",
    ],
    ["no tenant", to(`POST ${V1}/tenants`, {}), 400, "body.domain is required.", "body.owners is required."],
    [
      "a domain without extension, and no password",
      to(`POST ${V1}/tenants`, { domain: "acme", owners: [{ username: "x" }] }),
      400,
      "domain: an extension is required, for example .com.",
      "owners[0].password",
    ],
    ["no webhook", to(`POST ${V1}/webhooks`, {}), 400, "Endpoint URI is empty.", "Channels Subscribed is empty."],
    [
      "a misspelt status",
      to(`POST ${V1}/webhooks`, { status: "ON" }),
      400,
      "body.status",
      "must be ACTIVE or INACTIVE",
    ],
  ];
  testMistakes(api, POST, rows);
});

describe("all faults at once", () => {
  test("of a body and of the query, with their places", async () => {
    const told = toldIn(
      await api.ask("POST", `${V1}/oidc/scopes?dryRun=true`, { body: { description: 5, claims: [1, "email", {}] } }),
    );
    expect(told).toBe(
      "body.description must be a string, not a number. body.claims[0] must be a string, not a number. " +
        "body.claims[2] must be a string, not an object. body.name is required. body.displayName is required.",
    );
  });
  test("at most 20 of them, each once, and nothing that was sent", async () => {
    const claims = Array.from({ length: 30 }, () => ({ secret: "hush-4711" }));
    const { body, text } = await api.ask("POST", `${V1}/oidc/scopes`, {
      body: { name: "n", displayName: "d", claims },
    });
    const told = toldIn({ body, text });
    expect(told.match(/must be a string, not an object\./g)).toHaveLength(20);
    expect(told).toMatch(/ There are 10 more\.$/);
    expect(text).not.toContain("hush");
  });
  test("of rules, with the code of the first", async () => {
    const body = { name: " ", identifier: "", scopes: [{ name: "a b" }, { name: "internal_x" }] };
    const answer = await api.ask("POST", `${V1}/api-resources`, { body });
    expect([answer.body.code, toldIn(answer)]).toEqual([
      "API-RESOURCE-60003",
      "API resource name is required and cannot be blank. API resource identifier is required and cannot be blank. " +
        "Scope name 'a b' is not valid. Use printable ASCII without blanks, quotes and backslashes. " +
        "Scope 'internal_x': names that begin with 'internal_' are reserved for scopes of this service. Use another name.",
    ]);
  });
  test("a name of any length is shown in part", async () => {
    const answer = await api.ask("POST", APPLICATIONS, {
      body: { name: "x", inboundProtocolConfiguration: { oidc: { grantTypes: ["g".repeat(5_000)] } } },
    });
    expect(toldIn(answer).length).toBeLessThan(1_000);
  });
});
