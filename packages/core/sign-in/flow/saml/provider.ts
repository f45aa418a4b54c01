/** The service provider of a request, and whether people can sign in to it now. */

import { canTakeForms } from "../../../applications/protocols/answer-addresses.ts";
import type { SamlServiceProvider } from "../../../applications/protocols/model.ts";
import {
  digests,
  encryptions,
  isKnown,
  keyEncryptions,
  signatures,
} from "../../../applications/protocols/saml-algorithms.ts";
import { takesAnswers } from "../../../applications/protocols/saml-imported.ts";
import type { Application } from "../../../applications/registry/model.ts";
import { type AuthorizationRequest, unmetBy } from "../authorization-request.ts";
import type { Asker } from "../protocols/protocol.ts";
import { tokenlessClient } from "../protocols/tokenless-client.ts";
import type { AskerStores } from "../sso/asker-stores.ts";
import { encryptionCertificateOf, KEY_BITS_MIN, requestKeysOf } from "./keys.ts";

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

/** Whether answers may go to an address: it is registered, character by character, takes posts, and is safe. */
export function isConsumer(
  address: string,
  saml: Pick<SamlServiceProvider, "assertionConsumerUrls" | "singleSignOnProfile" | "imported">,
): boolean {
  return saml.assertionConsumerUrls.includes(address) && takesAnswers(address, saml) && canTakeForms(address);
}

/**
 * Why people cannot sign in to a service provider now; `undefined` where they can. The service does not do less than
 * the settings ask for.
 */
export function samlProblemOf(application: Application, sendsMail: boolean): string | undefined {
  const { applicationEnabled, inbound } = application;
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
  const { bindings, enableSignatureValidationForArtifactBinding } = saml.singleSignOnProfile;
  const verifiesArtifacts = enableSignatureValidationForArtifactBinding && bindings.includes("ARTIFACT");
  const isVerified = saml.requestValidation.enableSignatureValidation || verifiesArtifacts;
  if (isVerified && requestKeysOf(application).length === 0) {
    return "Requests are verified with the keys of the metadata or the PEM certificate of the application: it has none.";
  }
  if (encryption.enabled && !encryptionCertificateOf(application)) {
    return (
      "Assertions are encrypted for the key of the metadata, or for the first PEM certificate of the application: it " +
      `must be RSA of ${KEY_BITS_MIN} bits or more.`
    );
  }
  return unmetBy(application, sendsMail)?.message;
}
