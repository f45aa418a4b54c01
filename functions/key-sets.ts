/** Documents at addresses of clients, as a function reads them: JWK sets, and lists of sectors. */
import { systemClock } from "#core/kernel/clock.ts";
import type { KeyUse } from "#core/tokens/key-set.ts";
import { type FetchDocument, newRemoteKeySets, type RemoteKeySets } from "#core/tokens/remote-documents.ts";
import { fetchExempt } from "./env.ts";

/** Bytes of a document at the address of a client. */
const DOCUMENT_BYTES_MAX = 65_536;

/**
 * Opens the addresses of clients. Documents are fetched like SAML metadata: from public addresses only. The code for
 * that is loaded when a client first needs it.
 */
export function openAddresses(): FetchDocument {
  const exempt = fetchExempt();
  return async (address) => {
    const { fetchPublic } = await import("#core/kernel/public-fetch.ts");
    return fetchPublic(address, exempt, DOCUMENT_BYTES_MAX);
  };
}

/** Opens the JWK sets of one container: their keys for one use. */
export function openKeySets(use: KeyUse = "sig"): RemoteKeySets {
  return newRemoteKeySets(openAddresses(), systemClock, use);
}
