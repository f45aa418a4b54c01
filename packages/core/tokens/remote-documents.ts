/**
 * Documents at addresses of clients, for one container. A document is read again when it is old, and when it lacks
 * something; no address more often than every 30 seconds, so that strangers cause few requests.
 *
 * JWK sets at addresses of clients. A set is read again, too, when it lacks a key that an assertion names.
 */
import type { Clock } from "../kernel/clock.ts";
import { type KeySet, type KeyUse, readKeySet } from "./key-set.ts";

/** How long a document counts as current, and how long it is used while its address does not respond. */
const FRESH_MS = 10 * 60_000;
const USABLE_MS = 60 * 60_000;
/** The least time between two requests to one address. */
const PAUSE_MS = 30_000;
const ADDRESSES_MAX = 200;

/** Reads the document at an address. Throws where it cannot be read. */
export type FetchDocument = (address: string) => Promise<Uint8Array>;

/** The documents of one container, as what they say. */
export interface RemoteDocuments<T> {
  /** What the document at an address says; `undefined` where none may be used. `isNewer` reads a fresh one again. */
  at(address: string, isNewer?: true): Promise<T | undefined>;
}

interface Entry<T> {
  readonly document: T | undefined;
  readonly readMs: number;
  readonly triedMs: number;
}

/** Opens the documents of one container. `parse` returns `undefined` for a text that is none of them. */
export function newRemoteDocuments<T>(
  fetchDocument: FetchDocument,
  clock: Clock,
  parse: (text: string) => T | undefined,
): RemoteDocuments<T> {
  const entries = new Map<string, Entry<T>>();
  const running = new Map<string, Promise<void>>();

  const read = async (address: string): Promise<void> => {
    const before = entries.get(address);
    const triedMs = clock.now();
    const document = await fetchDocument(address).then(
      (bytes) => parse(Buffer.from(bytes).toString("utf8")),
      // An address that does not respond: the former document stays for a while.
      () => undefined,
    );
    entries.delete(address);
    entries.set(
      address,
      document
        ? { document, readMs: triedMs, triedMs }
        : { document: before?.document, readMs: before?.readMs ?? 0, triedMs },
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
      return entry && clock.now() - entry.readMs <= USABLE_MS ? entry.document : undefined;
    },
  };
}

/** The sets of one container. */
export type RemoteKeySets = RemoteDocuments<KeySet>;

/** Opens the sets of one container: their keys for one use. */
export function newRemoteKeySets(fetchDocument: FetchDocument, clock: Clock, use: KeyUse = "sig"): RemoteKeySets {
  return newRemoteDocuments(fetchDocument, clock, (text) => readKeySet(text, use));
}
