/** What other protocols than OpenID Connect say of a user: its name, and the values of attributes. */
import { countingRoles } from "../../applications/registry/client-model.ts";
import type { Application } from "../../applications/registry/model.ts";
import { LOCAL_DIALECT } from "../../directory/claims/model.ts";
import type { AuthorizationRequest } from "../flow/authorization-request.ts";
import type { Current } from "../flow/session.ts";
import { type AskedAttribute, isVerifier, verifierOf } from "../flow/sso/attributes.ts";
import { shownClaims } from "../flow/sso/claims.ts";
import { claimedUser, type MembershipStores, namedNeeds } from "../openid/memberships.ts";
import { type ClaimedUser, isPresent, localValue, subjectFor, uriOf } from "../openid/user-claims.ts";

/** An attribute with its values. */
export interface AttributeValues {
  readonly name: string;
  readonly values: readonly string[];
}

/**
 * The user of a session with the groups and roles that some claims and the subject need: two round trips at most. A
 * guest has agreed to all that the answer shows.
 */
export function claimedIn(
  { session, user }: Current,
  request: Pick<AuthorizationRequest, "tenant" | "saml" | "passiveSts" | "cas">,
  application: Application,
  uris: readonly string[],
  stores: MembershipStores,
): Promise<ClaimedUser> {
  const isGuest = session.tenant !== request.tenant;
  const given = isGuest ? shownClaims(request, application, true) : undefined;
  const needs = namedNeeds([...uris, uriOf(application.claimConfiguration.subject.claim ?? {})]);
  const chosen = { id: application.id, ...countingRoles(application.associatedRoles) };
  return claimedUser({ user, tenant: session.tenant, isGuest, given, needs }, chosen, stores);
}

/**
 * The attributes that the user has values for. What another tenant has verified, this one has not: the address of a
 * guest could be that of somebody else, so it is told only to who asks whether it is verified, too.
 */
export function valuesOf(
  attributes: readonly AskedAttribute[],
  claimed: ClaimedUser,
  { claimConfiguration }: Pick<Application, "claimConfiguration">,
): readonly AttributeValues[] {
  const isAsked = (uri: string) => attributes.some((each) => each.uri === uri);
  return attributes.flatMap(({ name, uri }) => {
    const verifier = verifierOf(uri);
    if (claimed.isGuest && verifier !== undefined && !isAsked(verifier)) return [];
    const value = claimed.isGuest && isVerifier(uri) ? false : localValue(uri, claimed, claimConfiguration.role);
    if (!isPresent(value)) return [];
    return [{ name, values: (Array.isArray(value) ? value : [value]).map(shown) }];
  });
}

function shown(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The subject, where the application chose a claim that the user has; else the user name. */
export function subjectName(claimed: ClaimedUser, application: Application): string {
  const { subject } = application.claimConfiguration;
  const chosen = subject.claim && localValue(uriOf(subject.claim), claimed, {});
  if (claimed.isGuest || (typeof chosen === "string" && chosen !== "")) return subjectFor(claimed, application);
  const claimConfiguration = {
    ...application.claimConfiguration,
    subject: { ...subject, claim: { uri: `${LOCAL_DIALECT}/username` } },
  };
  return subjectFor(claimed, { ...application, claimConfiguration });
}
