/** The metadata of the identity provider of a tenant (SAML Metadata 2.0), which service providers read. */

import { type Canonical, element, text } from "../../kernel/canonical-xml.ts";
import { nameIdFormats } from "../flow/saml/claims.ts";
import { paths } from "./context.ts";
import { namespaces } from "./tree.ts";

const METADATA = "urn:oasis:names:tc:SAML:2.0:metadata";
const BINDINGS = "urn:oasis:names:tc:SAML:2.0:bindings:";

/** A document that service providers may keep for an hour: that long a new certificate stands in it before it signs. */
export function metadataOf({
  entityId,
  certificates,
}: {
  /** Its address. */
  readonly entityId: string;
  /** Base64 of the DER of each. */
  readonly certificates: readonly string[];
}): string {
  const at = (path: string, binding: string) => ({ Binding: `${BINDINGS}${binding}`, Location: `${entityId}${path}` });
  const own = (name: string, attributes: Record<string, string>, ...content: Canonical[]) =>
    element(`md:${name}`, attributes, ...content);
  const role = { protocolSupportEnumeration: namespaces.protocol };
  const keys = certificates.map(signingKey);
  const formats = Object.values(nameIdFormats).map((format) => own("NameIDFormat", {}, text(format)));
  const assertions = own("AssertionIDRequestService", at(paths.queries, "SOAP"));
  const described = own(
    "EntityDescriptor",
    { "xmlns:md": METADATA, cacheDuration: "PT1H", entityID: entityId },
    own(
      "IDPSSODescriptor",
      role,
      ...keys,
      own("ArtifactResolutionService", { ...at(paths.artifacts, "SOAP"), index: "0", isDefault: "true" }),
      ...["HTTP-Redirect", "HTTP-POST", "SOAP"].map((binding) => own("SingleLogoutService", at(paths.signOn, binding))),
      ...formats,
      ...["HTTP-POST", "HTTP-Redirect"].map((binding) => own("SingleSignOnService", at(paths.signOn, binding))),
      assertions,
    ),
    own(
      "AttributeAuthorityDescriptor",
      role,
      ...keys,
      own("AttributeService", at(paths.queries, "SOAP")),
      assertions,
      ...formats,
    ),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${described}\n`;
}

/** A key that signs, by its certificate. */
export function signingKey(certificate: string): Canonical {
  const data = element("ds:X509Data", {}, element("ds:X509Certificate", {}, text(certificate)));
  const info = element("ds:KeyInfo", { "xmlns:ds": namespaces.signature }, data);
  return element("md:KeyDescriptor", { use: "signing" }, info);
}
