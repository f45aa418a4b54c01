/** Guarantees for every operation of the catalogue, including operations that are added later. */
import { readdirSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { ZodObject } from "zod";
import { errorSchemas } from "#core/http/dialects.ts";
import { systemApis } from "#core/kernel/domain/system-apis.ts";
import { routes } from "#core/kernel/operation/derive.ts";
import { splitTenant } from "#core/kernel/operation/match.ts";
import { type Operation, PUBLIC, SIGNED_IN } from "#core/kernel/operation/operation.ts";
import { dialectOf, familyOf, services } from "#core/kernel/operation/services.ts";
import { operations } from "#core/service/catalogue.ts";
import { routeMatcher } from "#local/gateway/routing.ts";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { addUser } from "#tests/support/people.ts";
import { ADMIN, world } from "#tests/support/world.ts";

const http = new URL("../http/", import.meta.url);
const testFiles = readdirSync(http, { recursive: true })
  .map(String)
  .filter((path) => path.endsWith(".test.ts"))
  .map((path) => ({ path, text: readFileSync(new URL(path, http), "utf8") }));
const api = world();
const oauth = oauthOf(api);
const choose = routeMatcher(routes());
const every = Object.entries(operations);
const secured = every.filter(([, { scope }]) => scope !== PUBLIC);
/** Operations that need a scope which not every caller has. */
const scoped = secured.filter(([, { scope }]) => scope !== SIGNED_IN);
const neededBy = ({ scope, furtherScopes = [] }: Operation) => [scope, ...furtherScopes];
/** A needed scope with those that include it. */
const sufficient = ({ scope, includedIn = [] }: Operation, needed: string) =>
  needed === scope ? [needed, ...includedIn] : [needed];
const scopes = [...new Set(secured.map(([, { scope }]) => scope))].sort();
/** Whether another scope than those that it needs lets a caller ask: the handler checks what is asked for. */
const isPartial = ({ partialScopes = [] }: Operation) => partialScopes.some((scope) => scopes.includes(scope));
const password = "a long enough password";
const withAllBut = (without: readonly string[]) => ({ username: `all-but-${without.join("+")}`, password });
const withOnly = (needed: readonly string[]) => ({ username: `only-${needed.join("+")}`, password });
const ID = "00000000-0000-0000-0000-000000000000";
const pathOf = ({ path }: Operation) => path.replace(/\{\w+\}/g, ID);
/** Requirements, a section of an RFC or of OpenID Connect, or a decision. */
const isSource = (text: string) =>
  /^(?:(?:AM|AC|S1|S2)-\d{3}(?: to (?:AM|AC|S1|S2)-\d{3})?|RFC \d+(?: section [\d.]+)?|decision \d{4}|OpenID Connect Discovery 1\.0|OpenID Connect (?:Core|RP-Initiated Logout) 1\.0(?: section [\d.]+)?|SAML (?:Bindings|Profiles|Metadata) 2\.0 section [\d.]+|CAS protocol 3\.0 section [\d.]+|WS-Federation 1\.2 section [\d.]+|Authorization API 1\.0)$/.test(
    text,
  );
const errorOf = (declared: Operation) => {
  const shape = errorSchemas[dialectOf(declared)];
  return shape instanceof ZodObject ? shape.strict() : shape;
};

beforeAll(async () => {
  const left = new Map(
    scoped.flatMap(([, declared]) =>
      neededBy(declared).map((needed) => [sufficient(declared, needed).join(), sufficient(declared, needed)]),
    ),
  );
  for (const without of left.values()) {
    await addUser(api.service, { ...withAllBut(without), scopes: scopes.filter((one) => !without.includes(one)) });
  }
  for (const needed of new Map(
    secured.map(([, declared]) => [neededBy(declared).join(), neededBy(declared)]),
  ).values()) {
    await addUser(api.service, { ...withOnly(needed), scopes: needed });
  }
  await addUser(api.service, { username: "roleless", password });
});

describe.each(every)("%s", (id, declared) => {
  test("has a test of its own over HTTP", () => {
    const required = `tests/http/<domain>/${id}.test.ts, or describe("${id}", ...) in a file there`;
    // A description names the operations that are tested together.
    const described = new RegExp(`describe\\("(?:\\w+, )*${id}(?:, \\w+)*"`);
    const isTested = testFiles.some(({ path, text }) => path.endsWith(`/${id}.test.ts`) || described.test(text));
    expect(isTested ? required : "").toBe(required);
  });
  test("names its sources: requirements, RFC sections, decisions", () =>
    expect(declared.source.split("; ").filter((source) => !isSource(source))).toEqual([]));
  test.each(["", "/t/carbon.super"])("is routed to its function at %j + its path", (prefix) => {
    expect(choose(declared.method, `${prefix}${pathOf(declared)}`)?.route.service).toBe(declared.service);
  });
});

describe.each(secured)("%s", (_, declared) => {
  test("is in a path family of its dialect, so that its tenant path exists", () => {
    const path = pathOf(declared);
    expect(splitTenant(`/t/carbon.super${path}`)).toEqual({ tenant: "carbon.super", path });
    expect(familyOf(path)?.dialect).toBe(dialectOf(declared));
  });
  const ask = (as: Parameters<typeof api.ask>[2]) =>
    api.ask(declared.method, pathOf(declared), { ...as, ...(declared.body && { body: {} }) });

  test("returns 401 without a credential, in the dialect of its path", async () => {
    const answer = await ask({ as: null });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toMatch(
      /^Basic realm="[^"]+", charset="UTF-8", Bearer realm="[^"]+", resource_metadata="[^"]+"$/,
    );
    expect(() => errorOf(declared).parse(answer.body)).not.toThrow();
  });
  test("accepts a user with exactly the scopes that it needs, and returns a status that it declares", async () => {
    const { status } = await ask({ as: withOnly(neededBy(declared)) });
    const isOpen = neededBy(declared).every((scope) => scope === SIGNED_IN);
    expect(status).not.toBe(401);
    // An operation that declares 403 may refuse a user for reasons of its own.
    if (!declared.failures.includes(403)) expect(status).not.toBe(403);
    expect([declared.success.status, ...declared.failures]).toContain(status);
    if (isOpen) expect((await ask({ as: { username: "roleless", password } })).status).toBe(status);
  });
});

describe.each(scoped)("%s", (_, declared) => {
  const ask = (as: Parameters<typeof api.ask>[2]) =>
    api.ask(declared.method, pathOf(declared), { ...as, ...(declared.body && { body: {} }) });

  test("returns 403 without one of the scopes that it needs, and without any role", async () => {
    const others = isPartial(declared)
      ? []
      : neededBy(declared).map((needed) => withAllBut(sufficient(declared, needed)));
    for (const as of [...others, { username: "roleless", password }]) {
      const answer = await ask({ as });
      expect(answer.status).toBe(403);
      expect(() => errorOf(declared).parse(answer.body)).not.toThrow();
    }
  });
});

/** Tokens with exactly the requested scopes, each issued once. */
const tokens = new Map<string, Promise<string>>();
const kinds = {
  "an opaque token of a client": { type: "Default", grant: { grant_type: "client_credentials" } },
  "a JWT of a client": { type: "JWT", grant: { grant_type: "client_credentials" } },
  "a JWT of a user": { type: "JWT", grant: { grant_type: "password", ...ADMIN } },
} as const;
const clients = new Map<string, Promise<TestClient>>();
const clientOf = (type: string) => {
  const known = clients.get(type) ?? oauth.newClient(scopes, { accessToken: { type } });
  clients.set(type, known);
  return known;
};
const tokenWith = (kind: keyof typeof kinds, requested: readonly string[]): Promise<string> => {
  const key = `${kind}: ${requested.join(" ")}`;
  const made =
    tokens.get(key) ??
    (async () => {
      const { type, grant } = kinds[kind];
      const answer = await oauth.token(await clientOf(type), { ...grant, scope: requested.join(" ") });
      expect((answer.scope ?? "").split(" ").sort()).toEqual([...requested].sort());
      return `Bearer ${answer.access_token}`;
    })();
  tokens.set(key, made);
  return made;
};

describe.each(scoped)("%s", (_, declared) => {
  const ask = (as: string) => api.ask(declared.method, pathOf(declared), { as, ...(declared.body && { body: {} }) });

  test("returns 401 with an unknown token, in the dialect of its path", async () => {
    const answer = await ask("Bearer at_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toMatch(
      /, Bearer realm="[^"]+", error="invalid_token", error_description="The access token is invalid", resource_metadata="[^"]+"$/,
    );
    expect(() => errorOf(declared).parse(answer.body)).not.toThrow();
  });
  test.each(Object.keys(kinds) as (keyof typeof kinds)[])(
    "%s: returns 403 and names the missing scope; accepts a token with all scopes",
    async (kind) => {
      for (const missing of neededBy(declared)) {
        if (missing === SIGNED_IN) continue;
        const enough = [...sufficient(declared, missing), SIGNED_IN, ...(declared.partialScopes ?? [])];
        const others = scopes.filter((scope) => !enough.includes(scope));
        const answer = await ask(await tokenWith(kind, others));
        expect(answer.status).toBe(403);
        expect(answer.headers.get("www-authenticate")).toMatch(
          /^Bearer realm="[^"]+", error="insufficient_scope", scope="/,
        );
        expect(answer.headers.get("www-authenticate")).toContain(`scope="${missing}"`);
        expect(() => errorOf(declared).parse(answer.body)).not.toThrow();
      }
      const { status } = await ask(
        await tokenWith(
          kind,
          neededBy(declared).filter((scope) => scope !== SIGNED_IN),
        ),
      );
      expect([declared.success.status, ...declared.failures]).toContain(status);
      expect(status).not.toBe(401);
      if (!declared.failures.includes(403)) expect(status).not.toBe(403);
    },
  );
});

describe("the functions", () => {
  test.each(Object.keys(services))("%s serves exactly its operations of the catalogue", async (service) => {
    const module = await import(new URL(`../../functions/${service}.ts`, import.meta.url).href);
    expect(module.operations).toEqual(Object.fromEntries(every.filter(([, declared]) => declared.service === service)));
  });
  test("only these operations need no credential", () => {
    expect(every.filter(([, { scope }]) => scope === PUBLIC).map(([id]) => id)).toEqual([
      // The order is sealed by the function that tells applications of sign-outs.
      "signLogoutToken",
      // The protocol authenticates clients itself.
      "requestToken",
      "revokeToken",
      "introspectToken",
      // Published, so that clients can find the endpoints and verify tokens.
      "getJwks",
      "getOpenIdConfiguration",
      "getServerOpenIdConfiguration",
      "getServerMetadata",
      "getIssuerMetadata",
      "getTenantIssuerMetadata",
      "getResourceMetadata",
      "getManagementResourceMetadata",
      "getScim2ResourceMetadata",
      "getScim1ResourceMetadata",
      "getIntrospectionResourceMetadata",
      "getSignalsResourceMetadata",
      "getAccessResourceMetadata",
      "getTenantResourceMetadata",
      "getTenantManagementResourceMetadata",
      "getTenantScim2ResourceMetadata",
      "getTenantScim1ResourceMetadata",
      "getTenantIntrospectionResourceMetadata",
      "getTenantSignalsResourceMetadata",
      "getTenantAccessResourceMetadata",
      "pushAuthorizationRequest",
      // A ticket of a sign-in, tied to a browser.
      "sendAnswer",
      // People sign in here; the token is checked by the operation itself.
      "authorize",
      "authorizeByForm",
      "signIn",
      "enterCode",
      "setUpCodes",
      "goOnWithCodes",
      "usePasskey",
      "createPasskey",
      "getPageScript",
      "enterMailedCode",
      "showMailedLink",
      "useMailedLink",
      "choosePassword",
      "visitAccount",
      "takeSsoRequest",
      "giveConsent",
      "endSession",
      "endSessionByForm",
      "takeSsoSignOut",
      "signOut",
      "getUserInfo",
      "getUserInfoByPost",
      // Who has forgotten the password has no credential; a link and its codes authorise the rest.
      "showForgotPassword",
      "forgotPassword",
      "showResetPassword",
      "resetForgottenPassword",
      "showVerifyAddress",
      "verifyAddress",
      "showRegister",
      "register",
      "showRegistration",
      "completeRegistration",
      "initPasswordRecovery",
      "recoverPassword",
      "resendPasswordRecovery",
      "confirmPasswordRecovery",
      "resetPassword",
      "initUserNameRecovery",
      "recoverUserName",
      // Service providers of SAML sign their requests; a ticket of a sign-in is tied to a browser.
      "signOnBySaml",
      "signOnBySamlForm",
      "resolveSamlArtifact",
      "querySamlAssertions",
      "continueSamlLogout",
      "signSamlLogoutRequest",
      "sendSamlResponse",
      "getSamlMetadataOfProvider",
      // A relying party of WS-Federation has no key: its address is registered.
      "askPassiveSts",
      "askPassiveStsByForm",
      "sendPassiveStsToken",
      "getFederationMetadata",
      // A ticket of CAS authenticates, once, for the address of its service.
      "signOnByCas",
      "signOutByCas",
      "sendCasTicket",
      "validateCasTicket",
      "validateServiceTicket",
      "validateServiceTicketWithAttributes",
      "validateProxyTicket",
      "validateProxyTicketWithAttributes",
      "getProxyTicket",
      // The session of the browser authenticates.
      "showAccount",
      "showAccountProfile",
      "changeAccountProfile",
      "endAccountSession",
      "takeAccountConsentBack",
      "removeAccountFactor",
      "exportAccount",
      "showAccountDeletion",
      "deleteAccount",
      "getSignalTransmitter",
      "getSignalIssuer",
      "getTenantSignalIssuer",
      "getSignalKeys",
      // Published, so that policy enforcement points find the endpoints.
      "getAccessConfiguration",
      "getTenantAccessConfiguration",
    ]);
  });
});

describe("the routes", () => {
  test("prefer literal segments to the inbound protocols of an application, in any order of declaration", () => {
    const protocols = "/api/server/v1/applications/{applicationId}/inbound-protocols";
    const rivals = [protocols, `${protocols}/{proxy+}`].map((path) => ({ key: `ANY ${path}`, service: "rival" }));
    const own = routes().filter(({ key }) => !rivals.some((rival) => rival.key === key));
    for (const contest of [routeMatcher([...own, ...rivals]), routeMatcher([...rivals, ...own])]) {
      for (const end of ["", "/saml", "/a/b"]) {
        const serviceOf = (id: string) =>
          contest("GET", `/api/server/v1/applications/${id}/inbound-protocols${end}`)?.route.service;
        expect([serviceOf("meta"), serviceOf(ID)]).toEqual(["application-metadata", "rival"]);
      }
    }
  });
});

describe("the scopes", () => {
  test("are those of the requirements and of the API resources", () => {
    expect(scopes).toEqual([
      "internal_access_view",
      "internal_api_resource_create",
      "internal_api_resource_delete",
      "internal_api_resource_update",
      "internal_api_resource_view",
      "internal_application_mgt_client_secret_create",
      "internal_application_mgt_client_secret_delete",
      "internal_application_mgt_client_secret_view",
      "internal_application_mgt_create",
      "internal_application_mgt_delete",
      "internal_application_mgt_update",
      "internal_application_mgt_view",
      "internal_application_script_update",
      "internal_audit_view",
      "internal_bulk_resource_create",
      "internal_claim_meta_view",
      "internal_create_tenants",
      "internal_group_mgt_create",
      "internal_group_mgt_delete",
      "internal_group_mgt_update",
      "internal_group_mgt_view",
      "internal_idp_view",
      "internal_list_tenants",
      "internal_login",
      "internal_modify_tenants",
      "internal_organization_admin",
      "internal_organization_view",
      "internal_role_mgt_create",
      "internal_role_mgt_delete",
      "internal_role_mgt_groups_update",
      "internal_role_mgt_meta_create",
      "internal_role_mgt_meta_update",
      "internal_role_mgt_update",
      "internal_role_mgt_users_update",
      "internal_role_mgt_view",
      "internal_session_delete",
      "internal_session_view",
      "internal_user_mgt_create",
      "internal_user_mgt_delete",
      "internal_user_mgt_list",
      "internal_user_mgt_update",
      "internal_user_mgt_view",
      "internal_userstore_view",
      "internal_webhook_create",
      "internal_webhook_delete",
      "internal_webhook_meta_update",
      "internal_webhook_meta_view",
      "internal_webhook_update",
      "internal_webhook_view",
      "ssf.manage",
      "ssf.read",
    ]);
  });
  test("of the system APIs have unique names and ids, like the APIs", () => {
    const all = systemApis.flatMap((api) => api.scopes);
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    expect(new Set([...systemApis, ...all].map(({ id }) => id)).size).toBe(systemApis.length + all.length);
  });
  test.each(scopes)("%s belongs to exactly one system API", (scope) => {
    const holders = systemApis.filter((api) => api.scopes.some(({ name }) => name === scope));
    expect(holders.map(({ identifier }) => identifier)).toHaveLength(1);
  });
});
