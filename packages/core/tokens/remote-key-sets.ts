/** JWK sets at addresses of clients. A set is read again, too, when it lacks a key that an assertion names. */
import type { Clock } from "../platform/clock.ts";
import { type KeySet, type KeyUse, readKeySet } from "./key-set.ts";
import { type FetchDocument, newRemoteDocuments, type RemoteDocuments } from "./remote-documents.ts";

/** The sets of one container. */
export type RemoteKeySets = RemoteDocuments<KeySet>;

/** Opens the sets of one container: their keys for one use. */
export function newRemoteKeySets(fetchDocument: FetchDocument, clock: Clock, use: KeyUse = "sig"): RemoteKeySets {
  return newRemoteDocuments(fetchDocument, clock, (text) => readKeySet(text, use));
}
