/** What a service provider is told instead of an assertion (SAML Core 2.0 section 3.2.2.2). Pure. */

const STATUS = "urn:oasis:names:tc:SAML:2.0:status:";

/** The codes that answers have. */
export const status = {
  success: `${STATUS}Success`,
  requester: `${STATUS}Requester`,
  responder: `${STATUS}Responder`,
  attribute: `${STATUS}InvalidAttrNameOrValue`,
  authnContext: `${STATUS}NoAuthnContext`,
  binding: `${STATUS}UnsupportedBinding`,
  denied: `${STATUS}RequestDenied`,
  failed: `${STATUS}AuthnFailed`,
  nameIdPolicy: `${STATUS}InvalidNameIDPolicy`,
  partial: `${STATUS}PartialLogout`,
  passive: `${STATUS}NoPassive`,
  principal: `${STATUS}UnknownPrincipal`,
  unsupported: `${STATUS}RequestUnsupported`,
} as const;

/** A refusal that the service provider is told. */
export class SamlRefusal extends Error {
  /** The code of the first level: whose fault it is. */
  readonly code: string;
  /** The code of the second level: what it is. */
  readonly detail: string;

  constructor(code: string, detail: string, message: string) {
    super(message);
    this.code = code;
    this.detail = detail;
  }
}

/** The refusal of a sign-in, by its code in OpenID Connect: the steps of a sign-in are the same. */
export function refusalOfSignIn({ code, message }: { readonly code: string; readonly message: string }): SamlRefusal {
  if (code === "login_required" || code === "interaction_required" || code === "consent_required") {
    return new SamlRefusal(status.responder, status.passive, message);
  }
  if (code === "unmet_authentication_requirements") {
    return new SamlRefusal(status.responder, status.authnContext, message);
  }
  return new SamlRefusal(status.responder, code === "access_denied" ? status.denied : status.failed, message);
}
