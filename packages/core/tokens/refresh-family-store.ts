/**
 * Refresh tokens. All tokens that follow from one sign-in are a family, of which one token is valid at a time: its use
 * issues the next one (RFC 9700 section 4.14.2). The row of a used token stays until that token would have expired, so
 * that its second use is noticed and ends the family.
 */
import { keys } from "../database/table/keys.ts";
import { list, number, optional, record, rowCodec, text } from "../database/table/row.ts";
import type { Item, Step, Table } from "../database/table/table.ts";
import { tokenUser } from "./access-token-store.ts";
import { type ClaimNames, claimNames, type SignedIn } from "./code-store.ts";
import { type Confirmation, confirmation } from "./confirmation.ts";
import { CLOCK_TOLERANCE_MS, isFromFuture, type TokenUser } from "./model.ts";
import { digestOf, isOpaque } from "./opaque.ts";
import type { Issued } from "./revocation-store.ts";
import { putting, removing } from "./unconditional.ts";

/**
 * A family ends after 30 days, however often it is used, or with its first refresh token if that lives longer (RFC 9700
 * section 4.14.2).
 */
export const FAMILY_SECONDS = 30 * 24 * 60 * 60;

/** When the last token of a grant that begins now can expire, given the greatest lifetimes of tokens. */
export function lastTokenSeconds(
  {
    accessTokenSecondsMax,
    refreshTokenSecondsMax,
  }: Readonly<Record<"accessTokenSecondsMax" | "refreshTokenSecondsMax", number>>,
  nowMs: number,
): number {
  return Math.ceil(nowMs / 1_000) + Math.max(FAMILY_SECONDS, refreshTokenSecondsMax) + accessTokenSecondsMax;
}

/** A token that was replaced at most so long after the start of a request was replaced during it. */
export const ROTATION_MS = 30_000;

/** The access token that was issued last in a family. */
export interface LatestAccess {
  /** Of an opaque token; absent for a JWT. */
  readonly digest?: string;
  readonly issuedMs: number;
  readonly expiresAtSeconds: number;
}

/** A used refresh token that counts again for a moment (decision 0157). */
export interface UsedToken {
  readonly digest: string;
  /** When it was used first. */
  readonly usedMs: number;
  /** How often it was used again. */
  readonly again: number;
}

/** What the ID tokens of a family have in common (OpenID Connect Core 1.0 section 12.2). */
export interface FamilySignIn extends Pick<SignedIn, "authSeconds" | "sid" | "methods"> {
  /** The subject of the first one: no other follows it. */
  readonly subject: string;
}

/** A family of refresh tokens. */
export interface Family {
  readonly id: string;
  readonly tenant: string;
  readonly clientId: string;
  readonly applicationId: string;
  readonly user: TokenUser;
  /** What was granted at the sign-in: the most that any token of the family gets. */
  readonly scopes: readonly string[];
  /** When the user signed in, measured like `AccessToken.issuedMs`. */
  readonly startedMs: number;
  /** The same by the clock. */
  readonly startedSeconds: number;
  /** When the family ends, however often it is used. */
  readonly endsAtSeconds: number;
  /** The digest of the valid refresh token. */
  readonly current: string;
  /** When that token expires. */
  readonly currentUntilSeconds: number;
  /** When that token replaced its predecessor; 0 for the first one. */
  readonly rotatedMs: number;
  readonly access: LatestAccess;
  /** The token that the valid one replaced; absent where the client had no graceful rotation then. */
  readonly used?: UsedToken | undefined;
  /** The resources of the sign-in, which no token of the family exceeds; absent for all of this service. */
  readonly audience?: readonly string[] | undefined;
  /** The scopes of OpenID Connect that the user gave at a sign-in in a browser; absent for other sign-ins. */
  readonly signInScopes?: readonly string[] | undefined;
  /** What its ID tokens say of that sign-in; absent without the scope `openid`. */
  readonly signedIn?: FamilySignIn | undefined;
  /** The single claims that the user gave with it. */
  readonly claims?: ClaimNames | undefined;
  /** The session in the browser that the family ends with; absent where it outlives its session (decision 0116). */
  readonly sid?: string | undefined;
  /**
   * The key that its latest access token is bound to; absent for an unbound one. The refresh tokens of a public client
   * are bound to it too (RFC 9449 section 5, RFC 8705 section 4).
   */
  readonly cnf?: Confirmation;
}

/** The row of a refresh token: which family it belongs to. */
export interface RefreshToken {
  readonly digest: string;
  readonly tenant: string;
  readonly familyId: string;
  readonly expiresAtSeconds: number;
}

/** A refresh token with its family. */
export interface RefreshTokenInFamily {
  readonly digest: string;
  readonly expiresAtSeconds: number;
  readonly family: Family;
}

/** The refresh tokens of all tenants. */
export interface FamilyStore {
  /** The refresh token with that text, used and expired ones included. One round trip. */
  findToken(tokenText: string): Promise<RefreshToken | undefined>;
  /** The token with its family; `undefined` when the family has ended. One round trip. */
  withFamily(token: RefreshToken): Promise<RefreshTokenInFamily | undefined>;
}

const tokenRows = rowCodec<Omit<RefreshToken, "digest">>("refresh token", {
  tenant: text,
  familyId: text,
  expiresAtSeconds: number,
});

/** `current` is an attribute of its own because conditions of writes name it. */
const familyRows = rowCodec<{
  readonly family: Family;
  readonly current: string;
  readonly expiresAtSeconds: number;
}>("refresh token family", {
  family: record<Family>({
    id: text,
    tenant: text,
    clientId: text,
    applicationId: text,
    user: tokenUser,
    scopes: list(text),
    startedMs: number,
    startedSeconds: number,
    endsAtSeconds: number,
    current: text,
    currentUntilSeconds: number,
    rotatedMs: number,
    access: record<LatestAccess>({ digest: optional(text), issuedMs: number, expiresAtSeconds: number }),
    used: optional(record<UsedToken>({ digest: text, usedMs: number, again: number })),
    audience: optional(list(text)),
    signInScopes: optional(list(text)),
    signedIn: optional(
      record<FamilySignIn>({ authSeconds: number, sid: text, methods: optional(list(text)), subject: text }),
    ),
    claims: optional(claimNames),
    sid: optional(text),
    cnf: optional(confirmation),
  }),
  current: text,
  expiresAtSeconds: number,
});

/** When a sign-in began, as revocations are compared with it. */
export function startOf({ startedMs, startedSeconds }: Family): Issued {
  return { issuedMs: startedMs, issuedAtSeconds: startedSeconds };
}

/** True for a sign-in, or its latest refresh token, of a clock that is ahead of this one. */
export function isFamilyFromFuture({ startedSeconds, rotatedMs }: Family, nowMs: number): boolean {
  const isStartAhead = isFromFuture({ issuedAtSeconds: startedSeconds }, nowMs);
  return isStartAhead || rotatedMs > nowMs + ROTATION_MS + CLOCK_TOLERANCE_MS;
}

/** Whether a refresh token is the used one that counts again, in its bounds of now. */
export function isInGrace(
  digest: string,
  { used }: Family,
  { seconds, times }: { readonly seconds: number; readonly times: number },
  nowMs: number,
): boolean {
  if (used?.digest !== digest) return false;
  return used.again < times && nowMs < used.usedMs + seconds * 1_000;
}

/** Opens the store on the table of one request. */
export function familyStore(table: Table): FamilyStore {
  return {
    async findToken(tokenText) {
      if (!isOpaque(tokenText, "rt_")) return undefined;
      const digest = digestOf(tokenText);
      const item = await table.get(keys.refreshToken(digest));
      return item && { digest, ...tokenRows.read(item) };
    },
    async withFamily({ tenant, familyId, digest, expiresAtSeconds }) {
      const item = await table.get(keys.family(tenant, familyId));
      return item && { digest, expiresAtSeconds, family: familyRows.read(item).family };
    },
  };
}

/** The steps that store a new family and its first refresh token. */
export function startingFamily(family: Family): readonly Step[] {
  const otherwise = () => new Error("the random id of a new family is in use");
  return [{ put: familyItem(family), when: "absent", otherwise }, storingRefreshToken(family)];
}

/**
 * The steps that change a family. `otherwise` returns the fault for a family that has changed or ended since it was
 * read.
 */
export function continuingFamily(before: Family, after: Family, otherwise: () => Error): readonly Step[] {
  return [
    { put: familyItem(after), when: { equal: { current: before.current } }, otherwise },
    ...(after.current === before.current ? [] : [storingRefreshToken(after)]),
  ];
}

/** The step that ends a family, if it exists. */
export function removingFamily(tenant: string, id: string): Step {
  return removing(keys.family(tenant, id));
}

/** The row expires when the last token of the family does. */
function familyItem(family: Family): Item {
  const { tenant, id, current, currentUntilSeconds, access } = family;
  const expiresAtSeconds = Math.max(currentUntilSeconds, access.expiresAtSeconds);
  return { ...keys.family(tenant, id), ...familyRows.write({ family, current, expiresAtSeconds }) };
}

function storingRefreshToken({ current, tenant, id: familyId, currentUntilSeconds: expiresAtSeconds }: Family): Step {
  return putting({ ...keys.refreshToken(current), ...tokenRows.write({ tenant, familyId, expiresAtSeconds }) });
}
