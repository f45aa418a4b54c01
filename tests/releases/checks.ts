/**
 * Requests on everything that everything.ts creates: they read it, and then change it. A release runs them on the table
 * of another one.
 */
import { isDeepStrictEqual } from "node:util";
import type { Made, Reply, Send } from "./everything.ts";

/** One check. Throws an `Error` that says what differs. */
export interface Check {
  readonly name: string;
  readonly run: (send: Send, made: Made) => Promise<void>;
}

const REST = "/api/server/v1";
const KIM = "kim:a-good-password";
const BOSS = "boss@tenant.example:a-good-password";
const CORE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

/** Reads every kind of row. */
export const reads: readonly Check[] = [
  check("a user signs in and reads itself", async (send, { user }) => {
    shows(await send("GET", "/scim2/Me", undefined, KIM), { id: user, userName: "kim" });
  }),
  check("the user has all its values", async (send, { user, group }) => {
    const { body } = shows(await send("GET", `/scim2/Users/${user}`), {
      externalId: "employee-1",
      name: { givenName: "Kim", familyName: "Müller" },
    });
    same(body.emails?.[0]?.value ?? body.emails?.[0], "kim@example.com");
    same(body[CORE]?.department, "Rides");
    same(idsIn(body.groups), [group]);
    includes(idsIn(body.roles, "display"), "dispatcher");
  }),
  check("users are found by name, external id and address", async (send, { user }) => {
    for (const filter of ['userName eq "kim"', 'externalId eq "employee-1"', 'emails eq "kim@example.com"']) {
      const { body } = await ok(send("GET", `/scim2/Users?filter=${encodeURIComponent(filter)}`));
      same(idsIn(body.Resources, "id"), [user]);
    }
  }),
  check("the list of users is complete", async (send) => {
    const { body } = await ok(send("GET", "/scim2/Users?count=100"));
    same(body.totalResults, 15);
    same(body.Resources.length, 15);
  }),
  check("an inactive user is refused", async (send) => {
    same((await send("GET", "/scim2/Me", undefined, "lee:a-good-password")).status, 401);
  }),
  check("the group has its members", async (send, { group, user, many0 }) => {
    const { body } = shows(await send("GET", `/scim2/Groups/${group}`), { displayName: "drivers" });
    same(idsIn(body.members).sort(), [user, many0].sort());
  }),
  check("the role has its permissions and assignees", async (send, { role, user, group }) => {
    const { body } = shows(await send("GET", `/scim2/v2/Roles/${role}`), { displayName: "dispatcher" });
    same(idsIn(body.permissions).sort(), ["internal_application_mgt_view", "internal_user_mgt_list"]);
    same([idsIn(body.users), idsIn(body.groups)], [[user], [group]]);
    same((await send("GET", "/scim2/Users?count=1", undefined, KIM)).status, 200);
  }),
  check("the API has its scopes", async (send, { api }) => {
    const { body } = shows(await send("GET", `${REST}/api-resources/${api}`), { identifier: "https://rides.example" });
    same(idsIn(body.scopes, "name").sort(), ["rides:read", "rides:write"]);
  }),
  check("the application has its settings and every protocol", async (send, { application, applicationClient }) => {
    const path = `${REST}/applications/${application}`;
    shows(await send("GET", path), {
      name: "Rides of Kim",
      description: "everything in one",
      clientId: applicationClient,
    });
    for (const [protocol, expected] of [
      ["oidc", { clientId: applicationClient }],
      ["saml", { issuer: "https://rides.example/saml" }],
      ["passive-sts", { realm: "rides" }],
      ["ws-trust", { audience: "https://rides.example/trust" }],
      ["cas", { configName: "cas" }],
    ] as const) {
      shows(await send("GET", `${path}/inbound-protocols/${protocol}`), expected);
    }
  }),
  check("the sealed client secret opens", async (send, { application, applicationSecret }) => {
    const path = `${REST}/applications/${application}/inbound-protocols/oidc`;
    shows(await send("GET", path), { clientSecret: applicationSecret });
  }),
  check("applications are listed, and found by issuer", async (send, { application, long }) => {
    const { body } = await ok(send("GET", `${REST}/applications`));
    const ids = idsIn(body.applications, "id");
    includes(ids, application);
    includes(ids, long);
    const found = await ok(send("GET", `${REST}/applications?filter=name+eq+%22Rides%20of%20Kim%22`));
    same(idsIn(found.body.applications, "id"), [application]);
  }),
  check("authorized APIs are those of before", async (send, { application, api, usersApi }) => {
    const { body } = await ok(send("GET", `${REST}/applications/${application}/authorized-apis`));
    same(idsIn(body, "id").sort(), [api, usersApi].sort());
  }),
  check("the resident application and the template are those of before", async (send, { template }) => {
    const { body } = await ok(send("GET", `${REST}/applications/resident`));
    same(body.provisioningConfigurations.inboundProvisioning.proxyMode, true);
    shows(await send("GET", `${REST}/applications/templates/${template}`), { name: "a template" });
    const list = await ok(send("GET", `${REST}/applications/templates`));
    includes(idsIn(list.body.templates, "id"), template);
  }),
  check("tokens count, and revoked ones do not", async (send, { userToken, token, revokedToken }) => {
    for (const valid of [userToken, token]) {
      same((await send("GET", "/scim2/Users?count=1", undefined, `Bearer ${valid}`)).status, 200);
    }
    same((await send("GET", "/scim2/Users?count=1", undefined, `Bearer ${revokedToken}`)).status, 401);
  }),
  check("the signing keys verify and sign", async (send, { applicationClient, applicationSecret }) => {
    const { body } = await ok(send("GET", "/oauth2/jwks", undefined, ""));
    const kids = idsIn(body.keys, "kid");
    same(kids.length > 0, true);
    const client = `${applicationClient}:${applicationSecret}`;
    const answer = await ok(
      send("POST", "/oauth2/token", "grant_type=client_credentials&scope=internal_user_mgt_list", client),
    );
    const [head = ""] = String(answer.body.access_token).split(".");
    includes(kids, JSON.parse(Buffer.from(head, "base64url").toString()).kid);
    same((await send("GET", "/scim2/Users?count=1", undefined, `Bearer ${answer.body.access_token}`)).status, 200);
  }),
  check("the other tenant has its administrator and application", async (send, { tenant, tenantApplication }) => {
    shows(await send("GET", `${REST}/tenants/${tenant}`), { domain: "tenant.example" });
    const { body } = await ok(send("GET", `${REST}/tenants`));
    includes(idsIn(body.tenants, "id"), tenant);
    const path = `/t/tenant.example${REST}/applications/${tenantApplication}`;
    shows(await send("GET", path, undefined, BOSS), { name: "of the tenant" });
  }),
];

/** Changes every kind of row, and reads what was changed. */
export const changes: readonly Check[] = [
  check("a user changes name, address and password", async (send, { user }) => {
    const path = `/scim2/Users/${user}`;
    await ok(
      send("PATCH", path, patch({ nickName: "K", password: "a-better-password", emails: ["kim@rides.example"] })),
    );
    shows(await send("GET", path), { nickName: "K", userName: "kim" });
    const { body } = await ok(
      send("GET", `/scim2/Users?filter=${encodeURIComponent('emails eq "kim@rides.example"')}`),
    );
    same(idsIn(body.Resources, "id"), [user]);
    same((await send("GET", "/scim2/Me", undefined, KIM)).status, 401);
    same((await send("GET", "/scim2/Me", undefined, "kim:a-better-password")).status, 200);
  }),
  check("a refresh token is replaced", async (send, { longClient, longSecret, many3 }) => {
    const client = `${longClient}:${longSecret}`;
    const form = "grant_type=password&username=many-3&password=a-good-password&scope=openid";
    const first = await ok(send("POST", "/oauth2/token", form, client));
    const again = `grant_type=refresh_token&refresh_token=${first.body.refresh_token}`;
    const second = await ok(send("POST", "/oauth2/token", again, client));
    same(typeof second.body.access_token, "string");
    same((await send("POST", "/oauth2/token", again, client)).status, 400);
    shows(await send("GET", `/scim2/Users/${many3}`), { userName: "many-3" });
  }),
  check("a user is created and another deleted", async (send, { many5 }) => {
    const made = await send("POST", "/scim2/Users", { userName: "new", password: "a-good-password" });
    same(made.status, 201);
    same((await send("DELETE", `/scim2/Users/${many5}`)).status, 204);
    const { body } = await ok(send("GET", "/scim2/Users?count=100"));
    same(body.totalResults, 15);
    same((await send("DELETE", `/scim2/Users/${made.body.id}`)).status, 204);
  }),
  check("a group is renamed and gets a member", async (send, { group, user, many0, many4 }) => {
    const operations = [
      { op: "replace", value: { displayName: "riders" } },
      { op: "add", path: "members", value: [{ value: many4 }] },
    ];
    await ok(send("PATCH", `/scim2/Groups/${group}`, { schemas: [PATCH], Operations: operations }));
    const { body } = shows(await send("GET", `/scim2/Groups/${group}`), { displayName: "riders" });
    same(idsIn(body.members).sort(), [user, many0, many4].sort());
  }),
  check("a role is renamed and loses a permission", async (send, { role }) => {
    const permissions = [{ value: "internal_user_mgt_list" }];
    await ok(send("PATCH", `/scim2/v2/Roles/${role}`, patch({ displayName: "lead", permissions })));
    const { body } = shows(await send("GET", `/scim2/v2/Roles/${role}`), { displayName: "lead" });
    same(idsIn(body.permissions), ["internal_user_mgt_list"]);
  }),
  check("an API loses a scope", async (send, { api }) => {
    const path = `${REST}/api-resources/${api}`;
    await ok(send("PATCH", path, { name: "All rides" }));
    await ok(send("PUT", `${path}/scopes`, [{ name: "rides:read" }]));
    const { body } = shows(await send("GET", path), { name: "All rides" });
    same(idsIn(body.scopes, "name"), ["rides:read"]);
  }),
  check("an application changes name and protocols", async (send, { application }) => {
    const path = `${REST}/applications/${application}`;
    await ok(send("PATCH", path, { name: "Rides", description: "changed" }));
    const custom = {
      name: "cas",
      configName: "cas",
      properties: [{ key: "serviceURL", value: "https://rides.example/in" }],
    };
    await ok(send("PUT", `${path}/inbound-protocols/cas`, custom));
    same((await send("DELETE", `${path}/inbound-protocols/ws-trust`)).status, 204);
    shows(await send("GET", path), { name: "Rides", description: "changed" });
    same((await send("GET", `${path}/inbound-protocols/ws-trust`)).status, 404);
    const found = await ok(send("GET", `${REST}/applications?filter=name+eq+Rides`));
    same(idsIn(found.body.applications, "id"), [application]);
  }),
  check("an application with a long lifetime can be changed otherwise", async (send, { long }) => {
    await ok(send("PATCH", `${REST}/applications/${long}`, { description: "still long" }));
    shows(await send("GET", `${REST}/applications/${long}`), { description: "still long" });
  }),
  check("a client secret is replaced, and its tokens end", async (send, { long, longClient, longSecret, token }) => {
    const regenerated = await ok(send("POST", `${REST}/applications/${long}/inbound-protocols/oidc/regenerate-secret`));
    const form = "grant_type=client_credentials";
    same((await send("POST", "/oauth2/token", form, `${longClient}:${longSecret}`)).status, 401);
    same((await send("POST", "/oauth2/token", form, `${longClient}:${regenerated.body.clientSecret}`)).status, 200);
    same((await send("GET", "/scim2/Users?count=1", undefined, `Bearer ${token}`)).status, 401);
  }),
  check("the authorization of an API ends", async (send, { application, api, usersApi }) => {
    same((await send("DELETE", `${REST}/applications/${application}/authorized-apis/${api}`)).status, 204);
    const { body } = await ok(send("GET", `${REST}/applications/${application}/authorized-apis`));
    same(idsIn(body, "id"), [usersApi]);
  }),
  check("the resident application and the template change", async (send, { template }) => {
    const { body } = await ok(
      send("PUT", `${REST}/applications/resident`, { inboundProvisioning: { proxyMode: false } }),
    );
    same(body.provisioningConfigurations.inboundProvisioning.proxyMode, false);
    await ok(
      send("PUT", `${REST}/applications/templates/${template}`, { name: "renamed", application: { name: "x" } }),
    );
    shows(await send("GET", `${REST}/applications/templates/${template}`), { name: "renamed" });
  }),
  check("the other tenant is deactivated", async (send, { tenant, tenantApplication }) => {
    await ok(send("PUT", `${REST}/tenants/${tenant}/lifecycle-status`, { activated: false }));
    const path = `/t/tenant.example${REST}/applications/${tenantApplication}`;
    same((await send("GET", path, undefined, BOSS)).status, 401);
  }),
  check("a user, a group, a role, an application and an API are deleted", async (send, made) => {
    const { user, group, role, application, api } = made;
    for (const path of [
      `/scim2/v2/Roles/${role}`,
      `/scim2/Groups/${group}`,
      `/scim2/Users/${user}`,
      `${REST}/applications/${application}`,
      `${REST}/api-resources/${api}`,
    ]) {
      same([path, (await send("DELETE", path)).status], [path, 204]);
      same([path, (await send("GET", path)).status], [path, 404]);
    }
  }),
];

const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

function check(name: string, run: Check["run"]): Check {
  return { name, run };
}

function patch(value: object) {
  return { schemas: [PATCH], Operations: [{ op: "replace", value }] };
}

async function ok(sent: Promise<Reply>): Promise<Reply> {
  const reply = await sent;
  if (reply.status < 200 || reply.status > 204) throw new Error(`${reply.status}: ${JSON.stringify(reply.body)}`);
  return reply;
}

/** A 200 whose body has these members. */
function shows(reply: Reply, expected: object): Reply {
  if (reply.status !== 200) throw new Error(`${reply.status}: ${JSON.stringify(reply.body)}`);
  for (const [name, value] of Object.entries(expected)) same([name, reply.body[name]], [name, value]);
  return reply;
}

// biome-ignore lint/suspicious/noExplicitAny: a list of any response
function idsIn(list: any, member = "value"): string[] {
  return (list ?? []).map((each: Record<string, string>) => each[member]);
}

function includes(list: readonly unknown[], value: unknown): void {
  if (!list.includes(value)) throw new Error(`${JSON.stringify(value)} is not in ${JSON.stringify(list)}`);
}

function same(found: unknown, expected: unknown): void {
  if (isDeepStrictEqual(found, expected)) return;
  throw new Error(`found ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
}
