/** Metadata of service providers for tests, of the form that well-known software writes. */
import { readFile } from "node:fs/promises";
import type { ProviderKey } from "./saml.ts";

export const BINDINGS = "urn:oasis:names:tc:SAML:2.0:bindings:";
const SAML2 = "urn:oasis:names:tc:SAML:2.0:protocol";

/** The DER of a certificate in Base64, as metadata has it. */
export const derOf = ({ certificate }: ProviderKey): string =>
  certificate.replace(/-----(?:BEGIN|END) CERTIFICATE-----|\s/g, "");

/** A file of tests/data/saml-metadata, with certificates at its places. */
export const metadataFile = async (name: string, keys: Readonly<Record<string, ProviderKey>>): Promise<string> => {
  const text = await readFile(new URL(`../data/saml-metadata/${name}.xml`, import.meta.url), "utf8");
  return text.replace(/\{(\w+)\}/g, (_, of: string) => {
    const key = keys[of];
    if (!key) throw new Error(`no key ${of} for ${name}`);
    return derOf(key);
  });
};

/** A key of metadata. */
export const keyDescriptor = (key: ProviderKey, use?: string): string =>
  `<KeyDescriptor${use === undefined ? "" : ` use="${use}"`}><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#">` +
  `<X509Data><X509Certificate>${derOf(key)}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>`;

/** An endpoint of metadata. */
export const endpoint = (name: string, binding: string, location: string, more = ""): string =>
  `<${name} Binding="${BINDINGS}${binding}" Location="${location}" ${more}/>`;

/** Metadata of one service provider with these elements. */
export const provider = (entityId: string, inside: string, ofRole = "", ofEntity = ""): string =>
  `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}" ${ofEntity}>` +
  `<SPSSODescriptor protocolSupportEnumeration="${SAML2}" ${ofRole}>${inside}</SPSSODescriptor></EntityDescriptor>`;
