/** One container of the authorizer with a settable clock, on the table of a running service. */
import { randomBytes } from "node:crypto";
import type { APIGatewayRequestAuthorizerEventV2 } from "aws-lambda";
import { openTable } from "#core/database/table/dynamo.ts";
import type { Cost, Meter } from "#core/database/table/meter.ts";
import { credentialStore } from "#core/directory/credentials/store.ts";
import { groupStore } from "#core/directory/groups/store.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { userStore } from "#core/directory/users/store.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { operations } from "#core/service/catalogue.ts";
import { newAuthorizer } from "#core/sign-in/authentication/authorize.ts";
import { defaultLockoutPolicy, lockoutStore } from "#core/sign-in/authentication/lockout-store.ts";
import { newProofReader } from "#core/tokens/dpop.ts";
import { clientFor } from "#local/database.ts";
import { APPLICATIONS, type World } from "./world.ts";

/** The key of the nonces of these containers. */
const NONCE_KEY = randomBytes(32);

/** A decision and its costs. */
export interface Decided {
  readonly context: Readonly<Record<string, string>>;
  readonly cost: Cost;
}

/** Creates a container. `ask` returns the decision for a request with that `Authorization` header. */
export const container = (api: World, clock = { ms: Date.now(), now: (): number => clock.ms }) => {
  const { endpoint, tableName, url } = api.service;
  let latest: Meter | undefined;
  const authorizer = newAuthorizer({
    access: { rules: [], certificates: { enabled: false, issuers: [], exemptContexts: [] } },
    operations,
    userStoresOf: () => [PRIMARY],
    clock,
    baseUrl: url,
    proofs: newProofReader(NONCE_KEY),
    stores: (meter) => {
      latest = meter;
      const table = openTable({ tableName, deadlineMs: 5_000, client: clientFor(endpoint) })(meter);
      return {
        table,
        tenants: tenantStore(table),
        users: userStore(table),
        roles: roleStore(table),
        groups: groupStore(table),
        credentials: credentialStore(table),
        lockouts: lockoutStore(table, defaultLockoutPolicy),
      };
    },
  });
  const ask = async (authorization: string, rawPath = APPLICATIONS, method = "GET"): Promise<Decided> => {
    const event = {
      rawPath,
      rawQueryString: "",
      headers: { authorization },
      requestContext: { requestId: "r", domainName: "unused", http: { method, sourceIp: "127.0.0.1" } },
    } as unknown as APIGatewayRequestAuthorizerEventV2;
    const { context } = await authorizer(event);
    return { context, cost: latest?.cost ?? { calls: 0, roundTrips: 0, readUnits: 0, writeUnits: 0 } };
  };
  return { clock, ask };
};
