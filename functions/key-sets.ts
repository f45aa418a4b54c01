/** The JWK sets at addresses of clients, as a function reads them. */
import { systemClock } from "#core/platform/clock.ts";
import { newRemoteKeySets, type RemoteKeySets } from "#core/tokens/remote-key-sets.ts";
import { fetchExempt } from "./env.ts";

/** Bytes of a JWK set at the address of a client. */
const KEY_SET_BYTES_MAX = 65_536;

/**
 * Opens the sets of one container. They are fetched like SAML metadata: from public addresses only. The code for that
 * is loaded when a client first needs it.
 */
export function openKeySets(): RemoteKeySets {
  const exempt = fetchExempt();
  return newRemoteKeySets(async (address) => {
    const { fetchPublic } = await import("#core/platform/public-fetch.ts");
    return fetchPublic(address, exempt, KEY_SET_BYTES_MAX);
  }, systemClock);
}
