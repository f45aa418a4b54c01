/** Rules of an operator: what they match, and which are refused before anything starts. */
import { describe, expect, test } from "vitest";
import { readyRules } from "#core/auth/access-control/lint.ts";
import { ruleFor } from "#core/auth/access-control/rules.ts";
import { operations } from "#core/catalogue.ts";
import { readDeployment } from "#core/settings/deployment.ts";

const rules = (toml: string) => readyRules(readDeployment(toml).access.rules, operations);
const rule = (context: string, more = 'http_method = "all"') =>
  `[[resource.access_control]]\ncontext = '${context}'\n${more}\n`;
const USER = "/scim2/Users/01a1fcb5-eb5d-70e7-9787-60a3d6f9978b";

describe("a context", () => {
  test.each([
    ["/scim2/Users", "/scim2/Users", true],
    ["/scim2/Users", "/scim2/Users/", true],
    ["/scim2/Users", "/SCIM2/users", true],
    ["/scim2/Users", USER, false],
    ["/scim2/Users/*", USER, true],
    ["/scim2/Users/*", "/scim2/Users", true],
    ["/scim2/Users/*", "/scim2/UsersAndMore", false],
    ["/scim2/*", USER, true],
    ["/scim2(.*)", USER, true],
    ["(.*)/applications(.*)", "/api/server/v1/applications/1", true],
    ["/api/server/v1/(applications|tenants)", "/api/server/v1/tenants", true],
    ["/api/server/v1/(applications|tenants)", "/api/server/v1/tenants/1", false],
    ["/scim2/Users/[^/]+", USER, true],
    ["/scim2/Users/[^/]+", "/scim2/Users", false],
  ])("%s and the path %s: %s", async (context, path, matches) => {
    // A rule of the file must begin with a slash; the pattern that older documents show does not.
    const given = context.startsWith("/") ? context : `/{0}${context}`;
    const [ready] = await rules(rule(given));
    expect(ready?.matches("GET", path)).toBe(matches);
  });
});

test("methods: one, some, all; HEAD is what GET is", async () => {
  const ready = await rules(
    [rule("/scim2/Groups", 'http_method = "GET, POST"'), rule("/scim2/Users", 'http_method = ["delete"]')].join("\n"),
  ).catch((error: Error) => error.message);
  expect(ready).toContain("no operation of the API has such a path and method");
  const [groups] = await rules(rule("/scim2/Groups", 'http_method = "GET, POST"'));
  expect(["GET", "HEAD", "POST", "PUT"].map((method) => groups?.matches(method, "/scim2/Groups"))).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test("the first that matches decides", async () => {
  const ready = await rules(
    rule("/scim2/Users", 'http_method = "GET"\nscope = "internal_login"') +
      rule("/scim2/*", 'http_method = "all"\nscopes = ["a", "b"]'),
  );
  expect(ruleFor(ready, "GET", "/scim2/Users")?.scopes).toEqual(["internal_login"]);
  expect(ruleFor(ready, "POST", "/scim2/Users")?.scopes).toEqual(["a", "b"]);
  expect(ruleFor(ready, "GET", "/api/server/v1/applications")).toBeUndefined();
});

test("every key of the spec, in both spellings and both table forms", () => {
  const { access } = readDeployment(`
    [resource.access_control]
    context = "/scim2/Users"
    secure = "true"
    http_method = "GET, POST"
    permissions = "internal_user_mgt_view"
    scopes = "internal_user_mgt_list internal_login"
    allowed_auth_handlers = ["BasicAuthentication", "ClientCertificate"]

    [intermediate_cert_validation]
    enable = true
    cert_cns = ["Taxi CA", "Other CA"]
    exempt_contexts = ["scim2", "/oauth2/"]

    [[intermediate_cert_validation.issuer]]
    cn = "Taxi CA"
    tenants = ["Acme.com"]
  `);
  expect(access.rules).toEqual([
    {
      place: "resource.access_control number 1 (line 2)",
      context: "/scim2/Users",
      methods: new Set(["GET", "POST"]),
      isSecured: true,
      scopes: ["internal_user_mgt_list", "internal_login", "internal_user_mgt_view"],
      handlers: new Set(["BasicAuthentication", "ClientCertificate"]),
    },
  ]);
  expect(access.certificates).toEqual({
    enabled: true,
    exemptContexts: ["/scim2", "/oauth2"],
    issuers: [
      { commonName: "Taxi CA", certificate: undefined, tenants: new Set(["acme.com"]) },
      { commonName: "Other CA" },
    ],
  });
});

test("a rule that says nothing of it is secured", () => {
  expect(readDeployment(rule("/scim2/Users")).access.rules[0]?.isSecured).toBe(true);
});

describe("refused with its line", () => {
  test.each([
    [
      "an unknown key",
      `${rule("/scim2/Users")}scop = "x"\n`,
      /unknown key "scop" \(did you mean "scope"\?\) \(line 1\)/,
    ],
    ["no method", "[[resource.access_control]]\ncontext = '/scim2/Users'\n", /http_method: is required \(line 1\)/],
    ["a method that is none", rule("/scim2/Users", 'http_method = "FETCH"'), /"FETCH" is no method .*\(line 3\)/],
    [
      "a handler that is none",
      rule("/scim2/Users", 'http_method = "all"\nallowed_auth_handlers = "Basic"'),
      /"Basic" is no handler .*\(line 4\)/,
    ],
    [
      "two spellings that differ",
      rule("/scim2/Users", 'http_method = "all"\nsecured = true\nsecure = false'),
      /secure: says something else than secured \(line 5\)/,
    ],
    [
      "a word for true",
      rule("/scim2/Users", 'http_method = "all"\nsecured = "yes"'),
      /secured: expected true or false \(line 4\)/,
    ],
    [
      "issuers that are nobody",
      "[intermediate_cert_validation]\nenable = true\n",
      /cert_cns: names nobody.*\(line 1\)/,
    ],
    [
      "a certificate that is none",
      '[intermediate_cert_validation]\n[[intermediate_cert_validation.issuer]]\ncn = "x"\ncertificate = "y"\n',
      /is no certificate in PEM \(line 4\)/,
    ],
  ])("%s", (_, toml, message) => expect(() => readDeployment(toml)).toThrow(message));
});

describe("refused because it cannot do what it looks like", () => {
  test.each([
    [
      "opens what is secured",
      rule("/scim2/Users", 'http_method = "all"\nsecured = false'),
      /number 1 \(line 1\): secured = false would open (GET|POST) \/scim2\/Users/,
    ],
    ["opens everything", rule("/*", 'http_method = "all"\nsecured = "false"'), /would open/],
    ["matches no path", rule("/scim3/Users"), /no operation of the API has such a path/],
    [
      "stands behind the same",
      rule("/scim2/Users") + rule("/scim2/users"),
      /number 2 \(line 4\): it is never reached: resource.access_control number 1/,
    ],
    ["stands behind a wider one", rule("/scim2/*") + rule("/scim2/Groups", 'http_method = "GET"'), /never reached/],
    ["is no pattern of linear time", rule("/(a)\\1/x"), /RE2/],
  ])("%s", async (_, toml, message) => {
    await expect(rules(toml)).rejects.toThrow(message);
  });
  test("what describes the service may be opened, and one user may have a rule of its own", async () => {
    await expect(
      rules(rule("/scim2/ServiceProviderConfig", 'http_method = "GET"\nsecured = false')),
    ).resolves.toHaveLength(1);
    await expect(rules(rule("/scim2/Users/1234"))).resolves.toHaveLength(1);
  });
});
