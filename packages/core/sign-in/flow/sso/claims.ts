/** What the answer of another protocol than OpenID Connect shows of a user, as consents name it. Pure. */
import type { Application } from "../../../applications/registry/model.ts";
import type { AuthorizationRequest } from "../authorization-request.ts";
import { releasedAttributes } from "../cas/claims.ts";
import { claimReferences, guestReferences } from "../saml/claims.ts";
import { referencesTo, requestedAttributes, withSubject } from "./attributes.ts";

/** The claims, with those that a guest is asked for; `undefined` for a request of OpenID Connect or the own account. */
export function shownClaims(
  { saml, passiveSts, cas }: Pick<AuthorizationRequest, "saml" | "passiveSts" | "cas">,
  application: Application,
  isGuest: boolean,
): readonly string[] | undefined {
  if (saml) return (isGuest ? guestReferences : claimReferences)(saml, application);
  if (!passiveSts && !cas) return undefined;
  const attributes = cas ? releasedAttributes(cas, application) : requestedAttributes(application.claimConfiguration);
  const shown = referencesTo(attributes.map(({ uri }) => uri));
  return isGuest ? withSubject(shown, application) : shown;
}
