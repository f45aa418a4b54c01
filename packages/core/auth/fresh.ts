/** Verdicts and facts that one container may reuse for a short while, kept in its memory alone. */
import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "../platform/clock.ts";

/** How long a verdict or a fact about access is reused: the time within which a change takes effect everywhere. */
export const FRESH_MS = 60_000;
const ENTRIES_MAX = 1_000;

/** A bounded memory whose entries grow stale. */
export interface Fresh<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
}

/** A memory of at most 1,000 entries of 60 seconds; the oldest give way. */
export function newFresh<V>(clock: Clock): Fresh<V> {
  const entries = new Map<string, { readonly value: V; readonly untilMs: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      if (entry.untilMs > clock.now()) return entry.value;
      entries.delete(key);
      return undefined;
    },
    set(key, value) {
      entries.delete(key);
      const oldest = entries.keys().next();
      if (entries.size >= ENTRIES_MAX && !oldest.done) entries.delete(oldest.value);
      entries.set(key, { value, untilMs: clock.now() + FRESH_MS });
    },
    delete: (key) => void entries.delete(key),
  };
}

/** A digest under a key that never leaves this process, so that its memory holds no credential and no guessable hash of one. */
export function newPrivateDigest(): (text: string) => string {
  const key = randomBytes(32);
  return (text) => createHmac("sha256", key).update(text, "utf8").digest("base64");
}
