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
const APPLICATIONS = `${REST}/applications`;
const SCIM_USERS = "/scim2/Users";
const SCIM_GROUPS = "/scim2/Groups";
const SCIM_ROLES = "/scim2/v2/Roles";
/** An id that no resource has. */
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

/** All steps, in their order. Those that end with "of the README" are its first request. */
export const steps: readonly Step[] = [
  // Public paths.
  get("signing keys", "/oauth2/jwks", { as: "anonymous", holds: hasList("keys") }),
  get("metadata of the token endpoint", "/.well-known/oauth-authorization-server", {
    as: "anonymous",
    holds: hasText("issuer"),
  }),
  get("OpenID discovery", "/oauth2/token/.well-known/openid-configuration", {
    as: "anonymous",
    holds: hasText("issuer"),
  }),
  get("API document", "/openapi.json", { as: "anonymous", holds: hasText("openapi") }),
  get("page", "/", { as: "anonymous" }),
  get("reference of the API", "/reference", { as: "anonymous" }),
  // Refusals.
  get("no credential", APPLICATIONS, { as: "anonymous", status: 401 }),
  get("invalid token", SCIM_USERS, { as: "stranger", status: 401 }),
  get("unknown application", `${APPLICATIONS}/${UNKNOWN_ID}`, { status: 404 }),
  { title: "method that no operation has", method: "DELETE", path: SCIM_USERS, as: "operator", status: 405 },
  post("body that is no JSON", APPLICATIONS, "name={name}", { status: 415, contentType: "text/plain" }),
  // A user in a group that has a role.
  post(
    "create a user of the README",
    SCIM_USERS,
    { userName: "{name}", password: "{password}", name: { givenName: "Smoke", familyName: "Test" } },
    { takes: { user: idOf } },
  ),
  get("read the user", `${SCIM_USERS}/{user}`, { holds: hasId }),
  patch("change the user", `${SCIM_USERS}/{user}`, replacing({ nickName: "smoke" })),
  get("find the user", `${SCIM_USERS}?filter=userName+eq+%22{name}%22`, { after: ["user"], holds: isOne }),
  get("read the user by SCIM 1.1", "/svc/scim/Users/{user}", { holds: hasId }),
  post(
    "create a group of the README",
    SCIM_GROUPS,
    { displayName: "{name}", members: [{ value: "{user}" }] },
    { takes: { group: idOf } },
  ),
  get("read the group", `${SCIM_GROUPS}/{group}`, { holds: hasId }),
  patch("change the group", `${SCIM_GROUPS}/{group}`, replacing({ displayName: "{name}-changed" })),
  get("find the group", `${SCIM_GROUPS}?filter=displayName+sw+%22{name}%22`, { after: ["group"], holds: isOne }),
  post(
    "create a role of the README",
    SCIM_ROLES,
    { displayName: "{name}", permissions: [{ value: "internal_user_mgt_list" }], groups: [{ value: "{group}" }] },
    { takes: { role: idOf } },
  ),
  get("read the role", `${SCIM_ROLES}/{role}`, { holds: hasId }),
  patch("change the role", `${SCIM_ROLES}/{role}`, replacing({ displayName: "{name}-changed" })),
  get("find the role", `${SCIM_ROLES}?filter=displayName+sw+%22{name}%22`, { after: ["role"], holds: isOne }),
  get("list users as that user of the README", `${SCIM_USERS}?attributes=userName&count=1`, {
    as: "user",
    after: ["user", "group", "role"],
    holds: hasList("Resources"),
  }),
  get("applications as that user", `${APPLICATIONS}?limit=1`, { as: "user", status: 403, after: ["user"] }),
  // An application that may list users, and a token for it.
  post(
    "create an application of the README",
    APPLICATIONS,
    { name: "{name}", inboundProtocolConfiguration: { oidc: { grantTypes: ["client_credentials"] } } },
    { takes: { application: ({ locationId }) => locationId } },
  ),
  get("read the application", `${APPLICATIONS}/{application}`, { holds: hasId }),
  patch("change the application", `${APPLICATIONS}/{application}`, { description: "a smoke test" }),
  get("find the application of the README", `${APPLICATIONS}?filter=name+eq+{name}`, {
    after: ["application"],
    holds: isOne,
  }),
  get("export the application", `${APPLICATIONS}/{application}/export`),
  get("find the API of users of the README", `${REST}/api-resources?filter=identifier+eq+/scim2/Users`, {
    takes: { api: ({ body }) => textIn(firstOf(body, "apiResources"), "id") },
  }),
  post(
    "authorize the API of the README",
    `${APPLICATIONS}/{application}/authorized-apis`,
    { id: "{api}", policyIdentifier: "RBAC", scopes: ["internal_user_mgt_list"] },
    { status: 200, takes: { authorized: () => "yes" } },
  ),
  get("read the client of the README", `${APPLICATIONS}/{application}/inbound-protocols/oidc`, {
    takes: {
      clientId: ({ body }) => textIn(body, "clientId"),
      clientSecret: ({ body }) => textIn(body, "clientSecret"),
    },
  }),
  post(
    "token by client credentials of the README",
    "/oauth2/token",
    "grant_type=client_credentials&scope=internal_user_mgt_list",
    {
      as: "client",
      status: 200,
      contentType: "application/x-www-form-urlencoded",
      after: ["authorized", "clientId", "clientSecret"],
      takes: { token: ({ body }) => textIn(body, "access_token") },
    },
  ),
  get("list users by the token of the README", `${SCIM_USERS}?attributes=userName&count=1`, {
    as: "token",
    after: ["token"],
    holds: hasList("Resources"),
  }),
  get("groups by the token, which has no scope for them", `${SCIM_GROUPS}?count=1`, {
    as: "token",
    status: 403,
    after: ["token"],
  }),
  // Deletions.
  ...deletion("application", APPLICATIONS),
  ...deletion("role", SCIM_ROLES),
  ...deletion("group", SCIM_GROUPS),
  ...deletion("user", SCIM_USERS),
];

function get(title: string, path: string, more?: Partial<Step>): Step {
  return { title, method: "GET", path, as: "operator", status: 200, ...more };
}

function post(title: string, path: string, body: unknown, more?: Partial<Step>): Step {
  return { title, method: "POST", path, as: "operator", status: 201, body, ...more };
}

function patch(title: string, path: string, body: unknown): Step {
  return { title, method: "PATCH", path, as: "operator", status: 200, body };
}

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
    get(`the ${word} is gone`, `${path}/{${word}}`, { status: 404, after: [gone] }),
  ];
}

function replacing(value: Readonly<Record<string, string>>) {
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
