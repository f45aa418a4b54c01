/**
 * Development certificates: an authority, a server certificate for this machine and a client certificate of `admin`,
 * created once and stored as PEM files. Not for deployments: the private key of the authority is in the same folder.
 */
import { createPrivateKey, randomBytes, X509Certificate } from "node:crypto";
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CertificatePair, Purpose } from "./issue.ts";

/** The development certificates. */
export interface Certificates {
  readonly ca: CertificatePair;
  /** For `localhost`, `127.0.0.1` and `::1`. */
  readonly server: CertificatePair;
  /** For the user `admin`. */
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
 * Returns the certificates of a directory. Creates the directory (for its owner only) and certificates that are missing
 * or expired. A new authority means new certificates. The README.txt in the directory names the port of the mTLS
 * listener unless it is any free port (0). Throws the errors of the file system.
 */
export async function ensureCertificates(directory: string, port: number): Promise<Certificates> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700);
  // Loaded only to create a certificate: it is slow to load.
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
  if ((await readOrEmpty(readme)) !== text) await write(readme, text, 0o644);
  return certificates;
}

/** The valid pair of this name, or a new one. */
async function ensure(
  directory: string,
  name: string,
  authority: string | undefined,
  make: () => Promise<CertificatePair>,
): Promise<CertificatePair> {
  const [certificatePath, keyPath] = [join(directory, `${name}.pem`), join(directory, `${name}.key`)];
  const found = { certificate: await readOrEmpty(certificatePath), key: await readOrEmpty(keyPath) };
  if (isValid(found, authority ?? found.certificate)) return found;
  const made = await make();
  // A crash between these two leaves a pair that does not match. The next start replaces it.
  await write(keyPath, made.key, 0o600);
  await write(certificatePath, made.certificate, 0o644);
  return made;
}

/** Whether the pair matches, has not expired and was issued by the authority (an authority issues itself). */
function isValid({ certificate, key }: CertificatePair, authority: string): boolean {
  try {
    const [own, issuer] = [new X509Certificate(certificate), new X509Certificate(authority)];
    const now = Date.now();
    const isCurrent = own.validFromDate.getTime() <= now && now < own.validToDate.getTime();
    const isIssued = own.checkIssued(issuer) && own.verify(issuer.publicKey);
    return isCurrent && isIssued && own.checkPrivateKey(createPrivateKey(key));
  } catch {
    // A missing file, or a file that is not PEM, is replaced like an expired one.
    return false;
  }
}

function readmeFor(port: number): string {
  return `Development certificates of the Identity Admin API. The next start replaces missing or expired ones.

  ca.pem                  the authority of client certificates; trust it to reach https://localhost
  ca.key                  its private key: with it, anyone can sign in as any user of the server on this machine
  server.pem, server.key  the server, as localhost, 127.0.0.1 and ::1
  client-admin.pem, client-admin.key
                          the user "admin"

Use one:

  curl --cacert ca.pem --cert client-admin.pem --key client-admin.key https://localhost:${port || "<port>"}/scim2/Users

Create one for another user, here "alice", in this directory:

  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -sha256 -subj "/CN=alice" \\
    -keyout client-alice.key -out client-alice.csr &&
  echo "extendedKeyUsage=clientAuth" | openssl x509 -req -in client-alice.csr -CA ca.pem -CAkey ca.key \\
    -set_serial "0x$(openssl rand -hex 16)" -days 365 -sha256 -extfile /dev/stdin -out client-alice.pem
`;
}

function readOrEmpty(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}

/** Writes a file atomically. */
async function write(path: string, text: string, mode: number): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(draft, text, { mode });
  await rename(draft, path);
}
