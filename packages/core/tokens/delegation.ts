/**
 * Token exchange (RFC 8693): what a token that a client got for the token of another keeps of its origin. Each exchange
 * adds one element, so that the whole chain shows who acted, and ends with each of its parts. Pure.
 */
import { type AccessToken, type Exchange, permissionOf } from "./model.ts";

/** An actor as tokens and introspection show it (RFC 8693 section 4.1). */
export interface ActClaim {
  /** The id of a user or of a client. */
  readonly sub: string;
  /** The client of an actor that is a user. */
  readonly client_id?: string;
  /** Who acted before. */
  readonly act?: ActClaim;
}

/** The most exchanges behind a token: each makes it longer, and validates it against more revocations. */
export const EXCHANGES_MAX = 4;

type Delegated = Pick<AccessToken, "clientId" | "exchanges">;

/** Who acts for the subject of a token, the latest first; empty for a token that was not exchanged. */
export function actorsOf({ clientId, exchanges = [] }: Delegated): readonly Omit<ActClaim, "act">[] {
  return exchanges.map(({ actor }, at) => {
    const client = clientAt(at, { clientId, exchanges });
    return actor?.userId === undefined ? { sub: client } : { sub: actor.userId, client_id: client };
  });
}

/** The client that made an exchange: the exchanged token of the exchange after it belonged to that client. */
function clientAt(at: number, { clientId, exchanges = [] }: Delegated): string {
  return exchanges[at - 1]?.clientId ?? clientId;
}

/** The same as a claim; `undefined` for a token that was not exchanged. */
export function actOf(token: Delegated): ActClaim | undefined {
  return actorsOf(token).reduceRight<ActClaim | undefined>(
    (before, actor) => ({ ...actor, ...(before && { act: before }) }),
    undefined,
  );
}

/** A token that an exchanged token comes from, and ends with: one that was exchanged, or that of an actor. */
export interface Origin {
  readonly clientId: string;
  readonly grantId: string;
  /** The actor that is a user. */
  readonly userId?: string | undefined;
  readonly issuedMs: number;
  readonly issuedAtSeconds: number;
}

/** The tokens that a token comes from, each with its own issue time. */
export function originsOf(token: Delegated): readonly Origin[] {
  const { exchanges = [] } = token;
  return exchanges
    .flatMap(({ clientId, grantId, issuedMs, actor }, at): Omit<Origin, "issuedAtSeconds">[] => [
      { clientId, grantId, issuedMs },
      ...(actor ? [{ clientId: clientAt(at, token), ...actor }] : []),
    ])
    .map((origin) => ({ ...origin, issuedAtSeconds: Math.floor(origin.issuedMs / 1_000) }));
}

/** What an origin of a token is revoked with as a grant. The user is that of the token, unless the actor is one. */
export function grantsOfOrigin({ grantId, clientId, userId }: Origin, { user }: AccessToken): readonly string[] {
  const id = userId ?? user?.id;
  return [grantId, ...(id === undefined ? [] : [permissionOf(id, clientId)])];
}

/** Exchanges in the private claim of a token: one short list each. */
export function packed(exchanges: readonly Exchange[]): readonly (readonly (string | number)[])[] {
  return exchanges.map(({ clientId, grantId, issuedMs, actor }) => [
    clientId,
    grantId,
    issuedMs,
    ...(actor ? [actor.grantId, actor.issuedMs] : []),
    ...(actor?.userId === undefined ? [] : [actor.userId]),
  ]);
}

/** Reads them; `undefined` where they do not have that form. */
export function unpacked(given: unknown): readonly Exchange[] | undefined {
  if (!Array.isArray(given) || given.length === 0 || given.length > EXCHANGES_MAX) return undefined;
  const read = given.flatMap((one: unknown): Exchange[] => {
    if (!Array.isArray(one)) return [];
    const [clientId, grantId, issuedMs, ...rest]: unknown[] = one;
    if (!isText(clientId) || !isText(grantId) || !Number.isFinite(issuedMs)) return [];
    const exchange = { clientId, grantId, issuedMs: Number(issuedMs) };
    if (rest.length === 0) return [exchange];
    const [actorGrant, actorMs, userId] = rest;
    if (!isText(actorGrant) || !Number.isFinite(actorMs) || !(userId === undefined || isText(userId))) return [];
    const actor = { grantId: actorGrant, issuedMs: Number(actorMs), ...(userId !== undefined && { userId }) };
    return [{ ...exchange, actor }];
  });
  return read.length === given.length ? read : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
