/**
 * Proofs that a client has the private key of a registered public key: a signed assertion (RFC 7523), or the client
 * certificate of the connection (RFC 8705). The gateway has verified that the caller has the certificate's key, and
 * that its chain ends in the truststore.
 */
import type { ClientAuthentication, ClientRecord } from "../../applications/registry/client-model.ts";
import type { Client } from "../../applications/registry/client-store.ts";
import { isCurrent, readPem, thumbprintOf } from "../../kernel/certificate.ts";
import { subjectOf } from "../../kernel/distinguished-name.ts";
import { fapiAlgorithms } from "../../tokens/assertion-algorithms.ts";
import { type Assertion, verifyAssertion } from "../../tokens/client-assertion.ts";
import type { KeySet } from "../../tokens/key-set.ts";
import type { RemoteKeySets } from "../../tokens/remote-documents.ts";
import { mayCertify } from "../authentication/access-control/certificate.ts";
import type { CertificateSettings } from "../authentication/access-control/model.ts";
import { keySetOf } from "./registered-keys.ts";

/** The server as a proof must name it, and the time. */
export interface ServerCheck {
  /** The addresses of the token endpoint, which are issuers too: an assertion is for one of them. */
  readonly issuers: ReadonlySet<string>;
  /** These, and the other endpoints at which clients authenticate. */
  readonly addresses: ReadonlySet<string>;
  /** The issuer of the tenant of the client. */
  readonly issuer: string;
  readonly nowMs: number;
}

/** Verifies the proofs of clients for one container. */
export interface ClientProofs {
  /** The assertion, if the client signed it. The same work for a client that has no keys, or that does not exist. */
  assertion(
    text: string,
    clientId: string,
    client: Client | undefined,
    check: ServerCheck,
  ): Promise<Assertion | undefined>;
  /** Whether a certificate (PEM) is the one that the client registered, or has the subject that it registered. */
  isCertified(pem: string, client: Client, check: ServerCheck): Promise<boolean>;
}

/** Opens the proofs of one container. `certificates` may bind an issuer to the clients of some tenants. */
export function newClientProofs(keySets: RemoteKeySets, certificates: CertificateSettings): ClientProofs {
  const setOf = (authentication: ClientAuthentication | undefined, nowMs: number, isNewer?: true) =>
    keySetOf(authentication?.keys ?? {}, keySets, nowMs, isNewer);

  const isRegistered = async (thumbprint: string, authentication: ClientAuthentication, nowMs: number) => {
    const { address, thumbprints = [] } = authentication.keys ?? {};
    if (address === undefined) return thumbprints.includes(thumbprint);
    const has = (set: KeySet | undefined) => set?.thumbprints.includes(thumbprint) ?? false;
    return has(await setOf(authentication, nowMs)) || has(await setOf(authentication, nowMs, true));
  };

  return {
    assertion(text, clientId, client, check) {
      const registered = client?.settings.authentication;
      const authentication = registered?.method === "private_key_jwt" ? registered : undefined;
      return verifyAssertion(text, {
        ...check,
        clientId,
        algorithms: algorithmsOf(client?.settings),
        onlyAudience: client?.settings.isFapi2 ? check.issuer : undefined,
        keys: async (isNewer) => (await setOf(authentication, check.nowMs, isNewer))?.keys,
      });
    },

    async isCertified(pem, { tenant, settings: { authentication } }, { nowMs }) {
      const certificate = readPem(pem);
      if (!certificate || !authentication || !isCurrent(certificate, nowMs)) return false;
      const { method, subject } = authentication;
      if (method === "tls_client_auth" && subject !== undefined) {
        return subjectOf(certificate) === subject && mayCertify(certificate, tenant, certificates);
      }
      if (method !== "tls_client_auth" && method !== "self_signed_tls_client_auth") return false;
      return isRegistered(thumbprintOf(certificate), authentication, nowMs);
    },
  };
}

/** The algorithms that a client may sign assertions with; `undefined` for any. */
function algorithmsOf(settings: ClientRecord | undefined): readonly string[] | undefined {
  const { algorithm } = settings?.authentication ?? {};
  if (algorithm !== undefined) return [algorithm];
  return settings?.isFapi2 ? fapiAlgorithms : undefined;
}
