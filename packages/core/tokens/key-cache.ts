/** The keys of the ring in the memory of one container: read again when they may have changed, and imported once. */
import { type JWTPayload, SignJWT } from "jose";
import type { Table } from "../database/table/table.ts";
import type { Seal } from "../kernel/seal.ts";
import { type Issuer, type KeyOf, privateKey, publicKey, type SignableToken, signAccessToken } from "./jwt.ts";
import { acceptedAt, type Ring, type RingEntry, type RingKey, signerAt } from "./key-ring.ts";
import { type KeyStore, keyStore, type OpenRing, readRing } from "./key-store.ts";

type CryptoKey = Awaited<ReturnType<typeof publicKey>>;

/** The greatest age of the ring. */
const FRESH_MS = 30_000;
/** The least time between two reads for unknown key ids, which any caller can send. */
const UNKNOWN_KEY_READ_MS = 5_000;

/** Keys that verify. */
export interface VerifyingKeys {
  /** Finds keys by id, as of a moment. One round trip where the ring may have changed. */
  at(table: Table, nowMs: number): KeyOf;
  /** Whether the ring was read lately. */
  isFresh(nowMs: number): boolean;
  /** Reads the ring where it may have changed, so that `at` need not. */
  refresh(table: Table, nowMs: number): Promise<void>;
}

/** Keys that sign. */
export interface SigningKeys {
  /** The ring; creates it where none exists. One round trip where it may have changed. */
  ring(table: Table, nowMs: number): Promise<Ring>;
  /** Signs an access token as a JWT. No round trip while the ring is fresh. */
  sign(table: Table, token: SignableToken, id: string, issuer: Issuer, nowMs: number): Promise<string>;
  /** Signs claims that are no access token, as a JWT that lives so long. */
  signClaims(table: Table, claims: JWTPayload, lifeSeconds: number, nowMs: number, typ: string): Promise<string>;
}

/** Whether something was read lately; never where the clock was set back since. */
function isFresh(nowMs: number, readMs: number, maxAgeMs: number): boolean {
  return Math.abs(nowMs - readMs) <= maxAgeMs;
}

/** Opens the verifying keys of one container. */
export function newVerifyingKeys(): VerifyingKeys {
  let ring: Ring = [];
  let readMs = Number.NEGATIVE_INFINITY;
  const imported = new Map<string, Promise<CryptoKey>>();

  const readAgain = async (table: Table, nowMs: number, maxAgeMs: number): Promise<void> => {
    if (isFresh(nowMs, readMs, maxAgeMs)) return;
    ring = await readRing(table);
    readMs = nowMs;
    for (const kid of imported.keys()) if (!ring.some((key) => key.kid === kid)) imported.delete(kid);
  };
  const find = (kid: string, nowMs: number): RingKey | undefined =>
    acceptedAt(ring, nowMs).find((key) => key.kid === kid);

  return {
    isFresh: (nowMs) => isFresh(nowMs, readMs, FRESH_MS),
    refresh: (table, nowMs) => readAgain(table, nowMs, FRESH_MS),
    at: (table, nowMs) => async (kid) => {
      await readAgain(table, nowMs, FRESH_MS);
      if (!find(kid, nowMs)) await readAgain(table, nowMs, UNKNOWN_KEY_READ_MS);
      const key = find(kid, nowMs);
      if (!key) return undefined;
      const known = imported.get(kid) ?? publicKey(key);
      imported.set(kid, known);
      return known;
    },
  };
}

/** What signing depends on. */
export interface SigningParts {
  /** Gets the age of the signing key with each read of the ring. */
  readonly onRead?: (ageMs: number) => void;
  /** The longest life of a token, and so of a key after it has signed. */
  readonly lifeSecondsMax?: number;
}

/** Opens the signing keys of one container. */
export function newSigningKeys(seal: Seal, { onRead, lifeSecondsMax }: SigningParts = {}): SigningKeys {
  const storeOf = (table: Table) => keyStore(table, seal, { lifeSecondsMax });
  const held = newHeldRing(storeOf, onRead);
  const signer = (table: Table, lifeSeconds: number, nowMs: number) =>
    signerFor(held, storeOf(table), { table, lifeSeconds, nowMs });
  return {
    ring: async (table, nowMs) => (await held.open(table, nowMs)).ring,
    async sign(table, token, id, issuer, nowMs) {
      const { key, secret } = await signer(table, token.expiresAtSeconds - token.issuedAtSeconds, nowMs);
      return signAccessToken(token, id, issuer, { kid: key.kid, secret });
    },
    async signClaims(table, claims, lifeSeconds, nowMs, typ) {
      const { key, secret } = await signer(table, lifeSeconds, nowMs);
      return new SignJWT(claims).setProtectedHeader({ alg: "ES256", typ, kid: key.kid }).sign(secret);
    },
  };
}

/** The key that signs a token. Stored before the token exists: that the key is accepted for as long as it lives. */
export async function signerFor<K extends RingEntry>(
  held: HeldRing<K>,
  store: KeyStore<K>,
  { table, lifeSeconds, nowMs }: { readonly table: Table; readonly lifeSeconds: number; readonly nowMs: number },
): Promise<Signer<K>> {
  const signer = await held.signer(table, nowMs);
  if (lifeSeconds > signer.key.longestLifeSeconds) held.set(await store.lengthen(signer.key.kid, lifeSeconds));
  return signer;
}

/** A key that signs now. */
export interface Signer<K extends RingEntry = RingKey> {
  readonly key: K;
  readonly secret: CryptoKey;
}

/** A ring with its private halves in the memory of one container. */
export interface HeldRing<K extends RingEntry = RingKey> {
  /** The ring; creates it where none exists. One round trip where it may have changed. */
  open(table: Table, nowMs: number): Promise<OpenRing<K>>;
  signer(table: Table, nowMs: number): Promise<Signer<K>>;
  /** Keeps a ring that was just written. */
  set(ring: OpenRing<K>): void;
}

/** Holds the ring of a store of ES256 keys. `onRead` gets the age of the signing key with each read. */
export function newHeldRing(storeOf: (table: Table) => KeyStore, onRead?: (ageMs: number) => void): HeldRing {
  return newHeldKeys(storeOf, privateKey, onRead);
}

/** The same of any kind of keys, whose private halves `toKey` imports. */
export function newHeldKeys<K extends RingEntry>(
  storeOf: (table: Table) => KeyStore<K>,
  toKey: (key: K, secret: string) => Promise<CryptoKey>,
  onRead?: (ageMs: number) => void,
): HeldRing<K> {
  let held: OpenRing<K> | undefined;
  let readMs = 0;
  const imported = new Map<string, Promise<CryptoKey>>();

  const open = async (table: Table, nowMs: number): Promise<OpenRing<K>> => {
    if (held && isFresh(nowMs, readMs, FRESH_MS)) return held;
    held = await storeOf(table).open(nowMs);
    readMs = nowMs;
    for (const kid of imported.keys()) if (!held.secrets.has(kid)) imported.delete(kid);
    const signer = signerAt(held.ring, nowMs);
    if (signer) onRead?.(nowMs - signer.signsFromMs);
    return held;
  };

  return {
    open,
    async signer(table, nowMs) {
      const opened = await open(table, nowMs);
      const able = opened.ring.filter(({ kid }) => opened.secrets.has(kid));
      const key = signerAt(able, nowMs);
      const d = key && opened.secrets.get(key.kid);
      if (!key || !d) throw new Error("the key ring has no key that can sign");
      const secret = imported.get(key.kid) ?? toKey(key, d);
      imported.set(key.kid, secret);
      return { key, secret: await secret };
    },
    set(ring) {
      held = ring;
    },
  };
}
