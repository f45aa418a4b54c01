/**
 * Security event tokens (RFC 8417), signed with ES256 by keys of their own (decision 0089): what sends events to
 * receivers cannot sign an access token.
 */
import { SignJWT } from "jose";
import type { Seal } from "../platform/seal.ts";
import type { Table } from "../table/table.ts";
import { toJwk } from "./jwt.ts";
import { newHeldRing } from "./key-cache.ts";
import { acceptedAt } from "./key-ring.ts";
import { eventKeys, keyStore } from "./key-store.ts";

/** The claims of an event, without the time of issue. */
export interface EventClaims {
  readonly iss: string;
  readonly aud: string;
  readonly jti: string;
  readonly sub_id: Readonly<Record<string, unknown>>;
  readonly events: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly txn?: string;
  /** When it happened, in seconds since 1970. */
  readonly toe?: number;
}

/** Signs events. */
export interface EventSigner {
  /** The compact form. No round trip while the keys are fresh. */
  sign(table: Table, claims: EventClaims, nowMs: number): Promise<string>;
  /** The public keys that verify events, as a JWK set. One round trip where they may have changed. */
  keySet(table: Table, nowMs: number): Promise<{ readonly keys: ReturnType<typeof toJwk>[] }>;
}

/**
 * Opens the keys of events in one container; creates the first key where there is none, and another one where the seal
 * cannot open those that are stored: its public half is published at once, and that of the others stays.
 */
export function newEventSigner(seal: Seal): EventSigner {
  const held = newHeldRing((table) => keyStore(table, seal, { place: eventKeys, startsAnew: true }));
  return {
    async sign(table, claims, nowMs) {
      const { key, secret } = await held.signer(table, nowMs);
      return new SignJWT({ ...claims })
        .setProtectedHeader({ alg: "ES256", typ: "secevent+jwt", kid: key.kid })
        .setIssuedAt(Math.floor(nowMs / 1_000))
        .sign(secret);
    },
    keySet: async (table, nowMs) => ({ keys: acceptedAt((await held.open(table, nowMs)).ring, nowMs).map(toJwk) }),
  };
}
