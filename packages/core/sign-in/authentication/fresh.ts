/** Facts about access that one container caches for a short time, in its memory only. */
import { createHmac, createSecretKey, randomBytes } from "node:crypto";
import type { Clock } from "../../kernel/clock.ts";
import type { Changes } from "./token-validity.ts";

/** How long a fact about access is cached. */
export const FRESH_MS = 60_000;
const ENTRIES_MAX = 1_000;

/** A bounded cache whose entries expire. */
export interface FreshCache<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
}

/** A cache of at most 1,000 entries that live for 60 seconds. The oldest entry is dropped first. */
export function newFreshCache<V>(clock: Clock): FreshCache<V> {
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

/** The facts that a cache has for one request. */
export type Facts<V> = Pick<FreshCache<V>, "get" | "set">;

/**
 * A cache of facts that also end when the log of their tenant shows a change of their subject. `subjectOf` returns the
 * subject of a key. What a request reads must be read after the changes that it passes.
 */
export function newFactCache<V>(clock: Clock): (changes: Changes, subjectOf: (key: string) => string) => Facts<V> {
  const cache = newFreshCache<{ readonly value: V; readonly order: number }>(clock);
  return ({ order, isUnchangedSince }, subjectOf) => ({
    get(key) {
      const fact = cache.get(key);
      return fact && isUnchangedSince(subjectOf(key), fact.order) ? fact.value : undefined;
    },
    set: (key, value) => cache.set(key, { value, order }),
  });
}

/**
 * A digest under a random key of this process, so that its memory contains no credential and no hash that can be
 * guessed.
 */
export function newPrivateDigest(): (text: string) => string {
  // With the bytes themselves, Node takes five times as long (decision 0140).
  const key = createSecretKey(randomBytes(32));
  return (text) => createHmac("sha256", key).update(text, "utf8").digest("base64");
}
