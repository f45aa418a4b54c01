/** What a deployment reads of files: authorities of client certificates, passwords of directories, who sends mails. */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { deploymentFromFile } from "#core/service/settings/deployment.ts";

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

/** The variables with the passwords of the declared directories. Throws like the functions at their start. */
export function directoryPasswords(file: string): readonly string[] {
  return [...new Set(deploymentFromFile(file).userStores.flatMap(({ directory }) => directory?.passwordEnv ?? []))];
}

/** How mails leave: `undefined` where none do. Throws an `Error` for an outbox, which is of the local service alone. */
export function mailOf(file: string) {
  const { settings } = deploymentFromFile(file).mail;
  if (settings?.provider !== "outbox") return settings;
  throw new Error(`${file}: email.provider: "outbox" writes files of npm start. Deploy with "ses" or "smtp".`);
}

/** The name of the secret of a variable: `CorpDirectoryPassword` for `CORP_DIRECTORY_PASSWORD`. */
export function secretNameOf(variable: string): string {
  return variable
    .split("_")
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join("");
}
