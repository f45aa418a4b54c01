/** The keys of a service provider: those of its metadata (decision 0199), and the certificate of its application. */
import type { KeyObject, X509Certificate } from "node:crypto";
import { importedCertificates } from "../../../applications/protocols/saml-imported.ts";
import { pemCertificates } from "../../../applications/registry/client-keys.ts";
import type { Application } from "../../../applications/registry/model.ts";

/** Shorter keys of RSA do not protect. */
export const KEY_BITS_MIN = 2_048;

type Provider = Pick<Application, "advancedConfigurations" | "inbound">;

/** The keys that verify requests of an application: one, or several while it changes them. */
export function requestKeysOf(application: Provider): readonly KeyObject[] {
  const { saml } = application.inbound;
  const imported = saml ? importedCertificates(saml, "signing") : [];
  return [...imported, ...ownCertificates(application)].map(({ publicKey }) => publicKey);
}

/**
 * The certificate that assertions are encrypted for: the first of the metadata that can encrypt, or that of the
 * application where the metadata has none. `undefined`: nothing can be encrypted.
 */
export function encryptionCertificateOf(application: Provider): X509Certificate | undefined {
  const { saml } = application.inbound;
  const imported = saml ? importedCertificates(saml, "encryption") : [];
  const possible = imported.length > 0 ? imported : ownCertificates(application).slice(0, 1);
  return possible.find(canEncrypt);
}

function ownCertificates({ advancedConfigurations: { certificate } }: Provider): readonly X509Certificate[] {
  return certificate?.type === "PEM" ? pemCertificates(certificate.value) : [];
}

function canEncrypt({ publicKey }: X509Certificate): boolean {
  const { asymmetricKeyType, asymmetricKeyDetails } = publicKey;
  return asymmetricKeyType === "rsa" && (asymmetricKeyDetails?.modulusLength ?? 0) >= KEY_BITS_MIN;
}
