/** Passkeys at the pages of sign-in. */
import { type Authenticator, askedIn, type Lies } from "#tools/examples/authenticator.ts";
import type { Browser, Shown } from "./browsing.ts";
import { sequenceOf } from "./codes.ts";

/** A password and a passkey; a password and one of the two. */
export const PASSKEY_STEP = sequenceOf(["BasicAuthenticator"], ["FIDOAuthenticator"]);
export const EITHER_STEP = sequenceOf(["BasicAuthenticator"], ["totp", "FIDOAuthenticator"]);

/** Creates a passkey in a browser that is at that page. */
export const create = (browser: Browser, shown: Shown, authenticator: Authenticator, lies?: Lies): Promise<Shown> =>
  browser.submit({ credential: authenticator.create(askedIn(shown), lies) });

/** Uses a passkey in a browser that is at that page. */
export const use = (
  browser: Browser,
  shown: Shown,
  authenticator: Authenticator,
  lies?: Lies,
  fields: Readonly<Record<string, string>> = {},
): Promise<Shown> => browser.submit({ ...fields, credential: authenticator.get(askedIn(shown), lies) });
