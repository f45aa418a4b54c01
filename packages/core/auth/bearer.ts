/** The Bearer scheme (RFC 6750): from an access token to a principal and the scopes of the token. */

import { isForPath } from "../domain/protected-resources.ts";
import { BASIC_CHALLENGE, bearerChallenge, unauthenticated } from "../http/decision.ts";
import type { Principal } from "../operation/context.ts";
import { SIGNED_IN } from "../operation/operation.ts";
import type { Fault } from "../platform/faults.ts";
import { actorsOf } from "../tokens/delegation.ts";
import { type AccessToken, subjectOf } from "../tokens/model.ts";
import type { TokenReader, TokenReading } from "../tokens/reader.ts";
import type { Authenticated } from "./user-principal.ts";

const SCHEME = /^bearer(?: |,|$)/i;
const HEADER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** Whether a header uses the Bearer scheme, malformed ones included. */
export function isBearer(header: string): boolean {
  return SCHEME.test(header);
}

/**
 * Authenticates a header of the Bearer scheme for a path, which is given without its tenant: a token that is for other
 * resources is refused (RFC 8707, decision 0080). Throws `auth.unauthenticated`.
 */
export async function authenticateBearer(
  header: string,
  reader: TokenReader,
  reading: TokenReading,
  path: string,
): Promise<Authenticated> {
  const [, text = ""] = HEADER.exec(header) ?? [];
  const found = text === "" ? undefined : await reader.read(text, reading);
  if (!found) throw refused();
  const { token } = found;
  const place = { origin: reading.issuer.origin, tenant: token.tenant };
  if (!isForPath(token.audience, path, place)) throw refused();
  // An exchanged token has exactly the scopes that were given to it (decision 0081).
  const implied = token.exchanges ? [] : [SIGNED_IN];
  return { principal: principalOf(token), scopes: new Set([...implied, ...token.scopes]) };
}

/** One sentence for every token that is not accepted, so that it shows nothing of the reason. */
function refused(): Fault {
  return unauthenticated(
    "The access token is not valid here: it is unknown, has expired, was revoked, or is for another resource.",
    `${BASIC_CHALLENGE}, ${bearerChallenge("invalid_token")}`,
  );
}

function principalOf(token: AccessToken): Principal {
  const { tenant, user, applicationId } = token;
  const subject = subjectOf(token);
  const actors = actorsOf(token).map(({ sub }) => sub);
  return user
    ? {
        kind: "user",
        tenant,
        subject,
        username: user.userName,
        userStore: user.userStore,
        ...(actors.length > 0 && { actor: actors.join(" ") }),
      }
    : { kind: "client", tenant, subject, applicationId };
}
