/** Requests that a service provider sends by SOAP, without a browser: who sends them, and what of them is signed. */
import type { Application } from "../../applications/registry/model.ts";
import { samlOf } from "../flow/saml/claims.ts";
import { requestKeysOf } from "../flow/saml/keys.ts";
import { issuerOf, type MessageName } from "./authn-request.ts";
import type { SamlContext } from "./context.ts";
import { providerOf, type SamlParameters, verifiedRoot } from "./provider.ts";
import { bodyOf } from "./soap.ts";
import { readTree, refuse, type XmlNode } from "./tree.ts";

/** A request with its sender. */
export interface SoapRequest {
  readonly application: Application;
  /** What counts of it: what its signature covers, or all of it where the application has no key. */
  readonly root: XmlNode;
  readonly isSigned: boolean;
}

/**
 * The request in an envelope, of one of some names. Where the application has a key it is signed, as SAML Profiles 2.0
 * section 5.3.1 demands: whatever else could authenticate a service provider is not here. Two round trips. Throws
 * `request.invalid`.
 */
export async function soapRequest(
  envelope: string,
  names: readonly MessageName[],
  parameters: Pick<SamlParameters, "spQualifier">,
  context: SamlContext,
): Promise<SoapRequest> {
  const xml = bodyOf(envelope);
  const unverified = readTree(xml);
  const application = await providerOf(issuerOf(unverified, ...names), parameters, context);
  const keys = requestKeysOf(application);
  const isSigned = keys.length > 0;
  const message = { parameter: "SAMLRequest", xml, root: unverified } as const;
  const root = await verifiedRoot(message, "SOAP", isSigned ? keys : undefined, context);
  if (issuerOf(root, ...names) !== samlOf(application.inbound).issuer) {
    throw refuse("Its Issuer is another one than its signature covers.");
  }
  return { application, root, isSigned };
}
