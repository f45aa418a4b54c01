/**
 * Checks that the gateway and the functions accept a common issuer of client certificates. The gateway uses the
 * truststore, the functions use deployment.toml, and a certificate must pass both. Pure except for the files that it
 * reads.
 */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { deploymentFromFile } from "#core/settings/deployment.ts";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Checks that `deploymentFile` accepts at least one authority of the truststore. Throws an `Error` that names both
 * sides. Checks nothing if certificates are not a credential.
 */
export function checkAuthorities(truststore: string, deploymentFile: string): void {
  const { enabled, issuers } = deploymentFromFile(deploymentFile).access.certificates;
  const trusted = commonNamesIn(truststore);
  if (!enabled || issuers.some(({ commonName }) => trusted.includes(commonName))) return;
  throw new Error(
    `No client could authenticate on MTLS_DOMAIN. ${truststore} has the authorities ${quoted(trusted)} (common names), but ` +
      `${deploymentFile} accepts only certificates issued by ${quoted(issuers.map(({ commonName }) => commonName))}. Add the ` +
      "issuer of your clients' certificates to cert_cns of [intermediate_cert_validation].",
  );
}

/**
 * When the first authority expires: one of the truststore, or a certificate of an issuer in deployment.toml. From then
 * on its clients are refused. Throws an `Error` that names the file.
 */
export function authoritiesUntil(truststore: string, deploymentFile: string): Date {
  const { issuers } = deploymentFromFile(deploymentFile).access.certificates;
  const pinned = issuers.flatMap(({ certificate }) =>
    certificate === undefined ? [] : new X509Certificate(certificate),
  );
  const ends = [...certificatesIn(truststore), ...pinned].map(({ validTo }) => Date.parse(validTo));
  return new Date(Math.min(...ends));
}

/** The common names in the subjects of the certificates in a PEM file. Throws an `Error` that names the file. */
function commonNamesIn(truststore: string): readonly string[] {
  return certificatesIn(truststore).flatMap((certificate) => {
    const { CN } = certificate.toLegacyObject().subject;
    return typeof CN === "string" ? [CN] : [];
  });
}

function certificatesIn(truststore: string): readonly X509Certificate[] {
  const pems = readFileSync(truststore, "utf8").match(CERTIFICATE) ?? [];
  if (pems.length === 0) throw new Error(`TRUSTSTORE_FILE ${truststore} contains no PEM certificate.`);
  return pems.map((pem, index) => {
    try {
      return new X509Certificate(pem);
    } catch (cause) {
      throw new Error(`TRUSTSTORE_FILE ${truststore}: certificate number ${index + 1} cannot be read.`, { cause });
    }
  });
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ") || "none";
}
