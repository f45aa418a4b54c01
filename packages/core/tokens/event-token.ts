/**
 * Security event tokens (RFC 8417), signed with ES256 by keys of their own (decision 0089): what sends events to
 * receivers cannot sign an access token.
 */
import { SignJWT } from "jose";
import type { Table } from "../database/table/table.ts";
import type { Seal } from "../kernel/seal.ts";
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
export type EventSigner = ReturnType<typeof newEventSigner>;

/** Opens the keys of events in one container; creates the first key where there is none. */
export function newEventSigner(seal: Seal) {
  const held = newHeldRing((table) => keyStore(table, seal, { place: eventKeys }));
  return {
    /** The compact form. No round trip while the keys are fresh. */
    async sign(table: Table, claims: EventClaims, nowMs: number): Promise<string> {
      const { key, secret } = await held.signer(table, nowMs);
      return new SignJWT({ ...claims })
        .setProtectedHeader({ alg: "ES256", typ: "secevent+jwt", kid: key.kid })
        .setIssuedAt(Math.floor(nowMs / 1_000))
        .sign(secret);
    },
    /** The public keys that verify events, as a JWK set. One round trip where they may have changed. */
    keySet: async (table: Table, nowMs: number): Promise<{ readonly keys: ReturnType<typeof toJwk>[] }> => ({
      keys: acceptedAt((await held.open(table, nowMs)).ring, nowMs).map(toJwk),
    }),
  };
}
