/** Access rules: what they match, and which are refused at the start. */
import { describe, expect, test } from "vitest";
import { operations } from "#core/service/catalogue.ts";
import { readDeployment } from "#core/service/settings/deployment.ts";
import { readyRules } from "#core/sign-in/authentication/access-control/lint.ts";
import { ruleFor } from "#core/sign-in/authentication/access-control/rules.ts";

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
    ["/scim2/Users/(.*)", "/scim2/Users", false],
    ["/scim2/Users/(.*)", "/scim2/Users/", false],
    ["/scim2/Users/(.*)", USER, true],
    ["/scim2/Users/.*", "/scim2/Users/", false],
    ["/scim2/Users/(.+)", USER, true],
    ["/scim2/Users(.*)", "/scim2/Users", true],
    ["/scim2/Users(.*)", "/scim2/Users/", true],
    ["/scim2/Users(/.*)?", "/scim2/Users", true],
    ["/scim2/Users(/.*)?", USER, true],
    ["/scim2/Users/?", "/scim2/Users/", true],
    ["/scim2/Users*", "/scim2/UsersAndMore", true],
    ["scim2/Users", "/scim2/Users", true],
    ["scim2/Users/(.*)", USER, true],
    ["/scim2(.*)", USER, true],
    ["(.*)/applications(.*)", "/api/server/v1/applications/1", true],
    ["/api/server/v1/(applications|tenants)", "/api/server/v1/tenants", true],
    ["/api/server/v1/(applications|tenants)", "/api/server/v1/tenants/1", false],
    ["/scim2/Users/[^/]+", USER, true],
    ["/scim2/Users/[^/]+", "/scim2/Users", false],
  ])("%s and the path %s: %s", async (context, path, matches) => {
    const [ready] = await rules(rule(context));
    expect(ready?.matches("GET", path)).toBe(matches);
  });
});

test("matches one method, several or all, and treats HEAD as GET", async () => {
  const ready = await rules(
    [rule("/scim2/Groups", 'http_method = "GET, POST"'), rule("/scim2/Users", 'http_method = ["delete"]')].join("\n"),
  ).catch((error: Error) => error.message);
  expect(ready).toContain("no operation of the API has this path and method");
  const [groups] = await rules(rule("/scim2/Groups", 'http_method = "GET, POST"'));
  expect(["GET", "HEAD", "POST", "PUT"].map((method) => groups?.matches(method, "/scim2/Groups"))).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test("applies the first rule that matches", async () => {
  const ready = await rules(
    rule("/scim2/Users", 'http_method = "GET"\nscope = "internal_login"') +
      rule("/scim2/*", 'http_method = "GET, POST"\nscopes = []'),
  );
  expect(ruleFor(ready, "GET", "/scim2/Users")?.scopes).toEqual(["internal_login"]);
  expect(ruleFor(ready, "POST", "/scim2/Users")?.scopes).toEqual([]);
  expect(ruleFor(ready, "GET", "/api/server/v1/applications")).toBeUndefined();
});

test("reads every key, in both spellings and both forms of tables", () => {
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

test("secures the paths of a rule without secured", () => {
  expect(readDeployment(rule("/scim2/Users")).access.rules[0]?.isSecured).toBe(true);
});

describe("refuses, with the line,", () => {
  test.each([
    [
      "an unknown key",
      `${rule("/scim2/Users")}scop = "x"\n`,
      /unknown key "scop" \(did you mean "scope"\?\) \(line 1\)/,
    ],
    ["no method", "[[resource.access_control]]\ncontext = '/scim2/Users'\n", /http_method: is required \(line 1\)/],
    [
      "an unknown method",
      rule("/scim2/Users", 'http_method = "FETCH"'),
      /http_method: must be "all" or .*"FETCH" is not .*\(line 3\)/,
    ],
    [
      "an unknown handler",
      rule("/scim2/Users", 'http_method = "all"\nallowed_auth_handlers = "Basic"'),
      /allowed_auth_handlers: must be "all" or .*"Basic" is not a handler \(line 4\)/,
    ],
    [
      "two spellings with different values",
      rule("/scim2/Users", 'http_method = "all"\nsecured = true\nsecure = false'),
      /secure: contradicts secured; keep only one of the two keys \(line 5\)/,
    ],
    [
      "another word than true or false",
      rule("/scim2/Users", 'http_method = "all"\nsecured = "yes"'),
      /secured: must be true or false \(line 4\)/,
    ],
    [
      "a word that is no scope of this service",
      rule("/scim2/Users", 'http_method = "all"\nscope = ["people_read"]'),
      /scope: must be scopes of this service; "people_read" is none .*\(line 4\)/,
    ],
    [
      "a misspelt scope, with the nearest one",
      rule("/scim2/Users", 'http_method = "all"\nscopes = "internal_user_mgt_lst"'),
      /scopes: .*"internal_user_mgt_lst" is none \(did you mean "internal_user_mgt_list"\?\) \(line 4\)/,
    ],
    [
      "a name of a scope of OpenID Connect",
      rule("/scim2/Users", 'http_method = "all"\npermissions = ["profile"]'),
      /permissions: must be scopes of this service; "profile" is none/,
    ],
    [
      "a path of a permission, with the scope that replaced it",
      rule("/scim2/Users", 'http_method = "all"\npermissions = ["/permission/admin/login"]'),
      /"\/permission\/admin\/login" is a path of a permission; .*did you mean "internal_login"\?/,
    ],
    [
      "a path of a permission of applications",
      rule(
        "/scim2/Users",
        'http_method = "all"\npermissions = "/permission/admin/manage/identity/applicationmgt/view"',
      ),
      /did you mean "internal_application_mgt_view"\?/,
    ],
    [
      "no issuer",
      "[intermediate_cert_validation]\nenable = true\n",
      /cert_cns: must name at least one issuer of certificates, because enable = true \(line 1\)/,
    ],
    [
      "a certificate that is not PEM",
      '[intermediate_cert_validation]\n[[intermediate_cert_validation.issuer]]\ncn = "x"\ncertificate = "y"\n',
      /certificate: must be a certificate in PEM \(line 4\)/,
    ],
  ])("%s", (_, toml, message) => expect(() => readDeployment(toml)).toThrow(message));
});

describe("refuses a rule that", () => {
  test.each([
    [
      "makes tenant data public",
      rule("/scim2/Users", 'http_method = "all"\nsecured = false'),
      /number 1 \(line 1\): secured = false would make (GET|POST) \/scim2\/Users public/,
    ],
    [
      "makes public what stays closed",
      rule("/api/server/v1/applications/meta/groups", 'http_method = "all"\nsecured = false'),
      /would make GET \/api\/server\/v1\/applications\/meta\/groups public/,
    ],
    ["makes everything public", rule("/*", 'http_method = "all"\nsecured = "false"'), /public/],
    ["ends with a slash", rule("/scim2/Users/"), /without a slash at their end; did you mean "\/scim2\/Users"\?/],
    ["names a tenant", rule("/t/acme.example/scim2/Users"), /without \/t\/\{tenant\}; did you mean "\/scim2\/Users"\?/],
    ["names any tenant", rule("/t/[^/]+/scim2/Users(.*)"), /did you mean "\/scim2\/Users\(\.\*\)"\?/],
    ["matches no path", rule("/scim3/Users"), /no operation of the API has this path/],
    [
      "follows an equal rule",
      rule("/scim2/Users") + rule("/scim2/users"),
      /number 2 \(line 4\): it is never reached: resource.access_control number 1/,
    ],
    ["follows a wider rule", rule("/scim2/*") + rule("/scim2/Groups", 'http_method = "GET"'), /never reached/],
    ["has a pattern that is not RE2", rule("/(a)\\1/x"), /RE2/],
  ])("%s", async (_, toml, message) => {
    await expect(rules(toml)).rejects.toThrow(message);
  });
  test("allows public access to descriptions of the service, and a rule for one user", async () => {
    await expect(
      rules(rule("/scim2/ServiceProviderConfig", 'http_method = "GET"\nsecured = false')),
    ).resolves.toHaveLength(1);
    await expect(rules(rule("/scim2/Users/1234"))).resolves.toHaveLength(1);
    for (const context of ["inbound-protocols", "(.*)", "inbound-protocols/cas"]) {
      const open = rule(`/api/server/v1/applications/meta/${context}`, 'http_method = "all"\nsecured = false');
      await expect(rules(open)).resolves.toHaveLength(1);
    }
  });
});
