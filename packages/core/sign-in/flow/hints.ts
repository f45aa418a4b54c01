/** ID tokens that a client sends back to name the user or the session that it means. */
import { sectorOf } from "../../applications/protocols/sector.ts";
import type { User } from "../../directory/users/model.ts";
import type { IdTokenHint } from "../../tokens/id-token-reader.ts";
import { issuerAt } from "../../tokens/jwt.ts";
import { subjectFor } from "../openid/user-claims.ts";
import { AuthorizationError } from "./authorization-error.ts";
import type { AuthorizationRequest, Requester } from "./authorization-request.ts";
import type { SignInContext } from "./context.ts";

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
  return hint.issuer === issuerAt(origin).issuerOf(tenant) && hint.clientId === clientId;
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

/** A user with its tenant, which for a guest is not that of the application. */
export interface Person {
  readonly user: User;
  readonly home: string;
  /** What a guest has agreed to give; absent before it is asked. */
  readonly given?: readonly string[];
}

/** Whether a user is the one that the client expects, if it expects one. */
export async function isExpected(
  person: Person,
  { tenant, expected }: Pick<AuthorizationRequest, "tenant" | "expected">,
  application: Requester["application"],
  context: SignInContext,
): Promise<boolean> {
  return expected === undefined || (await subjectAt(person, tenant, application, context)) === expected;
}

/** The subject of a user for an application of a tenant. */
export async function subjectAt(
  person: Person,
  tenant: string,
  application: Requester["application"],
  context: SignInContext,
): Promise<string> {
  const { user, home, given } = person;
  const claimed = {
    user,
    tenant: home,
    isGuest: home !== tenant,
    given,
    groupNames: [],
    roleNames: [],
    roleAudiences: [],
  };
  return subjectFor(claimed, application, await pairwiseOf(person, tenant, application, context));
}

/** The pairwise subject of a user for an application of a tenant; `undefined` where its subjects are public. */
export async function pairwiseOf(
  { user: { id: userId }, home }: Person,
  tenant: string,
  { inbound }: Requester["application"],
  { table, tools }: SignInContext,
): Promise<string | undefined> {
  const sector = inbound.oidc && sectorOf(inbound.oidc);
  if (sector === undefined) return undefined;
  return tools.pairwise.of(table, { tenant, sector, userId, ...(home !== tenant && { home }) });
}
