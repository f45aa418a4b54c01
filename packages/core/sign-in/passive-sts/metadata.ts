/** The metadata of the token service of a tenant (WS-Federation 1.2 section 3.1), which relying parties read. */
import { type Canonical, element } from "../../kernel/canonical-xml.ts";
import { signingKey } from "../saml/metadata.ts";
import { tokenTypes } from "./parameters.ts";
import { endpointReference } from "./response.ts";

const METADATA = "urn:oasis:names:tc:SAML:2.0:metadata";
const FEDERATION = "http://docs.oasis-open.org/wsfed/federation/200706";
const SCHEMA = "http://www.w3.org/2001/XMLSchema-instance";

/** A document that relying parties may keep for an hour: that long a new certificate stands in it before it signs. */
export function metadataOf({
  entityId,
  endpoint,
  certificates,
}: {
  readonly entityId: string;
  readonly endpoint: string;
  /** Base64 of the DER of each. */
  readonly certificates: readonly string[];
}): string {
  const offered = Object.values(tokenTypes).map(([uri]) => element("fed:TokenType", { Uri: uri }));
  const at = (name: string): Canonical => element(`fed:${name}`, {}, endpointReference(endpoint));
  const described = element(
    "md:EntityDescriptor",
    { "xmlns:md": METADATA, cacheDuration: "PT1H", entityID: entityId },
    element(
      "md:RoleDescriptor",
      {
        "xmlns:fed": FEDERATION,
        "xmlns:xsi": SCHEMA,
        protocolSupportEnumeration: FEDERATION,
        "xsi:type": "fed:SecurityTokenServiceType",
      },
      ...certificates.map(signingKey),
      element("fed:TokenTypesOffered", {}, ...offered),
      // The schema asks for it. Nothing but browsers is answered there.
      at("SecurityTokenServiceEndpoint"),
      at("PassiveRequestorEndpoint"),
    ),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${described}\n`;
}
