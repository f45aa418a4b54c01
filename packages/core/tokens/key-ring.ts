/**
 * The keys that sign access tokens (ES256), of the whole deployment: a ring of one item with the public halves and when each
 * counts, and an item of its own with the private halves, sealed (decision 0020). Pure; key-store.ts keeps it.
 */

/** The public half of a key, and when it counts. */
export interface RingKey {
  /** The thumbprint of the key (RFC 7638). */
  readonly kid: string;
  readonly x: string;
  readonly y: string;
  /** From then on it signs, until the next key does. It is published at once. */
  readonly signsFromMs: number;
  /** No token that it signs lives longer. */
  readonly longestLifeSeconds: number;
}

/** All keys that are accepted or will be, the first to sign first. */
export type Ring = readonly RingKey[];

/** How long the tokens of a fresh key live at most, unless a client asks for more. */
export const LIFE_SECONDS = 24 * 60 * 60;

/** For how long others may keep the published keys: a key is published that much before it signs. */
export const PUBLISHED_SECONDS = 60 * 60;

/** Within which time every container knows of a change. */
const SPREAD_MS = 2 * 60_000;

/** How long before it signs a new key is published. */
export const LEAD_MS = PUBLISHED_SECONDS * 1_000 + SPREAD_MS;

/** The key that signs at a moment. */
export function signerAt(ring: Ring, nowMs: number): RingKey | undefined {
  return ring.findLast(({ signsFromMs }) => signsFromMs <= nowMs) ?? ring[0];
}

/** Until when the tokens of a key are accepted: as long as any can live. The newest has no end. */
export function acceptedUntilMs(ring: Ring, key: RingKey): number {
  const next = ring[ring.indexOf(key) + 1];
  return next ? next.signsFromMs + key.longestLifeSeconds * 1_000 + SPREAD_MS : Number.POSITIVE_INFINITY;
}

/** The keys whose tokens are accepted at a moment, with those that will sign. */
export function acceptedAt(ring: Ring, nowMs: number): Ring {
  return ring.filter((key) => acceptedUntilMs(ring, key) > nowMs);
}

/** The ring with one more key, which signs from `signsFromMs` on; without those whose last token has ended. */
export function withKey(ring: Ring, key: Omit<RingKey, "longestLifeSeconds">, nowMs: number): Ring {
  return acceptedAt(
    [...ring, { ...key, longestLifeSeconds: LIFE_SECONDS }].sort((a, b) => a.signsFromMs - b.signsFromMs),
    nowMs,
  );
}

/** The ring in which a key may sign tokens of that life. */
export function withLife(ring: Ring, kid: string, seconds: number): Ring {
  return ring.map((key) =>
    key.kid === kid ? { ...key, longestLifeSeconds: Math.max(key.longestLifeSeconds, seconds) } : key,
  );
}

/** The keys of which the private half is needed: the one that signs and those that will. */
export function signersFrom(ring: Ring, nowMs: number): Ring {
  const signer = signerAt(ring, nowMs);
  return ring.filter((key) => key === signer || key.signsFromMs > nowMs);
}
