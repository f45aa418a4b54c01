/**
 * Creates what the synthetic check uses, while a stage is deployed (decision 0073): a tenant of its own, a user in it,
 * and an application with a client. It is invoked as a function, never through the API.
 */

import { sameText } from "../../applications/protocols/client-secrets.ts";
import { defaultClientLimits } from "../../applications/protocols/limits.ts";
import { ownerOf } from "../../applications/protocols/model.ts";
import { oidcClient } from "../../applications/protocols/oidc.ts";
import type { Authorization } from "../../applications/registry/authorization-model.ts";
import { AUTHORIZE_ANY } from "../../applications/registry/authorization-rules.ts";
import { authorizedApiStore } from "../../applications/registry/authorization-store.ts";
import { type Application, freshApplication } from "../../applications/registry/model.ts";
import { applicationStore, TAKES_ONLY } from "../../applications/registry/store.ts";
import type { OpenTable } from "../../database/table/dynamo.ts";
import { newMeter } from "../../database/table/meter.ts";
import type { Table } from "../../database/table/table.ts";
import { tenantStore } from "../../directory/tenant-store.ts";
import { createTenant } from "../../directory/tenants/create.ts";
import { onceRightsAreKnown } from "../../directory/tenants/new-rights.ts";
import { freshUser } from "../../directory/users/model.ts";
import { userStore } from "../../directory/users/store.ts";
import { systemClock } from "../../kernel/clock.ts";
import { systemScopePlaces } from "../../kernel/domain/system-apis.ts";
import { CANARY_TENANT } from "../../kernel/domain/tenant.ts";
import { PRIMARY } from "../../kernel/domain/username.ts";
import { randomText, type Seal } from "../../kernel/seal.ts";
import { CANARY_APPLICATION, CANARY_SCOPES, CANARY_TOKEN_SECONDS, CANARY_USER, canaryClientIdOf } from "./model.ts";

/** Characters of the password of the tenant's administrator, which is forgotten at once. */
const PASSWORD_LENGTH = 64;

/** The keys of a stage. */
export interface CanaryKeys {
  readonly seal: Seal;
  /** The secret of the client (`canarySecretOf`). */
  readonly secret: string;
}

/**
 * Builds the function. It creates what is missing and gives the client its present secret; what is right already is not
 * written. Throws an `Error` that says what is wrong and never shows the secret.
 */
export function newCanarySetup(open: OpenTable, keys: CanaryKeys) {
  return async (): Promise<void> => {
    await onceRightsAreKnown(() => setUp(open(newMeter()), keys));
  };
}

async function setUp(table: Table, keys: CanaryKeys): Promise<void> {
  const nowMs = systemClock.now();
  await ensureTenant(table, nowMs);
  await ensureUser(table, nowMs);
  await ensureClient(table, keys);
  await ensureScopes(table);
}

async function ensureTenant(table: Table, nowMs: number): Promise<void> {
  if (await tenantStore(table).find(CANARY_TENANT)) return;
  const stores = { table, users: userStore(table), userStores: [PRIMARY] };
  const administrator = { username: "administrator", password: randomText(PASSWORD_LENGTH) };
  await createTenant(stores, CANARY_TENANT, administrator, nowMs);
}

async function ensureUser(table: Table, nowMs: number): Promise<void> {
  const users = userStore(table);
  if (await users.find(CANARY_TENANT, CANARY_USER.id)) return;
  await users.add(CANARY_TENANT, freshUser(CANARY_USER.id, CANARY_USER.name, nowMs), {
    taken: () => new Error(`${CANARY_TENANT} has another user "${CANARY_USER.name}". Rename it, and deploy again.`),
  });
}

async function ensureClient(table: Table, keys: CanaryKeys): Promise<void> {
  const applications = applicationStore(table);
  const { id, name } = CANARY_APPLICATION;
  const withClient = (before: Application): Application => ({
    ...before,
    applicationEnabled: true,
    inbound: { ...before.inbound, oidc: clientOf(keys) },
  });
  const found = await applications.find(CANARY_TENANT, id);
  if (!found) await applications.add(CANARY_TENANT, withClient(freshApplication(id, name, "", false)), TAKES_ONLY);
  else if (!isUsable(found, keys)) {
    await applications.update(CANARY_TENANT, id, new Set([AUTHORIZE_ANY]), withClient);
  }
}

function clientOf({ seal, secret }: CanaryKeys): NonNullable<Application["inbound"]["oidc"]> {
  return oidcClient(
    {
      clientId: canaryClientIdOf(secret),
      clientSecret: secret,
      grantTypes: ["client_credentials"],
      // A JWT needs no row, so that checks do not make the table grow.
      accessToken: { type: "JWT", applicationAccessTokenExpiryInSeconds: CANARY_TOKEN_SECONDS },
    },
    undefined,
    { seal, limits: defaultClientLimits, clock: systemClock },
    ownerOf(CANARY_TENANT, CANARY_APPLICATION.id),
  );
}

/** Whether an application has a client with the present secret. */
function isUsable({ applicationEnabled, inbound: { oidc } }: Application, { seal, secret }: CanaryKeys): boolean {
  if (!applicationEnabled || oidc?.state !== "ACTIVE" || oidc.clientId !== canaryClientIdOf(secret)) return false;
  try {
    return sameText(seal.open(oidc.sealedSecret, ownerOf(CANARY_TENANT, CANARY_APPLICATION.id)), secret);
  } catch {
    // Sealed under a key that is not known any more.
    return false;
  }
}

async function ensureScopes(table: Table): Promise<void> {
  await authorizedApiStore(table).update(CANARY_TENANT, CANARY_APPLICATION.id, async (before) => {
    const missing = authorizations().filter(
      ({ apiId, scopeIds }) =>
        !before.some((one) => one.apiId === apiId && scopeIds.every((id) => one.scopeIds.includes(id))),
    );
    if (missing.length === 0) return undefined;
    const kept = before.filter(({ apiId }) => !missing.some((one) => one.apiId === apiId));
    return { after: [...kept, ...missing], holding: [] };
  });
}

/** The APIs of the scopes. */
function authorizations(): readonly Authorization[] {
  const places = CANARY_SCOPES.map((scope) => {
    const place = systemScopePlaces.get(scope);
    if (!place) throw new Error(`no API has the scope ${scope}`);
    return place;
  });
  return [...Map.groupBy(places, ({ apiId }) => apiId)].map(([apiId, of]) => ({
    apiId,
    policy: "RBAC",
    scopeIds: of.map(({ id }) => id),
  }));
}
