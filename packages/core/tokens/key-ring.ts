/**
 * Key rings: the keys that sign tokens of the whole deployment, and when each of them signs and is accepted (decision
 * 0020). Pure; key-store.ts stores them.
 */

/** A key in a ring, and when it signs. */
export interface RingEntry {
  /** The thumbprint of the key (RFC 7638). */
  readonly kid: string;
  /** It signs from then on, until the next key does. It is published at once. */
  readonly signsFromMs: number;
  /** The longest life of a token that it signs. */
  readonly longestLifeSeconds: number;
}

/** The public half of an ES256 key: a point of the curve P-256. */
export interface RingKey extends RingEntry {
  readonly x: string;
  readonly y: string;
}

/** All keys that are accepted now or later, in the order in which they sign. */
export type Ring<K extends RingEntry = RingKey> = readonly K[];

/** The longest life of tokens of a new key, unless a client is configured for more. */
export const LIFE_SECONDS = 24 * 60 * 60;

/** How long others may cache the published keys: a key is published that long before it signs. */
export const PUBLISHED_SECONDS = 60 * 60;

/** Within this time every container knows of a change. */
const SPREAD_MS = 2 * 60_000;

/** How long a new key is published before it signs. */
export const LEAD_MS = PUBLISHED_SECONDS * 1_000 + SPREAD_MS;

/** The key that signs at a moment. */
export function signerAt<K extends RingEntry>(ring: Ring<K>, nowMs: number): K | undefined {
  return ring.findLast(({ signsFromMs }) => signsFromMs <= nowMs) ?? ring[0];
}

/** Until when the tokens of a key are accepted: until the last of them expires. The newest key has no end. */
export function acceptedUntilMs<K extends RingEntry>(ring: Ring<K>, key: K): number {
  const next = ring[ring.indexOf(key) + 1];
  return next ? next.signsFromMs + key.longestLifeSeconds * 1_000 + SPREAD_MS : Number.POSITIVE_INFINITY;
}

/** The keys whose tokens are accepted at a moment, with those that will sign later. */
export function acceptedAt<K extends RingEntry>(ring: Ring<K>, nowMs: number): Ring<K> {
  return ring.filter((key) => acceptedUntilMs(ring, key) > nowMs);
}

/** The ring with one more key, without those whose last token has expired. */
export function withKey<K extends RingEntry>(ring: Ring<K>, key: K, nowMs: number): Ring<K> {
  return acceptedAt(
    [...ring, key].sort((a, b) => a.signsFromMs - b.signsFromMs),
    nowMs,
  );
}

/** The ring in which a key may sign tokens that live for `seconds`. */
export function withLife<K extends RingEntry>(ring: Ring<K>, kid: string, seconds: number): Ring<K> {
  return ring.map((key) =>
    key.kid === kid ? { ...key, longestLifeSeconds: Math.max(key.longestLifeSeconds, seconds) } : key,
  );
}

/**
 * The ring in which no key is accepted for longer than tokens may live now; the same object where none is. Tokens of a
 * former, longer limit end with their key.
 */
export function withinLife<K extends RingEntry>(ring: Ring<K>, secondsMax: number): Ring<K> {
  if (ring.every(({ longestLifeSeconds }) => longestLifeSeconds <= secondsMax)) return ring;
  return ring.map((key) => ({ ...key, longestLifeSeconds: Math.min(key.longestLifeSeconds, secondsMax) }));
}

/** The keys whose private half is needed: the one that signs and those that will sign later. */
export function signersFrom<K extends RingEntry>(ring: Ring<K>, nowMs: number): Ring<K> {
  const signer = signerAt(ring, nowMs);
  return ring.filter((key) => key === signer || key.signsFromMs > nowMs);
}
