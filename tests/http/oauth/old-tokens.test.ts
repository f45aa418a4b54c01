/** Access tokens that are older than the revocation log: they are compared with the marks of their subjects. */
import { expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import type { Step } from "#core/database/table/table.ts";
import { SUPER_TENANT } from "#core/kernel/domain/tenant.ts";
import { storingAccessToken } from "#core/tokens/access-token-store.ts";
import { newOpaque } from "#core/tokens/opaque.ts";
import { revokingGrant, revokingOwnScopes, revokingRole, revokingUser } from "#core/tokens/revocation-store.ts";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { addUser, tableOf } from "#tests/support/people.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { newClient } = oauthOf(api);
const VIEW = "internal_application_mgt_view";
const LIFETIME_SECONDS = 864_000;
const TWO_DAYS_SECONDS = 2 * 86_400;

const lets = async (text: string) => (await api.ask("GET", APPLICATIONS, { as: `Bearer ${text}` })).status;
let made = 0;
/** Each token has a role and a grant of its own. */
const oldToken = async (
  { clientId, applicationId }: TestClient,
  userId?: string,
  scopes: readonly string[] = [VIEW],
): Promise<string> => {
  const text = newOpaque("at_");
  made += 1;
  const issuedAtSeconds = Math.floor(Date.now() / 1_000) - TWO_DAYS_SECONDS;
  const token = {
    tenant: SUPER_TENANT,
    clientId,
    applicationId,
    scopes,
    roleIds: [`role ${made}`],
    grantId: `grant ${made}`,
    issuedAtSeconds,
    issuedMs: issuedAtSeconds * 1_000,
    expiresAtSeconds: issuedAtSeconds + LIFETIME_SECONDS,
    ...(userId !== undefined && { user: { id: userId, userName: "kim", userStore: "PRIMARY" } }),
  };
  await tableOf(api.service).write(storingAccessToken(text, token), {
    // The client is as old as its token.
    change: keys.client(clientId),
    set: { tokensFromMs: 0, scopesFromMs: 0 },
    when: "present",
    otherwise: () => new Error("no client"),
  });
  return text;
};

/** As if a day had passed: removes the log entries and leaves the marks. */
const forgetLog = async () => {
  const table = tableOf(api.service);
  const logs = [keys.revocations(SUPER_TENANT), keys.grantRevocations(SUPER_TENANT)];
  const entries = (await Promise.all(logs.map((PK) => table.queryAll({ PK, limit: 1_000 })))).flat();
  expect(entries.length).toBeGreaterThan(0);
  for (const entry of entries) await table.forget(entry);
};

const now = () => Date.now() + 1;
const soon = () => Math.floor(Date.now() / 1_000) + LIFETIME_SECONDS;
test.each<[string, (userId: string) => readonly Step[]]>([
  ["its user", (userId) => revokingUser(SUPER_TENANT, userId)],
  ["its role", () => revokingRole(SUPER_TENANT, `role ${made}`)],
  ["its grant", () => revokingGrant(SUPER_TENANT, `grant ${made}`, now(), soon())],
])("accepts a token of two days ago until %s is revoked", async (_, steps) => {
  const userId = await addUser(api.service, { username: `kim.${Math.random()}`, password: "secret", scopes: [VIEW] });
  const text = await oldToken(
    await newClient([VIEW], { accessToken: { userAccessTokenExpiryInSeconds: LIFETIME_SECONDS } }),
    userId,
  );
  expect(await lets(text)).toBe(200);
  await tableOf(api.service).write(...steps(userId));
  await forgetLog();
  expect(await lets(text)).toBe(401);
});

test("a token of two days ago ends when the secret of its client is regenerated", async () => {
  const client = await newClient([VIEW]);
  const text = await oldToken(client);
  expect(await lets(text)).toBe(200);
  await api.ask("POST", `${APPLICATIONS}/${client.applicationId}/inbound-protocols/oidc/regenerate-secret`);
  await forgetLog();
  expect(await lets(text)).toBe(401);
});

test("a token of two days ago with a scope of the tenant's own APIs ends when any such scope is deleted", async () => {
  const client = await newClient([VIEW]);
  const [with_, without] = [await oldToken(client, undefined, [VIEW, "ride:book"]), await oldToken(client)];
  expect([await lets(with_), await lets(without)]).toEqual([200, 200]);
  await tableOf(api.service).write(...revokingOwnScopes(SUPER_TENANT, ["ride:gone"]));
  await forgetLog();
  expect([await lets(with_), await lets(without)]).toEqual([401, 200]);
});
