/** Certificates that a deployment uses: their validity, and whether the gateway can use them as authorities. */
import { X509Certificate } from "node:crypto";
import { type Finding, messageOf, problemsOr, wrong } from "./doctor-finding.ts";

const DAY_MS = 86_400_000;
const SOON_DAYS = 30;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM text, with its number where one cannot be read. */
function certificatesIn(pem: string): readonly (X509Certificate | number)[] {
  return (pem.match(CERTIFICATE) ?? []).map((one, index) => {
    try {
      return new X509Certificate(one);
    } catch {
      return index + 1;
    }
  });
}

/** The common name of a certificate, or its whole subject. */
function nameOf({ subject }: X509Certificate): string {
  return /^CN=(.+)$/m.exec(subject)?.[1] ?? subject.replaceAll("\n", ", ");
}

/** A certificate that is not valid now, or not much longer. */
function validityOf(certificate: X509Certificate, where: string, nowMs: number): readonly Finding[] {
  const [fromMs, toMs] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  const name = `${where}: "${nameOf(certificate)}"`;
  const days = Math.floor((toMs - nowMs) / DAY_MS);
  if (toMs <= nowMs) return [wrong(`${name} expired at ${certificate.validTo}`, "Replace it.")];
  if (fromMs > nowMs)
    return [wrong(`${name} is not valid before ${certificate.validFrom}`, "Check its date, and the clock.")];
  return days < SOON_DAYS ? [wrong(`${name} expires in ${days} days`, "Replace it now.")] : [];
}

/** The validity of the certificates in a PEM text, such as one of deployment.toml. */
export function validityFindings(pem: string, where: string, nowMs: number): readonly Finding[] {
  return certificatesIn(pem).flatMap((one) => (typeof one === "number" ? [] : validityOf(one, where, nowMs)));
}

/** What is wrong with the truststore of the gateway. */
export function truststoreFindings(pem: string, file: string, nowMs: number): readonly Finding[] {
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)) {
    return [wrong(`${file} contains a private key`, "It would be uploaded: delete it from the file, and end its use.")];
  }
  const read = certificatesIn(pem);
  if (read.length === 0) return [wrong(`${file} contains no PEM certificate`, "Add the authorities of your clients.")];
  const authorities = read.flatMap((one) => (typeof one === "number" ? [] : [one]));
  const problems = read.flatMap((one) => {
    if (typeof one === "number") {
      return [
        wrong(`${file}: certificate number ${one} cannot be read`, "Copy it again, with its first and last line."),
      ];
    }
    return [...validityOf(one, file, nowMs), ...roleOf(one, authorities, file)];
  });
  const soonest = [...authorities].sort((a, b) => Date.parse(a.validTo) - Date.parse(b.validTo))[0];
  return problemsOr(
    problems,
    `${file}: ${authorities.map((one) => `"${nameOf(one)}"`).join(", ")}; the first expires at ${soonest?.validTo}`,
  );
}

/** A truststore holds authorities, each with its chain up to the root. */
function roleOf(
  certificate: X509Certificate,
  authorities: readonly X509Certificate[],
  file: string,
): readonly Finding[] {
  const name = `${file}: "${nameOf(certificate)}"`;
  if (!certificate.ca) {
    return [
      wrong(`${name} is not the certificate of an authority`, "Put the certificate of its issuer there instead."),
    ];
  }
  if (authorities.some((issuer) => certificate.checkIssued(issuer))) return [];
  const issuer = certificate.issuer.replaceAll("\n", ", ");
  return [wrong(`${name}: its issuer (${issuer}) is not in the file`, "Add the chain up to the root.")];
}

/** Runs a check that throws where something is wrong. */
export function refusalOf(check: () => void): readonly Finding[] {
  try {
    check();
    return [];
  } catch (error) {
    return [wrong(messageOf(error))];
  }
}
