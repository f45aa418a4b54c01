/**
 * OAuth clients: one item each, at the client id, which is its claim. It holds a copy of all that the token endpoint must know
 * of the application, so that a token costs one read: the settings of the client, which change with the application, and
 * the APIs that the application may call, which change with their own item. Both changes are written here in their own
 * transaction, together with what they revoke.
 */

import { canBeId } from "../../platform/ids.ts";
import { keys } from "../../table/keys.ts";
import { stale } from "../../table/stale.ts";
import type { Item, Step, Table } from "../../table/table.ts";
import { revocationTime, revokingClient, revokingScopes } from "../../tokens/revocation-store.ts";
import type { Authorization } from "./authorization-model.ts";
import { type ClientRecord, endsTokens } from "./client-model.ts";

/** Where a client belongs. */
export interface ClientOwner {
  readonly tenant: string;
  readonly applicationId: string;
}

/** A client as the token endpoint reads it. */
export interface Client extends ClientOwner {
  readonly clientId: string;
  readonly settings: ClientRecord;
  readonly apis: readonly Authorization[];
  /** From when on tokens of the client count, in milliseconds since 1970. */
  readonly tokensFromMs: number;
  /** When it last lost a scope, likewise. */
  readonly scopesFromMs: number;
}

/** The clients of all tenants. */
export interface ClientStore {
  /** The client with that id, whatever its tenant. One round trip. */
  find(clientId: string): Promise<Client | undefined>;
}

/** Opens the store on the table of one request. */
export function clientStore(table: Table): ClientStore {
  return {
    async find(clientId) {
      // What no client can be called is looked up all the same: it must cost what another costs.
      const item = await table.get(keys.client(canBeId(clientId) ? clientId : ""));
      if (!item?.client) return undefined;
      const { tenant, application, client, apis = [], tokensFromMs = 0, scopesFromMs = 0 } = item;
      return {
        clientId,
        tenant: String(tenant),
        applicationId: String(application),
        settings: client as unknown as ClientRecord,
        apis: apis as unknown as readonly Authorization[],
        tokensFromMs: Number(tokensFromMs),
        scopesFromMs: Number(scopesFromMs),
      };
    },
  };
}

/** The item of a new client. */
export function clientItem(
  clientId: string,
  { tenant, applicationId }: ClientOwner,
  client: ClientRecord,
  apis: readonly Authorization[],
): Item {
  return {
    ...keys.client(clientId),
    tenant,
    application: applicationId,
    client: asValue(client),
    apis: asValue(apis),
    // Tokens of another client that had the id before it are none of this one's.
    tokensFromMs: revocationTime(),
  };
}

/** The steps that change the settings of a client; none where nothing of it changes here. Made anew for every attempt. */
export function changingClient(
  clientId: string,
  owner: ClientOwner,
  before: ClientRecord,
  after: ClientRecord,
): readonly Step[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const tokensFromMs = endsTokens(before, after) ? revocationTime() : undefined;
  return [
    {
      change: keys.client(clientId),
      set: { client: asValue(after) ?? null, ...(tokensFromMs !== undefined && { tokensFromMs }) },
      when: held(owner),
      otherwise: stale,
    },
    ...(tokensFromMs === undefined ? [] : [revokingClient(owner.tenant, clientId, tokensFromMs)]),
  ];
}

/** The steps that give a client id free and end its tokens. Made anew for every attempt. */
export function releasingClient(clientId: string, owner: ClientOwner): readonly Step[] {
  return [
    { remove: keys.client(clientId), when: held(owner), otherwise: stale },
    revokingClient(owner.tenant, clientId, revocationTime()),
  ];
}

/** The steps that give a client other APIs, and end its tokens that hold one of the scopes it lost. Made anew for every attempt. */
export function authorizingClient(
  clientId: string,
  owner: ClientOwner,
  apis: readonly Authorization[],
  lostScopes: readonly string[],
): readonly Step[] {
  const scopesFromMs = lostScopes.length > 0 ? revocationTime() : undefined;
  return [
    {
      change: keys.client(clientId),
      set: { apis: asValue(apis) ?? null, ...(scopesFromMs !== undefined && { scopesFromMs }) },
      when: held(owner),
      otherwise: stale,
    },
    ...(scopesFromMs === undefined ? [] : [revokingScopes(owner.tenant, clientId, scopesFromMs, lostScopes)]),
  ];
}

function asValue(value: ClientRecord | readonly Authorization[]) {
  return value as unknown as Item["client"];
}

function held({ tenant, applicationId }: ClientOwner): Step["when"] {
  return {
    equal: { tenant, application: applicationId },
  };
}
