/**
 * Whether the gateway and the functions agree on who issues client certificates: the one goes by the truststore, the other by
 * deployment.toml, and a certificate that only one of them takes lets nobody in. Pure but for the files it reads.
 */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { deploymentFromFile } from "#core/settings/file.ts";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Makes sure that some certificate which the gateway lets through is one that `deploymentFile` accepts. Throws an `Error`
 * that names both sides. Where certificates are no credential, the gateway's word is enough.
 */
export function checkAuthorities(truststore: string, deploymentFile: string): void {
  const { enabled, issuers } = deploymentFromFile(deploymentFile).access.certificates;
  const trusted = commonNamesIn(truststore);
  if (!enabled || issuers.some(({ commonName }) => trusted.includes(commonName))) return;
  throw new Error(
    `MTLS_DOMAIN would let nobody in: the authorities in ${truststore} are ${quoted(trusted)} by their common names, and ` +
      `${deploymentFile} accepts certificates that ${quoted(issuers.map(({ commonName }) => commonName))} issued. Name the ` +
      "one that issues your clients' certificates in cert_cns of [intermediate_cert_validation].",
  );
}

/** The common names in the subjects of the certificates in a PEM file. Throws an `Error` that names the file. */
function commonNamesIn(truststore: string): readonly string[] {
  const pems = readFileSync(truststore, "utf8").match(CERTIFICATE) ?? [];
  if (pems.length === 0) throw new Error(`TRUSTSTORE_FILE ${truststore} holds no certificate in PEM.`);
  return pems.flatMap((pem, index) => {
    try {
      const { CN } = new X509Certificate(pem).toLegacyObject().subject;
      return typeof CN === "string" ? [CN] : [];
    } catch (cause) {
      throw new Error(`TRUSTSTORE_FILE ${truststore}: its certificate number ${index + 1} cannot be read.`, { cause });
    }
  });
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ") || "none";
}
