/**
 * Nonces of DPoP proofs (RFC 9449 sections 8 and 9), without storage: each is a keyed digest of a window of time, so
 * that all containers issue and accept the same ones. A nonce is accepted for at most 60 seconds.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { CLOCK_TOLERANCE_MS } from "./model.ts";

/** A new nonce is issued so often. */
const WINDOW_MS = 20_000;
/** A nonce is accepted in its window and the next two: for 40 to 60 seconds. */
const WINDOWS = 3;
const NONCE_BYTES = 18;

/** The nonces of a deployment. */
export type Nonces = ReturnType<typeof newNonces>;

/** Opens the nonces under a key that callers do not know. */
export function newNonces(key: Uint8Array) {
  const ofWindow = (window: number): string =>
    createHmac("sha256", key).update(`nonce ${window}`).digest().subarray(0, NONCE_BYTES).toString("base64url");
  return {
    /** The nonce that is issued at a moment. */
    at: (nowMs: number): string => ofWindow(windowOf(nowMs)),
    /** Whether a nonce is accepted; `replaced`: a newer one is issued already. Constant time. */
    judge(nonce: string, nowMs: number): "current" | "replaced" | "refused" {
      const now = windowOf(nowMs);
      // The clock of the container that issued it can be ahead: then it names the next window.
      const newest = windowOf(nowMs + CLOCK_TOLERANCE_MS);
      const windows = Array.from({ length: newest - now + WINDOWS }, (_, age) => newest - age);
      const found = windows.filter((window) => isEqual(nonce, ofWindow(window)));
      if (found.length === 0) return "refused";
      return found.some((window) => window >= now) ? "current" : "replaced";
    },
  };
}

function windowOf(ms: number): number {
  return Math.floor(ms / WINDOW_MS);
}

function isEqual(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}
