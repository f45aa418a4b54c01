/**
 * OAuth clients: one row each, at the client id, which is the claim of the id. The row has a copy of all that the token
 * endpoint needs to know of the application, so that a token costs one read: the settings of the client, which change
 * with the application, and the authorized APIs, which change with their own row. Both changes are written here, each
 * in the transaction of its source, together with the revocations that follow from it.
 */

import { keys } from "../../database/table/keys.ts";
import {
  as,
  bool,
  type Field,
  flag,
  list,
  number,
  oneOf,
  optional,
  record,
  rowCodec,
  text,
  withDefault,
} from "../../database/table/row.ts";
import { stale } from "../../database/table/stale.ts";
import type { Item, Step, Table, Value } from "../../database/table/table.ts";
import type { CountingRoles } from "../../directory/roles/model.ts";
import { canBeId } from "../../kernel/ids.ts";
import { revocationTime, revokingClient, revokingEveryScope, revokingScopes } from "../../tokens/revocation-store.ts";
import { removing } from "../../tokens/unconditional.ts";
import type { UsableSecret } from "../protocols/client-secrets.ts";
import { clientAuthenticationMethods } from "../protocols/options.ts";
import type { Authorization } from "./authorization-model.ts";
import type { RegisteredKeys } from "./client-keys.ts";
import {
  type ClientAuthentication,
  type ClientRecord,
  endsTokens,
  type ReuseBounds,
  tokenBindings,
} from "./client-model.ts";

/** The application that a client belongs to. */
export interface ClientOwner {
  readonly tenant: string;
  readonly applicationId: string;
}

/** A client as the token endpoint reads it. */
export interface Client extends ClientOwner {
  readonly clientId: string;
  readonly settings: ClientRecord;
  readonly apis: readonly Authorization[];
  /** Tokens of the client that were issued before this time are not valid. In milliseconds since 1970. */
  readonly tokensFromMs: number;
  /** When the client last lost a scope, in the same unit. */
  readonly scopesFromMs: number;
  /** When the client last stopped taking guests, in the same unit. */
  readonly guestsFromMs: number;
  /**
   * When the application last lost an assignment, or began to ask for one, in the same unit: codes from before it do
   * not count.
   */
  readonly assignedFromMs: number;
}

/** The clients of all tenants. */
export type ClientStore = ReturnType<typeof clientStore>;

/** Authorizations as they are stored, here and with their application. */
export const authorizations: Field<readonly Authorization[]> = list(
  record<Authorization>({ apiId: text, policy: oneOf("RBAC", "NO POLICY"), scopeIds: list(text) }),
);

const authentication = record<ClientAuthentication>({
  method: oneOf(...clientAuthenticationMethods.map(({ name }) => name)),
  algorithm: optional(text),
  allowsReuse: flag,
  subject: optional(text),
  keys: optional(
    record<RegisteredKeys>({
      address: optional(text),
      jwks: optional(text),
      thumbprints: list(text),
      fromSeconds: optional(number),
      untilSeconds: optional(number),
    }),
  ),
});

const settings = record<ClientRecord>({
  sealedSecret: text,
  secretExpiresAtSeconds: optional(number),
  formerSecrets: optional(list(record<UsableSecret>({ sealedSecret: text, expiresAtSeconds: optional(number) }))),
  isEnabled: bool,
  state: oneOf("ACTIVE", "REVOKED"),
  grantTypes: list(text),
  isPublic: bool,
  tokenType: text,
  userTokenSeconds: number,
  clientTokenSeconds: number,
  refreshSeconds: number,
  rotatesRefresh: bool,
  authentication: optional(authentication),
  isFapi2: optional(bool),
  binding: optional(oneOf(...tokenBindings)),
  keepsRefreshExpiry: optional(bool),
  grace: optional(record<ReuseBounds>({ seconds: number, times: number })),
  listsScopes: optional(bool),
  sector: optional(text),
  origins: optional(list(text)),
  attributes: optional(list(text)),
  takesGuests: optional(bool),
  needsAssignment: optional(bool),
  roles: optional(record<CountingRoles>({ ofApplication: bool, ids: list(text) })),
});

const codec = rowCodec<Omit<Client, "clientId">>("OAuth client", {
  tenant: text,
  applicationId: as("application", text),
  settings: as("client", settings),
  apis: authorizations,
  tokensFromMs: number,
  scopesFromMs: withDefault(number, 0),
  guestsFromMs: withDefault(number, 0),
  assignedFromMs: withDefault(number, 0),
});

/** Opens the store on the table of one request. */
export function clientStore(table: Table) {
  return {
    /** Finds a client in any tenant. One round trip. */
    async find(clientId: string): Promise<Client | undefined> {
      // An impossible id is looked up too: it must take as long as a possible one.
      const item = await table.get(keys.client(canBeId(clientId) ? clientId : ""));
      return item && { ...codec.read(item), clientId };
    },
  };
}

/** The row of a new client. */
export function clientItem(
  clientId: string,
  owner: ClientOwner,
  client: ClientRecord,
  apis: readonly Authorization[],
): Item {
  return {
    ...keys.client(clientId),
    ...claimedBy(owner),
    client: asValue(settings.write(client)),
    apis: asValue(authorizations.write(apis)),
    // An earlier client may have had the same id: its tokens do not belong to this one.
    tokensFromMs: revocationTime(),
  };
}

/**
 * The steps that change the settings of a client; none if nothing changes. They contain the time: call it for every
 * attempt.
 */
export function changingClient(
  clientId: string,
  owner: ClientOwner,
  before: ClientRecord,
  after: ClientRecord,
): readonly Step[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const tokensFromMs = endsTokens(before, after) ? revocationTime() : undefined;
  // Guests that it takes again later sign in again.
  const guestsFromMs = before.takesGuests && !after.takesGuests ? revocationTime() : undefined;
  // Codes from before say nothing of assignments.
  const assignedFromMs = after.needsAssignment && !before.needsAssignment ? revocationTime() : undefined;
  return [
    {
      change: keys.client(clientId),
      set: {
        client: asValue(settings.write(after)),
        ...(tokensFromMs !== undefined && { tokensFromMs }),
        ...(guestsFromMs !== undefined && { guestsFromMs }),
        ...(assignedFromMs !== undefined && { assignedFromMs }),
      },
      when: { equal: claimedBy(owner) },
      otherwise: stale,
    },
    ...(tokensFromMs === undefined ? [] : [revokingClient(owner.tenant, clientId, tokensFromMs)]),
  ];
}

/**
 * The steps that free a client id, forget the uses of its secrets and revoke its tokens. They contain the time: call it
 * for every attempt.
 */
export function releasingClient(clientId: string, owner: ClientOwner): readonly Step[] {
  return [
    { remove: keys.client(clientId), when: { equal: claimedBy(owner) }, otherwise: stale },
    removing(keys.clientUses(clientId)),
    revokingClient(owner.tenant, clientId, revocationTime()),
  ];
}

/** The tenant of a client, by its row; `undefined` for a row that does not say. */
export function tenantOfClient(row: Item): string | undefined {
  return typeof row.tenant === "string" ? row.tenant : undefined;
}

/**
 * The steps that end all tokens of a client, its refresh tokens too. They contain the time: call it for every attempt.
 */
export function endingTokensOf(clientId: string, tenant: string): readonly Step[] {
  const tokensFromMs = revocationTime();
  return [
    { change: keys.client(clientId), set: { tokensFromMs }, when: { equal: { tenant } }, otherwise: stale },
    revokingClient(tenant, clientId, tokensFromMs),
  ];
}

/**
 * The steps that change the authorized APIs of a client, and revoke its tokens that have one of the removed scopes.
 * They contain the time: call it for every attempt.
 */
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
      set: { apis: asValue(authorizations.write(apis)), ...(scopesFromMs !== undefined && { scopesFromMs }) },
      when: { equal: claimedBy(owner) },
      otherwise: stale,
    },
    ...(scopesFromMs === undefined ? [] : [revokingScopes(owner.tenant, clientId, scopesFromMs, lostScopes)]),
  ];
}

/**
 * The steps that note that an application has lost an assignment. `ofMany`: a group or role has lost it; all access
 * tokens end then, and those who still have access get others by their refresh tokens.
 */
export function losingAssignment(
  clientId: string,
  owner: ClientOwner,
  fromMs: number,
  ofMany: boolean,
): readonly Step[] {
  return [
    {
      change: keys.client(clientId),
      set: { assignedFromMs: fromMs, ...(ofMany && { scopesFromMs: fromMs }) },
      when: { equal: claimedBy(owner) },
      otherwise: stale,
    },
    ...(ofMany ? [revokingEveryScope(owner.tenant, clientId, fromMs)] : []),
  ];
}

/** The attributes by which a row names its application. */
export function claimedBy({ tenant, applicationId }: ClientOwner): {
  readonly tenant: string;
  readonly application: string;
} {
  return { tenant, application: applicationId };
}

/** Records and lists always write a value. */
function asValue(written: Value | undefined): Value {
  return written ?? null;
}
