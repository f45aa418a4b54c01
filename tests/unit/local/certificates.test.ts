import { spawnSync } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { Agent, get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConnectionOptions, TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Certificates, ensureCertificates } from "#local/certificates.ts";
import type { Gateway } from "#local/gateway.ts";
import { type CertificatePair, issueAuthority, issueLeaf } from "#local/issue.ts";
import { ask, type Echo, startEcho } from "#tests/unit/local/support.ts";

let directory: string;
beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), "certificates-")), "certs");
});
afterEach(() => rm(join(directory, ".."), { recursive: true, force: true }));

const names = ["README.txt", "ca.key", "ca.pem", "client-admin.key", "client-admin.pem", "server.key", "server.pem"];

describe("ensureCertificates", () => {
  it("creates an authority, a server and a client", async () => {
    const { ca, server, admin } = await ensureCertificates(directory, 3443);
    const authority = new X509Certificate(ca.certificate);
    expect(authority.ca).toBe(true);
    expect(authority.subject).toBe("CN=Identity Admin API development CA");
    for (const pair of [server, admin]) {
      const leaf = new X509Certificate(pair.certificate);
      expect(leaf.ca).toBe(false);
      expect(leaf.checkIssued(authority) && leaf.verify(authority.publicKey)).toBe(true);
      expect(leaf.checkPrivateKey(createPrivateKey(pair.key))).toBe(true);
      expect(pair.key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    }
    const [serverLeaf, adminLeaf] = [new X509Certificate(server.certificate), new X509Certificate(admin.certificate)];
    expect(serverLeaf.subjectAltName).toBe("DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1");
    expect(adminLeaf.subject).toBe("CN=admin");
    expect(adminLeaf.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect(serverLeaf.publicKey.asymmetricKeyDetails?.namedCurve).toBe("prime256v1");
  });

  it("makes directory and keys readable for their owner only, and leaves no other file", async () => {
    await ensureCertificates(directory, 3443);
    expect((await readdir(directory)).sort()).toEqual(names);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    for (const name of names.filter((each) => each.endsWith(".key"))) {
      expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
    }
    expect(await readFile(join(directory, "README.txt"), "utf8")).toMatch(/openssl x509 -req/);
    expect(await readFile(join(directory, "README.txt"), "utf8")).toContain("https://localhost:3443/");
    await ensureCertificates(directory, 9443);
    expect(await readFile(join(directory, "README.txt"), "utf8")).toContain("https://localhost:9443/");
    await ensureCertificates(directory, 0);
    expect(await readFile(join(directory, "README.txt"), "utf8")).toContain("https://localhost:<port>/");
  });

  it("creates nothing twice", async () => {
    const first = await ensureCertificates(directory, 3443);
    expect(await ensureCertificates(directory, 3443)).toEqual(first);
  });

  it("replaces missing, damaged or mismatched pairs, and nothing else", async () => {
    const first = await ensureCertificates(directory, 3443);
    await rm(join(directory, "server.key"));
    await writeFile(join(directory, "client-admin.pem"), "-----BEGIN CERT");
    const second = await ensureCertificates(directory, 3443);
    expect(second.ca).toEqual(first.ca);
    expect(second.server).not.toEqual(first.server);
    expect(second.admin).not.toEqual(first.admin);
    await writeFile(join(directory, "ca.key"), first.server.key);
    const third = await ensureCertificates(directory, 3443);
    expect(third.ca).not.toEqual(first.ca);
    const authority = new X509Certificate(third.ca.certificate);
    expect(new X509Certificate(third.admin.certificate).verify(authority.publicKey)).toBe(true);
  });
});

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

describe("the mTLS listener", () => {
  let certificates: Certificates;
  let gateway: Gateway;
  beforeEach(async () => {
    certificates = await ensureCertificates(directory, 3443);
    const { ca, server } = certificates;
    const tls = { port: 0, ...server, ca: ca.certificate, domainName: "mtls.localhost" };
    gateway = await startEcho({ tls });
  });
  afterEach(() => gateway.close());

  const visit = (client: CertificatePair | undefined, options: ConnectionOptions = {}) =>
    new Promise<Echo>((resolve, reject) => {
      const identity = client ? { cert: client.certificate, key: client.key } : {};
      const url = `https://localhost:${gateway.tls?.port}/a/b`;
      const ca = certificates.ca.certificate;
      get(url, { ...options, ...identity, ca, agent: false, family: 4 }, (response) => {
        response.setEncoding("utf8");
        let body = "";
        response.on("data", (chunk: string) => {
          body += chunk;
        });
        response.on("end", () => resolve(JSON.parse(body) as Echo));
      }).on("error", reject);
    });

  it.each(["TLSv1.2", "TLSv1.3"] as const)("passes on the certificate (%s)", async (version) => {
    const { event } = await visit(certificates.admin, { minVersion: version, maxVersion: version });
    const leaf = new X509Certificate(certificates.admin.certificate);
    expect(event.requestContext.domainName).toBe("mtls.localhost");
    expect(event.headers).toMatchObject({
      "x-forwarded-proto": "https",
      "x-forwarded-port": String(gateway.tls?.port),
    });
    expect(event.requestContext.authentication?.clientCert).toEqual({
      clientCertPem: leaf.toString(),
      subjectDN: "CN=admin",
      issuerDN: "CN=Identity Admin API development CA",
      serialNumber: leaf.serialNumber.toLowerCase().replace(/..(?=.)/g, "$&:"),
      validity: { notBefore: leaf.validFrom, notAfter: leaf.validTo },
    });
  });

  it.skipIf(!hasOpenssl)("accepts a certificate created with the command in README.txt", async () => {
    const readme = await readFile(join(directory, "README.txt"), "utf8");
    const { status } = spawnSync("sh", ["-c", readme.slice(readme.indexOf("openssl req"))], { cwd: directory });
    expect(status).toBe(0);
    const alice = {
      certificate: await readFile(join(directory, "client-alice.pem"), "utf8"),
      key: await readFile(join(directory, "client-alice.key"), "utf8"),
    };
    const { event } = await visit(alice);
    expect(event.requestContext.authentication?.clientCert.subjectDN).toBe("CN=alice");
  });

  it("passes on no certificate from the other listener", async () => {
    const { body } = await ask(gateway, "/a");
    expect((JSON.parse(body) as Echo).event.requestContext).not.toHaveProperty("authentication");
  });

  it("passes on the certificate in a resumed session", async () => {
    let session: Buffer | undefined;
    const agent = new Agent({ keepAlive: false });
    const once = () =>
      new Promise<{ echo: Echo; reused: boolean }>((resolve, reject) => {
        const { admin, ca } = certificates;
        const sent = get(
          `https://localhost:${gateway.tls?.port}/a`,
          { cert: admin.certificate, key: admin.key, ca: ca.certificate, agent, family: 4, maxVersion: "TLSv1.2" },
          (response) => {
            const socket = response.socket as TLSSocket;
            const reused = socket.isSessionReused();
            session = socket.getSession();
            response.setEncoding("utf8");
            let body = "";
            response.on("data", (chunk: string) => {
              body += chunk;
            });
            response.on("end", () => resolve({ echo: JSON.parse(body) as Echo, reused }));
          },
        );
        sent.on("error", reject);
      });
    await once();
    expect(session).toBeDefined();
    const second = await once();
    expect(second.reused).toBe(true);
    expect(second.echo.event.requestContext.authentication?.clientCert.subjectDN).toBe("CN=admin");
  });

  it("refuses a missing certificate, one of another authority, and one of an authority with the same name", async () => {
    await expect(visit(undefined)).rejects.toThrow();
    const other = await issueAuthority("Identity Admin API development CA");
    await expect(visit(await issueLeaf(other, "admin", { kind: "client" }))).rejects.toThrow();
    await expect(visit(other)).rejects.toThrow();
    await expect(visit(certificates.server)).rejects.toThrow();
  });
});
