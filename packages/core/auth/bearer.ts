/** The Bearer scheme (RFC 6750): from an access token to a principal and its scopes, which are the token's. */

import { BASIC_CHALLENGE, bearerChallenge, unauthenticated } from "../http/decision.ts";
import type { Principal } from "../operation/context.ts";
import { SIGNED_IN } from "../operation/operation.ts";
import type { Fault } from "../platform/faults.ts";
import { type AccessToken, subjectOf } from "../tokens/model.ts";
import type { Reading, TokenReader } from "../tokens/reader.ts";
import type { Authenticated } from "./entering.ts";

const SCHEME = /^bearer(?: |,|$)/i;
const HEADER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** Whether a header speaks the Bearer scheme, well or badly. */
export function isBearer(header: string): boolean {
  return SCHEME.test(header);
}

/** Authenticates a header of the Bearer scheme. Throws `auth.unauthenticated`. */
export async function authenticateBearer(
  header: string,
  reader: TokenReader,
  reading: Reading,
): Promise<Authenticated> {
  const [, text = ""] = HEADER.exec(header) ?? [];
  const found = text === "" ? undefined : await reader.read(text, reading);
  if (!found) throw refused();
  const { token } = found;
  return { principal: principalOf(token), scopes: new Set([SIGNED_IN, ...token.scopes]) };
}

/** The one answer to every token that does not let in. */
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
