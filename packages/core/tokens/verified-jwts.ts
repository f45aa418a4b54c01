/**
 * JWTs whose signature a container has verified. The signature of one text under one key is either right for ever or
 * wrong for ever, and verifying it takes longer than the rest of an authorizer: so it is verified once (decision 0140).
 * What changes with time is checked on every request: whether the key is still accepted, the times, the revocations.
 */
import type { CryptoKey, JWTPayload } from "jose";
import { digestOf } from "./opaque.ts";

const JWTS_MOST = 1_000;

/** What was verified. */
export interface VerifiedJwt {
  readonly kid: string;
  /** The key that the signature is of. */
  readonly key: CryptoKey;
  readonly payload: JWTPayload;
}

/** Those of one container: at most 1,000, of which the oldest goes first. It holds digests, and no token. */
export class VerifiedJwts {
  readonly #known = new Map<string, VerifiedJwt>();

  /** What is known of exactly that text. It counts only while the key with its id is the same. */
  get(text: string): VerifiedJwt | undefined {
    return this.#known.get(digestOf(text));
  }

  set(text: string, verified: VerifiedJwt): void {
    const [oldest] = this.#known.keys();
    if (this.#known.size >= JWTS_MOST && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(digestOf(text), verified);
  }
}
