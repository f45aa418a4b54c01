/**
 * Certificates for development: an authority, a server certificate for this machine and a client certificate of `admin`,
 * made once and kept as PEM files. Never for deployment: the authority's key lies beside them.
 */
import { createPrivateKey, randomBytes, X509Certificate } from "node:crypto";
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Purpose } from "./issue.ts";

/** A certificate and its private key (PKCS#8), as PEM texts. */
export interface CertificatePair {
  readonly certificate: string;
  readonly key: string;
}

/** The certificates of a development machine. */
export interface Certificates {
  readonly ca: CertificatePair;
  /** For `localhost`, `127.0.0.1` and `::1`. */
  readonly server: CertificatePair;
  /** Of the user `admin`. */
  readonly admin: CertificatePair;
}

const AUTHORITY_NAME = "Identity Admin API development CA";

const server: Purpose = {
  kind: "server",
  hosts: [
    { type: "dns", value: "localhost" },
    { type: "ip", value: "127.0.0.1" },
    { type: "ip", value: "::1" },
  ],
};

/**
 * Answers the certificates in a directory, making the directory (for its owner alone), what is missing in it, and what has
 * expired. What is good stays as it is; a new authority means new certificates below it. The README.txt beside them names
 * the port of the door that they open, where it is not any free one (0).
 * Throws the errors of the file system.
 */
export async function ensureCertificates(directory: string, port: number): Promise<Certificates> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700);
  // Loaded where something has to be made: it takes longer than everything else here.
  const issue = () => import("./issue.ts");
  const ca = await ensure(directory, "ca", undefined, async () => (await issue()).issueAuthority(AUTHORITY_NAME));
  const leaf = (name: string, commonName: string, purpose: Purpose) =>
    ensure(directory, name, ca.certificate, async () => (await issue()).issueLeaf(ca, commonName, purpose));
  const certificates = {
    ca,
    server: await leaf("server", "localhost", server),
    admin: await leaf("client-admin", "admin", { kind: "client" }),
  };
  const readme = join(directory, "README.txt");
  const text = readmeFor(port);
  if ((await readOrNothing(readme)) !== text) await write(readme, text, 0o644);
  return certificates;
}

/** The pair of this name if it is good, otherwise a new one in its place. */
async function ensure(
  directory: string,
  name: string,
  authority: string | undefined,
  make: () => Promise<CertificatePair>,
): Promise<CertificatePair> {
  const [certificatePath, keyPath] = [join(directory, `${name}.pem`), join(directory, `${name}.key`)];
  const found = { certificate: await readOrNothing(certificatePath), key: await readOrNothing(keyPath) };
  if (isGood(found, authority ?? found.certificate)) return found;
  const made = await make();
  // A crash between these two leaves a pair that does not fit, which the next start makes again.
  await write(keyPath, made.key, 0o600);
  await write(certificatePath, made.certificate, 0o644);
  return made;
}

/** True for a pair that fits, is of today and was issued by the authority (an authority issues itself). */
function isGood({ certificate, key }: CertificatePair, authority: string): boolean {
  try {
    const [own, issuer] = [new X509Certificate(certificate), new X509Certificate(authority)];
    const now = Date.now();
    const isOfToday = own.validFromDate.getTime() <= now && now < own.validToDate.getTime();
    const isIssued = own.checkIssued(issuer) && own.verify(issuer.publicKey);
    return isOfToday && isIssued && own.checkPrivateKey(createPrivateKey(key));
  } catch {
    // A file that is missing, or no PEM: to be made again like an expired one.
    return false;
  }
}

function readmeFor(port: number): string {
  return `Development certificates of the Identity Admin API. They are made again when they are missing or expired.

  ca.pem                  the authority that client certificates must come from; trust it to reach https://localhost
  ca.key                  its key: whoever has it can log in as any user of the server on this machine
  server.pem, server.key  the server, as localhost, 127.0.0.1 and ::1
  client-admin.pem, client-admin.key
                          the user "admin"

Use one:

  curl --cacert ca.pem --cert client-admin.pem --key client-admin.key https://localhost:${port || "<port>"}/scim2/Users

Make one for another user, here "alice", in this directory:

  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -sha256 -subj "/CN=alice" \\
    -keyout client-alice.key -out client-alice.csr &&
  echo "extendedKeyUsage=clientAuth" | openssl x509 -req -in client-alice.csr -CA ca.pem -CAkey ca.key \\
    -set_serial "0x$(openssl rand -hex 16)" -days 365 -sha256 -extfile /dev/stdin -out client-alice.pem
`;
}

function readOrNothing(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}

/** Writes a file whole or not at all. */
async function write(path: string, text: string, mode: number): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(draft, text, { mode });
  await rename(draft, path);
}
