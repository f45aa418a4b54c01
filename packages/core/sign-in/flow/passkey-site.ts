/** Where passkeys of this service count, and what browsers are asked for. */
import { randomBytes } from "node:crypto";
import type { Passkeys } from "../../directory/credentials/passkey-store.ts";

/** ES256, EdDSA and RS256 (COSE): what authenticators have. The first one is preferred. */
export const ALGORITHMS: readonly number[] = [-7, -8, -257];

/** 256 bits: no one guesses a challenge, and no two users have the same handle. */
const RANDOM_BYTES = 32;
/** How long a browser waits for its user. */
const TIMEOUT_MS = 5 * 60_000;

/** The relying party of passkeys, and the origin of the pages that may use them. */
export interface Site {
  readonly rpId: string;
  readonly origin: string;
}

/**
 * The host of the service: a passkey of another name does not count here. A relying party has a name, so a service at a
 * loopback address has those of `localhost`.
 */
export function siteOf(serviceOrigin: string): Site {
  const url = new URL(serviceOrigin);
  if (url.hostname === "127.0.0.1" || url.hostname === "[::1]") url.hostname = "localhost";
  return { rpId: url.hostname, origin: url.origin };
}

/** A challenge, or the handle of a user. */
export function randomText(): string {
  return randomBytes(RANDOM_BYTES).toString("base64url");
}

/**
 * What a browser is asked for to use a passkey. The password is proven already, so that the touch of a key is enough
 * where it cannot verify its user. As `PublicKeyCredentialRequestOptionsJSON`.
 */
export function requestOptions(challenge: string, { rpId }: Site, passkeys: Passkeys) {
  return {
    challenge,
    rpId,
    allowCredentials: described(passkeys),
    userVerification: "preferred",
    timeout: TIMEOUT_MS,
  };
}

/** What a browser is asked for to create one. As `PublicKeyCredentialCreationOptionsJSON`. */
export function creationOptions(
  challenge: string,
  { rpId }: Site,
  user: { readonly handle: string; readonly name: string; readonly siteName: string },
  passkeys: Passkeys | undefined,
) {
  return {
    challenge,
    rp: { id: rpId, name: user.siteName },
    user: { id: user.handle, name: user.name, displayName: user.name },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    excludeCredentials: passkeys ? described(passkeys) : [],
    // Those that can be found without their id are the ones that people have on all of their devices.
    authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
    attestation: "none",
    timeout: TIMEOUT_MS,
  };
}

function described({ keys }: Passkeys) {
  return keys.map(({ id, transports }) => ({ type: "public-key", id, ...(transports.length > 0 && { transports }) }));
}
