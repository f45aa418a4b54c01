/** Where passkeys of this service count, and what browsers are asked for. */
import { randomBytes } from "node:crypto";
import type { Passkeys } from "../../directory/credentials/passkey-store.ts";

/** ES256, EdDSA and RS256 (COSE): what authenticators have. The first one is preferred. */
export const ALGORITHMS: readonly number[] = [-7, -8, -257];

/** 256 bits: no one guesses a challenge. */
const RANDOM_BYTES = 32;
const USER_ID = /^[\w.-]{1,48}$/;
/** With the id of a user at most 64 bytes, which is the longest handle (section 4, "User Handle"). */
const HANDLE_RANDOM_BYTES = 16;
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

/** A challenge. */
export function randomText(): string {
  return randomBytes(RANDOM_BYTES).toString("base64url");
}

/**
 * A handle for the passkeys of a user. It says who the user is where no name was entered; its random part is known to
 * the authenticators of the user alone, so that strangers send no attempts in the name of the user.
 */
export function newHandle(userId: string): string {
  return Buffer.concat([randomBytes(HANDLE_RANDOM_BYTES), Buffer.from(userId, "utf8")]).toString("base64url");
}

/** The id of the user in a handle; `undefined` for a text that no handle has. */
export function userIdIn(handle: string): string | undefined {
  const id = Buffer.from(handle, "base64url").subarray(HANDLE_RANDOM_BYTES).toString("latin1");
  return USER_ID.test(id) ? id : undefined;
}

/**
 * What a browser is asked for to use a passkey: one of those of a user; or any of this site, where it is not known who
 * the user is. Who is known has proven something already, so that the touch of a key is enough where it cannot verify
 * its user. As `PublicKeyCredentialRequestOptionsJSON`.
 */
export function requestOptions(challenge: string, { rpId }: Site, passkeys?: Passkeys) {
  return {
    challenge,
    rpId,
    allowCredentials: passkeys ? described(passkeys) : [],
    userVerification: passkeys ? "preferred" : "required",
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
