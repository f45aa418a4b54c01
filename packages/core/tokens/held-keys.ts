/** The keys of the ring as one container holds them: read anew when they may have changed, and made ready for use once. */
import type { Seal } from "../platform/seal.ts";
import type { Table } from "../table/table.ts";
import { type Issuer, type KeyOf, privateKey, publicKey, signAccessToken } from "./jwt.ts";
import { acceptedAt, type Ring, type RingKey, signerAt } from "./key-ring.ts";
import { keyStore, type OpenRing, readRing } from "./key-store.ts";
import type { AccessToken } from "./model.ts";

type CryptoKey = Awaited<ReturnType<typeof publicKey>>;

/** How old the ring may be. */
const FRESH_MS = 30_000;
/** How soon an unknown key may make us look again: the ids of keys come from strangers. */
const ANOTHER_LOOK_MS = 5_000;

/** Keys that verify. */
export interface VerifyingKeys {
  /** Looks up keys at a moment; one round trip where the ring may have changed. */
  at(table: Table, nowMs: number): KeyOf;
  /** Reads the ring where it may have changed, so that what follows need not. */
  refresh(table: Table, nowMs: number): Promise<void>;
}

/** Keys that sign. */
export interface SigningKeys {
  /** The ring; made where there is none yet. One round trip where it may have changed. */
  ring(table: Table, nowMs: number): Promise<Ring>;
  /** Writes an access token. No round trip while the ring is fresh. */
  sign(table: Table, token: AccessToken, id: string, issuer: Issuer, nowMs: number): Promise<string>;
}

/** Opens the verifying keys of one container. */
export function newVerifyingKeys(): VerifyingKeys {
  let ring: Ring = [];
  let readMs = Number.NEGATIVE_INFINITY;
  const ready = new Map<string, Promise<CryptoKey>>();

  const readAgain = async (table: Table, nowMs: number, maxAgeMs: number): Promise<void> => {
    if (nowMs - readMs <= maxAgeMs) return;
    ring = await readRing(table);
    readMs = nowMs;
    for (const kid of ready.keys()) if (!ring.some((key) => key.kid === kid)) ready.delete(kid);
  };
  const find = (kid: string, nowMs: number): RingKey | undefined =>
    acceptedAt(ring, nowMs).find((key) => key.kid === kid);

  return {
    refresh: (table, nowMs) => readAgain(table, nowMs, FRESH_MS),
    at: (table, nowMs) => async (kid) => {
      await readAgain(table, nowMs, FRESH_MS);
      if (!find(kid, nowMs)) await readAgain(table, nowMs, ANOTHER_LOOK_MS);
      const key = find(kid, nowMs);
      if (!key) return undefined;
      const known = ready.get(kid) ?? publicKey(key);
      ready.set(kid, known);
      return known;
    },
  };
}

/** Opens the signing keys of one container. `onRead` is told for how long the key has signed, whenever the ring is read. */
export function newSigningKeys(seal: Seal, onRead: (ageMs: number) => void = () => undefined): SigningKeys {
  let held: OpenRing | undefined;
  let readMs = 0;
  const ready = new Map<string, Promise<CryptoKey>>();

  const open = async (table: Table, nowMs: number): Promise<OpenRing> => {
    if (held && nowMs - readMs <= FRESH_MS) return held;
    held = await keyStore(table, seal).open(nowMs);
    readMs = nowMs;
    for (const kid of ready.keys()) if (!held.secrets.has(kid)) ready.delete(kid);
    const signer = signerAt(held.ring, nowMs);
    if (signer) onRead(nowMs - signer.signsFromMs);
    return held;
  };

  return {
    ring: async (table, nowMs) => (await open(table, nowMs)).ring,
    async sign(table, token, id, issuer, nowMs) {
      const opened = await open(table, nowMs);
      const able = opened.ring.filter(({ kid }) => opened.secrets.has(kid));
      const key = signerAt(able, nowMs);
      const d = key && opened.secrets.get(key.kid);
      if (!key || !d) throw new Error("no key can sign");
      const lifeSeconds = token.expiresAtSeconds - token.issuedAtSeconds;
      // Known before it is needed: by this the key is kept for as long as the token lives.
      if (lifeSeconds > key.longestLifeSeconds) held = await keyStore(table, seal).lengthen(key.kid, lifeSeconds);
      const secret = ready.get(key.kid) ?? privateKey(key, d);
      ready.set(key.kid, secret);
      return signAccessToken(token, id, issuer, { kid: key.kid, secret: await secret });
    },
  };
}
