/** ID tokens that a client sends back to name the user or the session that it means. */
import type { User } from "../identities/users/model.ts";
import { subjectFor } from "../openid/user-claims.ts";
import type { IdTokenHint } from "../tokens/id-token-reader.ts";
import { issuerAt } from "../tokens/jwt.ts";
import { AuthorizationError, type AuthorizationRequest, type Requester } from "./authorization-request.ts";

/** The client that sends a hint. */
interface Sender {
  readonly tenant: string;
  readonly clientId: string | undefined;
  /** The origin of the service. */
  readonly origin: string;
}

/** Whether a verified ID token was issued to a client by the issuer of its tenant. */
export function isHintOf(hint: IdTokenHint | undefined, { tenant, clientId, origin }: Sender): boolean {
  if (!hint || clientId === undefined) return false;
  return hint.issuer === issuerAt(origin).issuerOf(tenant) && hint.audiences.includes(clientId);
}

/**
 * The subject that a client expects to sign in; `undefined` where it sent no hint. Throws `AuthorizationError` where
 * the hint is not an ID token of the client.
 */
export function expectedSubject(
  text: string | undefined,
  hint: IdTokenHint | undefined,
  requester: Requester,
): string | undefined {
  if (text === undefined) return undefined;
  if (!hint || !isHintOf(hint, requester)) {
    throw new AuthorizationError("invalid_request", "id_token_hint is not an ID token that the client got here.");
  }
  return hint.subject;
}

/** Whether a user is the one that the client expects, if it expects one. */
export function isExpected(
  user: User,
  { tenant, expected }: Pick<AuthorizationRequest, "tenant" | "expected">,
  application: Requester["application"],
): boolean {
  if (expected === undefined) return true;
  return subjectFor({ user, tenant, groupNames: [], roleNames: [] }, application) === expected;
}
