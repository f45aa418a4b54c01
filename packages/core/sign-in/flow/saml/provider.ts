/** The service provider of a request, and whether people can sign in to it now. */
import type { SamlServiceProvider } from "../../../applications/protocols/model.ts";
import {
  digests,
  encryptions,
  isKnown,
  keyEncryptions,
  signatures,
} from "../../../applications/protocols/saml-algorithms.ts";
import { pemCertificates } from "../../../applications/registry/client-keys.ts";
import type { Application } from "../../../applications/registry/model.ts";
import { type AuthorizationRequest, unmetBy } from "../authorization-request.ts";
import type { Asker } from "../protocols/protocol.ts";
import { tokenlessClient } from "../protocols/tokenless-client.ts";
import { canTakeForms } from "../sso/addresses.ts";
import type { AskerStores } from "../sso/asker-stores.ts";

/** Shorter keys of RSA do not protect. */
const KEY_BITS_MIN = 2_048;

/** The application of a request with its client; `undefined` where it may not be answered now. One round trip. */
export async function findProvider(
  { tenant, applicationId, to }: Pick<AuthorizationRequest, "tenant" | "applicationId" | "to">,
  { applications, tenants, sendsMail }: AskerStores,
): Promise<Asker | undefined> {
  const [application, owner] = await Promise.all([applications.find(tenant, applicationId), tenants.find(tenant)]);
  const saml = application?.inbound.saml;
  if (!owner?.active || !saml || samlProblemOf(application, sendsMail) !== undefined) return undefined;
  return isConsumer(to.redirectUri, saml) ? { application, client: samlClient(application, tenant) } : undefined;
}

/** The client that an application is as a service provider. Its id is none that a tenant can register. */
export function samlClient({ id, advancedConfigurations }: Application, tenant: string): Asker["client"] {
  const takesGuests = advancedConfigurations.saas === true;
  return tokenlessClient({ clientId: samlClientId(id), tenant, applicationId: id, takesGuests });
}

/** The id of the client. Ids of tenants are of printable characters of ASCII. */
export function samlClientId(applicationId: string): string {
  return `·saml·${applicationId}`;
}

/** Whether answers may go to an address: it is registered, character by character, and safe to post to. */
export function isConsumer(
  address: string,
  { assertionConsumerUrls }: Pick<SamlServiceProvider, "assertionConsumerUrls">,
): boolean {
  return assertionConsumerUrls.includes(address) && canTakeForms(address);
}

/**
 * Why people cannot sign in to a service provider now; `undefined` where they can. The service does not do less than
 * the settings ask for.
 */
export function samlProblemOf(application: Application, sendsMail: boolean): string | undefined {
  const { applicationEnabled, inbound, advancedConfigurations } = application;
  const { saml } = inbound;
  if (!saml || !applicationEnabled) return "The application is not enabled.";
  const { assertion } = saml.singleSignOnProfile;
  const { encryption } = assertion;
  if (!isKnown(signatures, saml.responseSigning.signingAlgorithm)) {
    return "The responseSigning.signingAlgorithm of the application is not secure. Choose RSA with SHA-256.";
  }
  if (!isKnown(digests, assertion.digestAlgorithm)) {
    return "The assertion.digestAlgorithm of the application is not secure. Choose SHA-256.";
  }
  if (encryption.enabled) {
    const { assertionEncryptionAlgorithm, keyEncryptionAlgorithm } = encryption;
    if (!isKnown(encryptions, assertionEncryptionAlgorithm) || !isKnown(keyEncryptions, keyEncryptionAlgorithm)) {
      return "An algorithm of assertion.encryption of the application is not secure. Choose AES-GCM and RSA-OAEP.";
    }
  }
  const needsKey = encryption.enabled || saml.requestValidation.enableSignatureValidation;
  if (needsKey && advancedConfigurations.certificate?.type !== "PEM") {
    return "Requests are verified, and assertions encrypted, with the PEM certificate of the application: it has none.";
  }
  if (encryption.enabled && !canEncrypt(advancedConfigurations.certificate?.value ?? "")) {
    return `Assertions are encrypted for the first certificate: its key must be RSA of ${KEY_BITS_MIN} bits or more.`;
  }
  return unmetBy(application, sendsMail)?.message;
}

function canEncrypt(pem: string): boolean {
  const key = pemCertificates(pem)[0]?.publicKey;
  return key?.asymmetricKeyType === "rsa" && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= KEY_BITS_MIN;
}
