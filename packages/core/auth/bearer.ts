/** The Bearer scheme (RFC 6750): from an access token to a principal and the scopes of the token. */

import { BASIC_CHALLENGE, bearerChallenge, unauthenticated } from "../http/decision.ts";
import type { Principal } from "../operation/context.ts";
import { SIGNED_IN } from "../operation/operation.ts";
import type { Fault } from "../platform/faults.ts";
import { type AccessToken, subjectOf } from "../tokens/model.ts";
import type { TokenReader, TokenReading } from "../tokens/reader.ts";
import type { Authenticated } from "./user-principal.ts";

const SCHEME = /^bearer(?: |,|$)/i;
const HEADER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** Whether a header uses the Bearer scheme, malformed ones included. */
export function isBearer(header: string): boolean {
  return SCHEME.test(header);
}

/** Authenticates a header of the Bearer scheme. Throws `auth.unauthenticated`. */
export async function authenticateBearer(
  header: string,
  reader: TokenReader,
  reading: TokenReading,
): Promise<Authenticated> {
  const [, text = ""] = HEADER.exec(header) ?? [];
  const found = text === "" ? undefined : await reader.read(text, reading);
  if (!found) throw refused();
  const { token } = found;
  return { principal: principalOf(token), scopes: new Set([SIGNED_IN, ...token.scopes]) };
}

/** One sentence for every token that is not accepted, so that it shows nothing of the reason. */
function refused(): Fault {
  return unauthenticated(
    "The access token is not valid: it is unknown, has expired, or was revoked.",
    `${BASIC_CHALLENGE}, ${bearerChallenge("invalid_token")}`,
  );
}

function principalOf(token: AccessToken): Principal {
  const { tenant, user, applicationId } = token;
  const subject = subjectOf(token);
  return user
    ? { kind: "user", tenant, subject, username: user.userName, userStore: user.userStore }
    : { kind: "client", tenant, subject, applicationId };
}
