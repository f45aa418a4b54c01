/** What a service has when its backup is taken, what is ended after that, and what callers of before then get. */
import { expect } from "vitest";
import { assertionOf, inline, JWT_ASSERTION, keyFor, registering } from "./client-keys.ts";
import { oauthOf, TOKEN } from "./oauth.ts";
import { DELETED, recoveryOf } from "./recovery.ts";
import { APPLICATIONS, type World } from "./world.ts";

export const VIEW = "internal_application_mgt_view";
const CREATE = "internal_application_mgt_create";
const [FIRST, SECOND] = ["the-first-password", "the-second-password"];
const JWT = { accessToken: { type: "JWT" } };
const TENANTS = "/api/server/v1/tenants";
const ROLES = "/scim2/v2/Roles";
/** So many wrong passwords lock a name for their source. */
const GUESSES = 10;
/** A key that leaked after the backup. */
const LEAKED = keyFor("ES256", "a leaked key");
const SIGNING = { clientAuthentication: { tokenEndpointAuthMethod: "private_key_jwt" } };
const SYSTEM = "urn:scim:wso2:schema";

/** What `before` made. */
export type Before = Awaited<ReturnType<typeof before>>;

/** Everything that exists at the restored moment. */
export const before = async (api: World) => {
  const { newClient, token, ownToken } = oauthOf(api);
  const { clientBy } = registering(api, { newClient });
  const post = async (path: string, body: unknown) => {
    const answer = await api.ask("POST", path, { body });
    expect(answer.status, answer.text).toBe(201);
    return answer;
  };
  const names = [
    ..."returned purged binned kept revoked inactive locked deleted changed unassigned reduced dismissed left orphaned guessed".split(
      " ",
    ),
  ];
  const ids: Record<string, string> = {};
  for (const userName of names) {
    ids[userName] = (await post("/scim2/Users", { userName, password: FIRST })).body.id;
  }
  const role = async (displayName: string, permissions: readonly string[], more: Record<string, unknown>) =>
    (await post(ROLES, { displayName, permissions: permissions.map((value) => ({ value })), ...more })).body
      .id as string;
  const usersOf = (...users: readonly string[]) => ({ users: users.map((name) => ({ value: ids[name] })) });
  const groupOf = async (displayName: string, member: string) =>
    (await post("/scim2/Groups", { displayName, members: [{ value: ids[member] }] })).body.id as string;
  const groups = { left: await groupOf("left", "left"), removed: await groupOf("removed", "orphaned") };
  const roles = {
    everybody: await role(
      "viewers",
      [VIEW],
      usersOf(
        "kept",
        "revoked",
        "inactive",
        "locked",
        "deleted",
        "changed",
        "unassigned",
        "guessed",
        "returned",
        "purged",
        "binned",
      ),
    ),
    reduced: await role("reduced", [VIEW, CREATE], usersOf("reduced")),
    dismissed: await role("dismissed", [VIEW], usersOf("dismissed")),
    ofGroups: await role("of groups", [VIEW], { groups: [{ value: groups.left }, { value: groups.removed }] }),
  };
  const clients = {
    opaque: await newClient([VIEW, CREATE]),
    jwt: await newClient([VIEW, CREATE], JWT),
    removed: await newClient([VIEW]),
    disabled: await newClient([VIEW]),
    revoked: await newClient([VIEW]),
    regenerated: await newClient([VIEW]),
    signing: await clientBy({ tokenEndpointAuthMethod: "private_key_jwt" }, inline(LEAKED), [VIEW]),
    hardened: await newClient([VIEW]),
    restricted: await newClient([VIEW, CREATE]),
    returned: await newClient([VIEW]),
    binned: await newClient([VIEW]),
  };
  const tenant = await post(TENANTS, {
    domain: "tenant.example",
    owners: [{ username: "boss", password: FIRST, provisioningMethod: "inline-password" }],
  });
  // Deleted, and put aside.
  const { remove } = recoveryOf(api);
  for (const name of ["returned", "purged", "binned"]) await remove(`/scim2/Users/${ids[name]}`);
  for (const { applicationId } of [clients.returned, clients.binned]) await remove(`${APPLICATIONS}/${applicationId}`);
  const grant = (username: string) => ({ grant_type: "password", username, password: FIRST, scope: VIEW });
  return {
    ids,
    groups,
    roles,
    clients,
    tenantId: tenant.headers.get("location")?.split("/").at(-1) ?? "",
    tokens: {
      opaque: await token(clients.opaque, grant("revoked")),
      kept: await token(clients.opaque, grant("kept")),
      jwt: await token(clients.jwt, grant("kept")),
      own: await ownToken(clients.opaque, VIEW),
    },
  };
};

/** Everything that protects, done after the backup. */
export const after = async (api: World, { ids, groups, roles, clients, tenantId, tokens }: Before) => {
  const { post, oidcPath, newClient } = oauthOf(api);
  const { setCertificate } = registering(api, { newClient });
  const must = async (method: string, path: string, body?: unknown) => {
    const { status, text } = await api.ask(method, path, { body });
    expect(status, `${method} ${path}: ${text}`).toBeLessThan(300);
  };
  const patch = (path: string, ...Operations: unknown[]) => must("PATCH", path, { Operations });
  const set = (name: string, value: unknown) => patch(`/scim2/Users/${ids[name]}`, { op: "replace", value });
  const { access_token, refresh_token } = tokens.opaque;
  for (const text of [access_token, refresh_token]) await post("/oauth2/revoke", { token: text }, clients.opaque);
  await set("inactive", { active: false });
  await set("locked", { [SYSTEM]: { accountLocked: true } });
  for (let guess = 0; guess < GUESSES; guess += 1) {
    await api.ask("GET", APPLICATIONS, { as: { username: "guessed", password: `wrong-password-${guess}` } });
  }
  await must("DELETE", `/scim2/Users/${ids.deleted}`);
  await set("changed", { password: SECOND });
  await patch(`${ROLES}/${roles.everybody}`, { op: "remove", path: `users[value eq "${ids.unassigned}"]` });
  await patch(`${ROLES}/${roles.reduced}`, { op: "replace", path: "permissions", value: [{ value: VIEW }] });
  await must("DELETE", `${ROLES}/${roles.dismissed}`);
  await patch(`/scim2/Groups/${groups.left}`, { op: "remove", path: `members[value eq "${ids.left}"]` });
  await must("DELETE", `/scim2/Groups/${groups.removed}`);
  await must("DELETE", `${APPLICATIONS}/${clients.removed.applicationId}`);
  await must("PATCH", `${APPLICATIONS}/${clients.disabled.applicationId}`, { applicationEnabled: false });
  await must("POST", `${oidcPath(clients.revoked.applicationId)}/revoke`);
  await must("POST", `${oidcPath(clients.regenerated.applicationId)}/regenerate-secret`);
  await setCertificate(clients.signing, inline(keyFor("ES256", "its new key")));
  const hardened = oidcPath(clients.hardened.applicationId);
  await must("PUT", hardened, { ...(await api.ask("GET", hardened)).body, ...SIGNING });
  const apis = `${APPLICATIONS}/${clients.restricted.applicationId}/authorized-apis`;
  const [{ id }] = (await api.ask("GET", apis)).body;
  await must("PATCH", `${apis}/${id}`, { removedScopes: [CREATE] });
  await must("PUT", `${TENANTS}/${tenantId}/lifecycle-status`, { activated: false });
  const { applicationId } = clients.returned;
  for (const id of [ids.returned, applicationId]) await must("POST", `${DELETED}/${id}/restore`);
  await set("returned", { password: SECOND });
  await must("POST", `${oidcPath(applicationId)}/regenerate-secret`);
  await must("DELETE", `${DELETED}/${ids.purged}`);
  await must("POST", "/scim2/Users", { userName: "later", password: FIRST });
};

/** What callers of before the restored moment get, by their names. */
export const outcome = async (
  api: World,
  { ids, clients, tokens }: Before,
): Promise<Readonly<Record<string, unknown>>> => {
  const { post } = oauthOf(api);
  const lets = async (as: string | { username: string; password: string }) =>
    (await api.ask("GET", APPLICATIONS, { as })).status;
  const signsIn = (username: string, password = FIRST) => lets({ username, password });
  const own = async (client: keyof typeof clients, scope: string) => {
    const { status, body } = await post(TOKEN, { grant_type: "client_credentials", scope }, clients[client]);
    return status === 200 ? body.scope : body.error;
  };
  const signed = async (client: typeof clients.signing) => {
    const client_assertion = await assertionOf(client, LEAKED, `${api.url}${TOKEN}`);
    const form = { grant_type: "client_credentials", scope: VIEW, client_assertion };
    const { status, body } = await post(TOKEN, { ...form, client_assertion_type: JWT_ASSERTION });
    return status === 200 ? body.scope : body.error;
  };
  const refresh = async (text: string | undefined, client: keyof typeof clients) =>
    (await post(TOKEN, { grant_type: "refresh_token", refresh_token: text }, clients[client])).body.error ??
    "refreshed";
  /** Restores a deleted user or application, and uses its password or secret. */
  const restoredUser = async (name: string) => {
    const { status } = await api.ask("POST", `${DELETED}/${ids[name]}/restore`);
    return [status, await signsIn(name), await signsIn(name, SECOND)];
  };
  const restoredClient = async (name: "returned" | "binned") => {
    const { status } = await api.ask("POST", `${DELETED}/${clients[name].applicationId}/restore`);
    return [status, await own(name, VIEW)];
  };
  return {
    "a user deleted then, who returned with another password": await restoredUser("returned"),
    "a user deleted then, and for good": await restoredUser("purged"),
    "a user deleted then and now": await restoredUser("binned"),
    "a client deleted then, which returned with another secret": await restoredClient("returned"),
    "a client deleted then and now": await restoredClient("binned"),
    "a revoked access token": await lets(`Bearer ${tokens.opaque.access_token}`),
    "a revoked refresh token": await refresh(tokens.opaque.refresh_token, "opaque"),
    "an access token": await lets(`Bearer ${tokens.kept.access_token}`),
    "a client's own token": await lets(`Bearer ${tokens.own}`),
    "a JWT of a dropped key": await lets(`Bearer ${tokens.jwt.access_token}`),
    "a refresh token": await refresh(tokens.kept.refresh_token, "opaque"),
    "a refresh token of a JWT": await refresh(tokens.jwt.refresh_token, "jwt"),
    "a deactivated user": await signsIn("inactive"),
    "a locked user": await signsIn("locked"),
    "a deleted user": await signsIn("deleted"),
    "a locked name": await signsIn("guessed"),
    "a replaced password": await signsIn("changed"),
    "its new password": await signsIn("changed", SECOND),
    "a user without its role": await signsIn("unassigned"),
    "a user whose role is deleted": await signsIn("dismissed"),
    "a user who left a group": await signsIn("left"),
    "a user of a deleted group": await signsIn("orphaned"),
    "the administrator of a deactivated tenant": await signsIn("boss@tenant.example"),
    "a deleted client": await own("removed", VIEW),
    "a disabled client": await own("disabled", VIEW),
    "a revoked client": await own("revoked", VIEW),
    "a replaced secret": await own("regenerated", VIEW),
    "a replaced key": await signed(clients.signing),
    "the secret of a client that signs now": await own("hardened", VIEW),
    "a client with less scopes": await own("restricted", `${VIEW} ${CREATE}`),
    "a role with less permissions": (
      await post(
        TOKEN,
        { grant_type: "password", username: "reduced", password: FIRST, scope: `${VIEW} ${CREATE}` },
        clients.opaque,
      )
    ).body.scope,
    "a user who was not ended": await signsIn("kept"),
    "a client that was not ended": await own("opaque", VIEW),
  };
};

/** Of a restored table as it is. */
export const VALID: Readonly<Record<string, unknown>> = {
  "a user deleted then, who returned with another password": [200, 200, 401],
  "a user deleted then, and for good": [200, 200, 401],
  "a user deleted then and now": [200, 200, 401],
  "a client deleted then, which returned with another secret": [200, VIEW],
  "a client deleted then and now": [200, VIEW],
  "a revoked access token": 200,
  "a revoked refresh token": "refreshed",
  "an access token": 200,
  "a client's own token": 200,
  "a JWT of a dropped key": 200,
  "a refresh token": "refreshed",
  "a refresh token of a JWT": "refreshed",
  "a deactivated user": 200,
  "a locked user": 200,
  "a deleted user": 200,
  "a locked name": 200,
  "a replaced password": 200,
  "its new password": 401,
  "a user without its role": 200,
  "a user whose role is deleted": 200,
  "a user who left a group": 200,
  "a user of a deleted group": 200,
  "the administrator of a deactivated tenant": 200,
  "a deleted client": VIEW,
  "a disabled client": VIEW,
  "a revoked client": VIEW,
  "a replaced secret": VIEW,
  "a replaced key": VIEW,
  "the secret of a client that signs now": VIEW,
  "a client with less scopes": `${VIEW} ${CREATE}`,
  "a role with less permissions": `${VIEW} ${CREATE}`,
  "a user who was not ended": 200,
  "a client that was not ended": VIEW,
};
/** Where all tokens have ended. */
const NO_TOKENS = {
  "a revoked access token": 401,
  "a revoked refresh token": "invalid_grant",
  "an access token": 401,
  "a client's own token": 401,
  "a JWT of a dropped key": 401,
  "a refresh token": "invalid_grant",
  "a refresh token of a JWT": "invalid_grant",
};
/** Where resources that were deleted already cannot be restored, unless it is known that nothing happened since. */
const NOT_RESTORED = {
  "a user deleted then, who returned with another password": [404, 401, 401],
  "a user deleted then, and for good": [404, 401, 401],
  "a client deleted then, which returned with another secret": [404, "invalid_client"],
};
/** Where nothing is known but the restored table. */
export const ALONE = {
  ...VALID,
  ...NO_TOKENS,
  ...NOT_RESTORED,
  "a user deleted then and now": [404, 401, 401],
  "a client deleted then and now": [404, "invalid_client"],
};
/** Where everything that was ended stays ended. */
export const ENDED = {
  ...VALID,
  ...NO_TOKENS,
  ...NOT_RESTORED,
  "a deactivated user": 401,
  "a locked user": 401,
  "a deleted user": 401,
  "a locked name": 401,
  "a replaced password": 401,
  "its new password": 200,
  "a user without its role": 403,
  "a user whose role is deleted": 403,
  "a user who left a group": 403,
  "a user of a deleted group": 403,
  "the administrator of a deactivated tenant": 401,
  "a deleted client": "invalid_client",
  "a disabled client": "invalid_client",
  "a revoked client": "invalid_client",
  "a replaced secret": "invalid_client",
  "a replaced key": "invalid_client",
  "the secret of a client that signs now": "invalid_client",
  "a client with less scopes": VIEW,
  "a role with less permissions": VIEW,
};
