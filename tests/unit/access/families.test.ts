/** Rules that protect one way to a resource: each other way is protected alike, or the start tells the rules to add. */
import { describe, expect, test } from "vitest";
import { PUBLIC, SIGNED_IN } from "#core/kernel/operation/operation.ts";
import { doneBy, reachedBy } from "#core/kernel/operation/reach.ts";
import { operations } from "#core/service/catalogue.ts";
import { readDeployment } from "#core/service/settings/deployment.ts";
import { readyRules } from "#core/sign-in/authentication/access-control/lint.ts";
import { neededScopes } from "#core/sign-in/authentication/access-control/needed.ts";
import { ruleFor } from "#core/sign-in/authentication/access-control/rules.ts";
import { anySamples } from "#core/sign-in/authentication/access-control/samples.ts";

const start = (toml: string) => readyRules(readDeployment(toml).access.rules, operations);
/** The rules, or the sentence of the refusal and the rules to add. */
const tried = async (toml: string) => {
  try {
    return { ready: await start(toml), sentence: "", added: "" };
  } catch (error) {
    const [sentence = "", ...added] = (error as Error).message.split("\n\n");
    return { ready: [], sentence, added: added.join("\n\n") };
  }
};
const rule = (context: string, method: string, more: string) =>
  `[[resource.access_control]]\ncontext = '${context}'\nhttp_method = "${method}"\n${more}\n`;
const asContext = (path: string) => path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+");
const all = Object.entries(operations);
const samples = anySamples(operations);

/** Ways to the resources of a tenant that no reach describes: descriptions of the service, and settings without twins. */
const closed = all.filter(([, declared]) => declared.scope !== PUBLIC);

test("every operation that needs a credential says what it does, or shows nothing of a tenant", () => {
  const silent = closed.filter(([, declared]) => doneBy(declared).length + reachedBy(declared).length === 0);
  expect(silent.map(([id]) => id).sort()).toEqual(
    [
      ...["listSupportedProtocols", "getSamlMetadata", "getOidcMetadata", "getWsTrustMetadata"],
      ...["getCustomProtocolMetadata", "getAdaptiveAuthTemplates", "createMe", "deleteScim1Me"],
      ...["listApiResourceCollections", "getApiResourceCollection"],
      ...["getServiceProviderConfig", "listResourceTypes", "getResourceType", "listSchemas", "getSchema"],
    ].sort(),
  );
});

/** Every operation of every family: those that do or give the same. */
const tries = closed.filter(([, declared]) => doneBy(declared).length > 0 || declared.reaches !== undefined);

test("a stricter rule for one operation covers its twins, or is refused with rules that do", {
  timeout: 300_000,
}, async () => {
  const odd: string[] = [];
  for (const [id, declared] of tries) {
    const { method, path, scope, furtherScopes = [] } = declared;
    const scopes = JSON.stringify([scope, ...furtherScopes, "internal_idp_view"]);
    const more = `scope = ${scopes}\nallowed_auth_handlers = ["OAuthAuthentication"]`;
    const toml = rule(asContext(path), method, more);
    const first = await tried(toml);
    const isReplaced = first.sentence.includes("delete resource.access_control number 1 ");
    const advised = `${first.added}\n${isReplaced ? "" : toml}`;
    const { ready, sentence } = first.sentence === "" ? first : await tried(advised);
    if (sentence !== "") odd.push(`${id}: ${sentence}`);
    for (const [other, sample] of samples) {
      const shared = doneBy(declared).some((act) => reachedBy(sample.declared).includes(act));
      if (!shared || sample.declared.scope === PUBLIC) continue;
      const twin = ruleFor(ready, sample.method, sample.path);
      const hasScope = neededScopes(sample.declared, twin).includes("internal_idp_view");
      if (!hasScope && sample.declared.scope !== SIGNED_IN) odd.push(`${id}: ${other} needs no further scope`);
      if (twin?.handlers?.size !== 1) odd.push(`${id}: ${other} takes more kinds of credentials`);
    }
  }
  expect(odd).toEqual([]);
});

const USERS = "internal_user_mgt";
describe("names the twin of", () => {
  test.each([
    ["reading a user", rule("/scim2/Users/[^/]+", "GET", 'scope = ["internal_idp_view"]')],
    ["listing users", rule("/scim2/Users", "GET", 'allowed_auth_handlers = ["ClientCertificate"]')],
    ["SCIM 1.1", rule("/svc/scim/Users(.*)", "GET", 'scope = ["internal_idp_view"]')],
  ])("%s", async (_, toml) => {
    const { sentence, added } = await tried(toml);
    expect(sentence).toMatch(
      /^resource\.access_control number 1 \(line 1\): it protects GET \S+ \(read user\) more than/,
    );
    for (const path of ["/scim2/Users/\\.search", "/scim2/\\.search", "/api/server/v1/audit-events"]) {
      expect(added.includes(path) || toml.includes("Users(.*)"), path).toBe(true);
    }
    await expect(start(`${added}\n${toml}`)).resolves.not.toHaveLength(0);
  });
  test("creating a user: bulk, SCIM 1.1 and restore", async () => {
    const { added } = await tried(rule("/scim2/Users", "POST", 'allowed_auth_handlers = ["OAuthAuthentication"]'));
    for (const path of ["/scim2/Bulk", "/svc/scim/Bulk", "/svc/scim/Users", "/deleted-resources/[^/]+/restore"]) {
      expect(added).toContain(path);
    }
  });
  test("changing a user: PATCH, the own account, restore of a version, the owner of a tenant", async () => {
    const { added } = await tried(rule("/scim2/Users/[^/]+", "PUT", 'allowed_auth_handlers = ["OAuthAuthentication"]'));
    for (const path of ["/scim2/Users/[^/]+", "/scim2/Me", "/history/[^/]+/restore", "/owners/[^/]+"]) {
      expect(added).toContain(path);
    }
  });
});

test("two rules that protect twins by different kinds of credentials are told to agree", async () => {
  const { sentence } = await tried(
    rule("/scim2/v2/Roles", "POST", 'allowed_auth_handlers = ["OAuthAuthentication"]') +
      rule("/scim2/v3/Roles", "POST", 'allowed_auth_handlers = ["ClientCertificate"]'),
  );
  expect(sentence).toMatch(/number 1 .* and .*number 2 .* no kind of credential in common/);
});

const APP = "/api/server/v1/applications";
const scoped = (scope: string) => `secure = true\nscopes = ["${scope}"]`;
/** The default rules of Identity Server for our paths, as an operator would copy them. */
const upstream = [
  rule("/scim2/Users/.search", "POST", scoped(`${USERS}_list`)),
  rule("/scim2/Users(.*)", "POST", scoped(`${USERS}_create`)),
  rule("/scim2/Users(/?)", "GET", scoped(`${USERS}_list`)),
  rule("/scim2/Users/(.+)", "GET", scoped(`${USERS}_view`)),
  rule("/scim2/Users(.*)", "PUT, PATCH", scoped(`${USERS}_update`)),
  rule("/scim2/Users(.*)", "DELETE", scoped(`${USERS}_delete`)),
  rule("/scim2/Groups/.search", "POST", scoped("internal_group_mgt_view")),
  rule("/scim2/Groups(.*)", "GET", scoped("internal_group_mgt_view")),
  rule("/scim2/Groups(.*)", "POST", scoped("internal_group_mgt_create")),
  rule("/scim2/Groups(.*)", "PUT, PATCH", scoped("internal_group_mgt_update")),
  rule("/scim2/Groups(.*)", "DELETE", scoped("internal_group_mgt_delete")),
  rule("/scim2/(v2/)?Roles(.*)", "GET", scoped("internal_role_mgt_view")),
  rule("/scim2/(v2/)?Roles(.*)", "POST", scoped("internal_role_mgt_create")),
  rule("/scim2/(v2/)?Roles(.*)", "PUT, PATCH", scoped("internal_role_mgt_update")),
  rule("/scim2/(v2/)?Roles(.*)", "DELETE", scoped("internal_role_mgt_delete")),
  rule("/scim2/Bulk", "POST", scoped("internal_bulk_resource_create")),
  rule("/scim2/(ServiceProviderConfig|ResourceTypes)", "all", "secure = false"),
  rule("/scim2/Schemas", "all", "secure = true\nscopes = []"),
  rule("/scim2/Me", "GET, PUT, PATCH", scoped("internal_login")),
  rule("/scim2/Me", "POST", scoped(`${USERS}_create`)),
  rule("/scim2/Me", "DELETE", scoped(`${USERS}_delete`)),
  rule(`${APP}/(.*)/owner`, "PUT", scoped("internal_organization_admin")),
  rule(`${APP}/(.*)/authorized-apis(.*)`, "POST, PATCH, DELETE", scoped("internal_application_mgt_update")),
  rule(
    `${APP}/(.*)/inbound-protocols/oidc/regenerate-secret`,
    "POST",
    scoped("internal_application_mgt_client_secret_create"),
  ),
  rule(`${APP}(.*)`, "POST", scoped("internal_application_mgt_create")),
  rule(`${APP}(.*)`, "PUT, PATCH", scoped("internal_application_mgt_update")),
  rule(`${APP}(.*)`, "DELETE", scoped("internal_application_mgt_delete")),
  rule(`${APP}(.*)`, "GET", scoped("internal_application_mgt_view")),
  rule("/api/server/v1/api-resources(.*)", "GET", scoped("internal_api_resource_view")),
  rule("/api/server/v1/api-resources(.*)", "POST", scoped("internal_api_resource_create")),
  rule("/api/server/v1/api-resources(.*)", "PUT, PATCH", scoped("internal_api_resource_update")),
  rule("/api/server/v1/api-resources(.*)", "DELETE", scoped("internal_api_resource_delete")),
  rule("/api/server/v1/tenants(.*)", "GET", scoped("internal_list_tenants")),
];

test("the default rules of Identity Server start, and leave newer operations as closed as they are", async () => {
  const { ready, sentence } = await tried(upstream.join("\n"));
  expect(sentence).toBe("");
  for (const [id, { method, path, declared }] of samples) {
    const needed = neededScopes(declared, ruleFor(ready, method, path));
    const { scope, furtherScopes = [] } = declared;
    if (declared.staysClosed) expect([id, ...needed]).toEqual(expect.arrayContaining([id, scope, ...furtherScopes]));
  }
});

test("a rule for operations that stay closed alone replaces their scopes", async () => {
  const [ready] = await start(rule("/scim2/Users/[^/]+/history(.*)", "GET", 'scope = ["internal_user_mgt_list"]'));
  const { declared } = samples.get("getUserVersion") ?? expect.fail();
  expect(neededScopes(declared, ready)).toEqual(["internal_user_mgt_list"]);
});
