/**
 * JWK sets at addresses of clients, for one container. A set is read again when it is old, and when it lacks a key that
 * an assertion names; no address more often than every 30 seconds, so that strangers who name keys that do not exist
 * cause few requests.
 */
import type { Clock } from "../platform/clock.ts";
import { type KeySet, type KeyUse, readKeySet } from "./key-set.ts";

/** How long a set counts as current, and how long it is used while its address does not respond. */
const FRESH_MS = 10 * 60_000;
const USABLE_MS = 60 * 60_000;
/** The least time between two requests to one address. */
const PAUSE_MS = 30_000;
const ADDRESSES_MAX = 200;

/** Reads the document at an address. Throws where it cannot be read. */
export type FetchDocument = (address: string) => Promise<Uint8Array>;

/** The sets of one container. */
export interface RemoteKeySets {
  /** The set at an address; `undefined` where there is none that may be used. `isNewer` reads a fresh set again. */
  at(address: string, isNewer?: true): Promise<KeySet | undefined>;
}

interface Entry {
  readonly set: KeySet | undefined;
  readonly readMs: number;
  readonly triedMs: number;
}

/** Opens the sets of one container: their keys for one use. */
export function newRemoteKeySets(fetchDocument: FetchDocument, clock: Clock, use: KeyUse = "sig"): RemoteKeySets {
  const entries = new Map<string, Entry>();
  const running = new Map<string, Promise<void>>();

  const read = async (address: string): Promise<void> => {
    const before = entries.get(address);
    const triedMs = clock.now();
    const set = await fetchDocument(address).then(
      (bytes) => readKeySet(Buffer.from(bytes).toString("utf8"), use),
      // An address that does not respond: the former set stays for a while.
      () => undefined,
    );
    entries.delete(address);
    entries.set(
      address,
      set ? { set, readMs: triedMs, triedMs } : { set: before?.set, readMs: before?.readMs ?? 0, triedMs },
    );
    const [oldest] = entries.keys();
    if (entries.size > ADDRESSES_MAX && oldest !== undefined) entries.delete(oldest);
  };

  /** One request at a time for each address. */
  const readOnce = (address: string): Promise<void> => {
    const started = running.get(address) ?? read(address).finally(() => running.delete(address));
    running.set(address, started);
    return started;
  };

  return {
    async at(address, isNewer) {
      const found = entries.get(address);
      const isDue = !found || isNewer === true || clock.now() - found.readMs > FRESH_MS;
      if (isDue && !(found && clock.now() - found.triedMs < PAUSE_MS)) await readOnce(address);
      const entry = entries.get(address);
      return entry && clock.now() - entry.readMs <= USABLE_MS ? entry.set : undefined;
    },
  };
}
