/**
 * The requests of `npm run smoke`, as data. `{word}` in a path or body is a value that an earlier step took; a step
 * whose values are missing is skipped. `{name}` and `{password}` are those of the run.
 */
import { memberOf, textIn } from "#cli/client.ts";
import type { Answer, Step } from "./step.ts";

/** The scopes that a client needs whose id and secret are given instead of an administrator's password. */
export const clientScopes: readonly string[] = [
  ...["view", "create", "update", "delete", "client_secret_view"].map((verb) => `internal_application_mgt_${verb}`),
  "internal_api_resource_view",
  ...["list", "view", "create", "update", "delete"].map((verb) => `internal_user_mgt_${verb}`),
  ...["view", "create", "update", "delete"].map((verb) => `internal_group_mgt_${verb}`),
  ...["view", "create", "update", "delete"].map((verb) => `internal_role_mgt_${verb}`),
];

const REST = "/api/server/v1";
const SCIM_USERS = "/scim2/Users";
const SCIM_GROUPS = "/scim2/Groups";
const SCIM_ROLES = "/scim2/v2/Roles";
const FORM = "application/x-www-form-urlencoded";
/** An id that no resource has. */
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

/** All steps, in their order. Those that end with "of the README" are its first request. */
export const steps: readonly Step[] = [
  // Public paths.
  { title: "signing keys", method: "GET", path: "/oauth2/jwks", as: "anonymous", status: 200, holds: hasList("keys") },
  {
    title: "metadata of the token endpoint",
    method: "GET",
    path: "/.well-known/oauth-authorization-server",
    as: "anonymous",
    status: 200,
    holds: hasText("issuer"),
  },
  {
    title: "OpenID discovery",
    method: "GET",
    path: "/oauth2/token/.well-known/openid-configuration",
    as: "anonymous",
    status: 200,
    holds: hasText("issuer"),
  },
  {
    title: "API document",
    method: "GET",
    path: "/openapi.json",
    as: "anonymous",
    status: 200,
    holds: hasText("openapi"),
  },
  { title: "page", method: "GET", path: "/", as: "anonymous", status: 200 },
  { title: "reference of the API", method: "GET", path: "/reference", as: "anonymous", status: 200 },
  // Refusals.
  { title: "no credential", method: "GET", path: `${REST}/applications`, as: "anonymous", status: 401 },
  { title: "invalid token", method: "GET", path: SCIM_USERS, as: "stranger", status: 401 },
  {
    title: "unknown application",
    method: "GET",
    path: `${REST}/applications/${UNKNOWN_ID}`,
    as: "operator",
    status: 404,
  },
  { title: "method that no operation has", method: "DELETE", path: SCIM_USERS, as: "operator", status: 405 },
  {
    title: "body that is no JSON",
    method: "POST",
    path: `${REST}/applications`,
    as: "operator",
    status: 415,
    body: "name={name}",
    contentType: "text/plain",
  },
  // A user in a group that has a role.
  {
    title: "create a user of the README",
    method: "POST",
    path: SCIM_USERS,
    as: "operator",
    status: 201,
    body: { userName: "{name}", password: "{password}", name: { givenName: "Smoke", familyName: "Test" } },
    takes: { user: idOf },
  },
  { title: "read the user", method: "GET", path: `${SCIM_USERS}/{user}`, as: "operator", status: 200, holds: hasId },
  {
    title: "change the user",
    method: "PATCH",
    path: `${SCIM_USERS}/{user}`,
    as: "operator",
    status: 200,
    body: patch({ nickName: "smoke" }),
  },
  {
    title: "find the user",
    method: "GET",
    path: `${SCIM_USERS}?filter=userName+eq+%22{name}%22`,
    as: "operator",
    status: 200,
    after: ["user"],
    holds: isOne,
  },
  {
    title: "read the user by SCIM 1.1",
    method: "GET",
    path: "/svc/scim/Users/{user}",
    as: "operator",
    status: 200,
    holds: hasId,
  },
  {
    title: "create a group of the README",
    method: "POST",
    path: SCIM_GROUPS,
    as: "operator",
    status: 201,
    body: { displayName: "{name}", members: [{ value: "{user}" }] },
    takes: { group: idOf },
  },
  { title: "read the group", method: "GET", path: `${SCIM_GROUPS}/{group}`, as: "operator", status: 200, holds: hasId },
  {
    title: "change the group",
    method: "PATCH",
    path: `${SCIM_GROUPS}/{group}`,
    as: "operator",
    status: 200,
    body: patch({ displayName: "{name}-changed" }),
  },
  {
    title: "find the group",
    method: "GET",
    path: `${SCIM_GROUPS}?filter=displayName+sw+%22{name}%22`,
    as: "operator",
    status: 200,
    after: ["group"],
    holds: isOne,
  },
  {
    title: "create a role of the README",
    method: "POST",
    path: SCIM_ROLES,
    as: "operator",
    status: 201,
    body: {
      displayName: "{name}",
      permissions: [{ value: "internal_user_mgt_list" }],
      groups: [{ value: "{group}" }],
    },
    takes: { role: idOf },
  },
  { title: "read the role", method: "GET", path: `${SCIM_ROLES}/{role}`, as: "operator", status: 200, holds: hasId },
  {
    title: "change the role",
    method: "PATCH",
    path: `${SCIM_ROLES}/{role}`,
    as: "operator",
    status: 200,
    body: patch({ displayName: "{name}-changed" }),
  },
  {
    title: "find the role",
    method: "GET",
    path: `${SCIM_ROLES}?filter=displayName+sw+%22{name}%22`,
    as: "operator",
    status: 200,
    after: ["role"],
    holds: isOne,
  },
  {
    title: "list users as that user of the README",
    method: "GET",
    path: `${SCIM_USERS}?attributes=userName&count=1`,
    as: "user",
    status: 200,
    after: ["user", "group", "role"],
    holds: hasList("Resources"),
  },
  {
    title: "applications as that user",
    method: "GET",
    path: `${REST}/applications?limit=1`,
    as: "user",
    status: 403,
    after: ["user"],
  },
  // An application that may list users, and a token for it.
  {
    title: "create an application of the README",
    method: "POST",
    path: `${REST}/applications`,
    as: "operator",
    status: 201,
    body: { name: "{name}", inboundProtocolConfiguration: { oidc: { grantTypes: ["client_credentials"] } } },
    takes: { application: ({ locationId }) => locationId },
  },
  {
    title: "read the application",
    method: "GET",
    path: `${REST}/applications/{application}`,
    as: "operator",
    status: 200,
    holds: hasId,
  },
  {
    title: "change the application",
    method: "PATCH",
    path: `${REST}/applications/{application}`,
    as: "operator",
    status: 200,
    body: { description: "a smoke test" },
  },
  {
    title: "find the application of the README",
    method: "GET",
    path: `${REST}/applications?filter=name+eq+{name}`,
    as: "operator",
    status: 200,
    after: ["application"],
    holds: isOne,
  },
  {
    title: "export the application",
    method: "GET",
    path: `${REST}/applications/{application}/export`,
    as: "operator",
    status: 200,
  },
  {
    title: "find the API of users of the README",
    method: "GET",
    path: `${REST}/api-resources?filter=identifier+eq+/scim2/Users`,
    as: "operator",
    status: 200,
    takes: { api: ({ body }) => textIn(firstOf(body, "apiResources"), "id") },
  },
  {
    title: "authorize the API of the README",
    method: "POST",
    path: `${REST}/applications/{application}/authorized-apis`,
    as: "operator",
    status: 200,
    body: { id: "{api}", policyIdentifier: "RBAC", scopes: ["internal_user_mgt_list"] },
    takes: { authorized: () => "yes" },
  },
  {
    title: "read the client of the README",
    method: "GET",
    path: `${REST}/applications/{application}/inbound-protocols/oidc`,
    as: "operator",
    status: 200,
    takes: {
      clientId: ({ body }) => textIn(body, "clientId"),
      clientSecret: ({ body }) => textIn(body, "clientSecret"),
    },
  },
  {
    title: "token by client credentials of the README",
    method: "POST",
    path: "/oauth2/token",
    as: "client",
    status: 200,
    body: "grant_type=client_credentials&scope=internal_user_mgt_list",
    contentType: FORM,
    after: ["authorized", "clientId", "clientSecret"],
    takes: { token: ({ body }) => textIn(body, "access_token") },
  },
  {
    title: "list users by the token of the README",
    method: "GET",
    path: `${SCIM_USERS}?attributes=userName&count=1`,
    as: "token",
    status: 200,
    after: ["token"],
    holds: hasList("Resources"),
  },
  {
    title: "groups by the token, which has no scope for them",
    method: "GET",
    path: `${SCIM_GROUPS}?count=1`,
    as: "token",
    status: 403,
    after: ["token"],
  },
  // Deletions.
  ...deletion("application", `${REST}/applications`),
  ...deletion("role", SCIM_ROLES),
  ...deletion("group", SCIM_GROUPS),
  ...deletion("user", SCIM_USERS),
];

function deletion(word: string, path: string): readonly Step[] {
  const gone = `${word}Gone`;
  return [
    {
      title: `delete the ${word}`,
      method: "DELETE",
      path: `${path}/{${word}}`,
      as: "operator",
      status: 204,
      takes: { [gone]: () => "yes" },
    },
    {
      title: `the ${word} is gone`,
      method: "GET",
      path: `${path}/{${word}}`,
      as: "operator",
      status: 404,
      after: [gone],
    },
  ];
}

function patch(value: Readonly<Record<string, string>>) {
  return { schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations: [{ op: "replace", value }] };
}

function idOf({ body }: Answer): string | undefined {
  return textIn(body, "id");
}

function hasId(answer: Answer): boolean {
  return idOf(answer) !== undefined;
}

function hasText(name: string) {
  return ({ body }: Answer): boolean => textIn(body, name) !== undefined;
}

function hasList(name: string) {
  return ({ body }: Answer): boolean => Array.isArray(memberOf(body, name));
}

function isOne({ body }: Answer): boolean {
  return memberOf(body, "totalResults") === 1;
}

function firstOf(body: unknown, name: string): unknown {
  const list = memberOf(body, name);
  return Array.isArray(list) ? list[0] : undefined;
}
