/**
 * Authorization codes (RFC 6749 section 4.1.2). A code is used once, within a minute, by the client that it was issued
 * to. The row of a used code stays for a while, so that its second use is noticed and ends the tokens of the first.
 */
import { randomUUID } from "node:crypto";
import { keys } from "../database/table/keys.ts";
import { bool, list, number, oneOf, optional, record, rowCodec, text } from "../database/table/row.ts";
import type { Step, Table } from "../database/table/table.ts";
import { tokenUser } from "./access-token-store.ts";
import type { TokenUser } from "./model.ts";
import { digestOf, isOpaque } from "./opaque.ts";
import { putting } from "./unconditional.ts";

/** For how long a code can be used. */
export const CODE_SECONDS = 60;

/** For how long a used code is remembered: the access token of its first use can live as long. */
const REMEMBERED_SECONDS = 24 * 60 * 60;

/** A proof of the client that it sent the authorization request (RFC 7636). */
export interface Challenge {
  readonly method: "S256" | "plain";
  readonly value: string;
}

/** What a sign-in with OpenID Connect adds to tokens. */
export interface SignedIn {
  /** When the user last proved to be there, in seconds since 1970. */
  readonly authSeconds: number;
  /** What the user has proven, as `amr` names it; absent for a password alone. */
  readonly methods?: readonly string[] | undefined;
  /** The session in the browser, as ID tokens name it. */
  readonly sid: string;
  /** True where the tokens end with the session. */
  readonly endsWithSession?: boolean | undefined;
  /** The granted scopes of OpenID Connect. */
  readonly scopes: readonly string[];
}

/** What the ID token of a code has that the authorization request named. */
export interface IdTokenRequest {
  readonly nonce?: string | undefined;
}

/** Names of single claims that the user gave to the client (OpenID Connect Core 1.0 section 5.5). */
export interface ClaimNames {
  readonly idToken: readonly string[];
  readonly userInfo: readonly string[];
}

/** Claim names as rows store them. */
export const claimNames = record<ClaimNames>({ idToken: list(text), userInfo: list(text) });

/** Groups and roles of the user, as they were when the code was issued: what is likely to be read with the user. */
export interface LikelyMemberships {
  readonly groupIds: readonly string[];
  readonly roleIds: readonly string[];
}

/** An authorization code as it was issued. */
export interface AuthorizationCode {
  readonly tenant: string;
  readonly clientId: string;
  readonly applicationId: string;
  readonly user: TokenUser;
  readonly memberships: LikelyMemberships;
  /** The address that the code was sent to, and whether the request named it. */
  readonly redirectUri: string;
  readonly isRedirectSent: boolean;
  readonly challenge?: Challenge | undefined;
  /** The thumbprint of the DPoP key that must redeem the code (RFC 9449 section 10). */
  readonly dpopKey?: string | undefined;
  /** The requested scopes, those of OpenID Connect included. */
  readonly scopes: readonly string[];
  /** The requested resources (RFC 8707). */
  readonly resources: readonly string[];
  readonly signedIn: SignedIn;
  /** Absent without the scope `openid`. */
  readonly idToken?: IdTokenRequest | undefined;
  readonly claims?: ClaimNames | undefined;
  /** The id of the family of tokens that the code starts. */
  readonly grantId: string;
  /** When the code was issued, as revocations are compared with it, and by the clock. */
  readonly issuedMs: number;
  readonly issuedAtSeconds: number;
}

/** A code that was found. */
export interface FoundCode {
  readonly digest: string;
  readonly code: AuthorizationCode;
  readonly isUsed: boolean;
}

/** A code as rows store it. */
export const codeFields = record<AuthorizationCode>({
  tenant: text,
  clientId: text,
  applicationId: text,
  user: tokenUser,
  memberships: record<LikelyMemberships>({ groupIds: list(text), roleIds: list(text) }),
  redirectUri: text,
  isRedirectSent: bool,
  challenge: optional(record<Challenge>({ method: oneOf("S256", "plain"), value: text })),
  dpopKey: optional(text),
  scopes: list(text),
  resources: list(text),
  signedIn: record<SignedIn>({
    authSeconds: number,
    methods: optional(list(text)),
    sid: text,
    endsWithSession: optional(bool),
    scopes: list(text),
  }),
  idToken: optional(record<IdTokenRequest>({ nonce: optional(text) })),
  claims: optional(claimNames),
  grantId: text,
  issuedMs: number,
  issuedAtSeconds: number,
});

const rows = rowCodec<{
  readonly code: AuthorizationCode;
  readonly isUsed: boolean;
  /** The use, where there was one. */
  readonly use: string | undefined;
  readonly expiresAtSeconds: number;
}>("authorization code", {
  code: codeFields,
  isUsed: bool,
  use: optional(text),
  expiresAtSeconds: number,
});

/** Opens the store on the table of one request. */
export function codeStore(table: Table) {
  return {
    /** The code with that text, used and expired ones included. One round trip. */
    async find(codeText: string): Promise<FoundCode | undefined> {
      if (!isOpaque(codeText, "ac_")) return undefined;
      const digest = digestOf(codeText);
      const item = await table.get(keys.authorizationCode(digest));
      if (!item) return undefined;
      const { code, isUsed } = rows.read(item);
      return { digest, code, isUsed };
    },
  };
}

/** Whether a code can still be used. */
export function isCodeAlive({ issuedAtSeconds }: AuthorizationCode, nowMs: number): boolean {
  return nowMs < (issuedAtSeconds + CODE_SECONDS) * 1_000;
}

/** The step that stores a new code. */
export function storingCode(codeText: string, code: AuthorizationCode): Step {
  const expiresAtSeconds = code.issuedAtSeconds + CODE_SECONDS;
  return putting({
    ...keys.authorizationCode(digestOf(codeText)),
    ...rows.write({ code, isUsed: false, use: undefined, expiresAtSeconds }),
  });
}

/**
 * The step that uses a code up, and forgets what it said about the groups and roles of the user. `otherwise` returns
 * the fault for a code that was used since it was read.
 */
export function usingCode({ digest, code }: FoundCode, otherwise: () => Error): Step {
  const kept: AuthorizationCode = { ...code, memberships: { groupIds: [], roleIds: [] } };
  const use = randomUUID();
  const expiresAtSeconds = code.issuedAtSeconds + REMEMBERED_SECONDS;
  return {
    put: { ...keys.authorizationCode(digest), ...rows.write({ code: kept, isUsed: true, use, expiresAtSeconds }) },
    when: { equal: { isUsed: false } },
    // The row of this very use shows that its response was lost.
    otherwise: (row) => (row?.use === use ? "applied" : otherwise()),
  };
}
