/** Certificates of the real openssl: the four supported forms name a user, and every other one is refused. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isBelow, readCertificate } from "#core/sign-in/authentication/access-control/certificate.ts";
import type { CertificateSettings } from "#core/sign-in/authentication/access-control/model.ts";

const directory = mkdtempSync(join(tmpdir(), "identity-admin-api-certificates-"));
const at = (name: string) => join(directory, name);
const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: directory, stdio: "pipe" });

/** An authority below the root, or the root itself. */
const authority = (name: string, commonName: string) => {
  openssl(
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-sha256",
    "-days",
    "30",
    "-subj",
    `/CN=${commonName}`,
    "-addext",
    "basicConstraints=critical,CA:TRUE",
    "-keyout",
    `${name}.key`,
    "-out",
    `${name}.pem`,
  );
};

let made = 0;
/** A client certificate. The subject is written in openssl's own configuration, so it can hold anything. */
const leaf = (subject: string, { by = "ca", days = ["-days", "2"] }: { by?: string; days?: string[] } = {}): string => {
  made += 1;
  const name = `leaf-${made}`;
  writeFileSync(
    at(`${name}.cnf`),
    `[req]\nprompt=no\nutf8=yes\nstring_mask=utf8only\ndistinguished_name=dn\n[dn]\n${subject}\n`,
  );
  openssl(
    "req",
    "-new",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-sha256",
    "-utf8",
    "-config",
    `${name}.cnf`,
    "-keyout",
    `${name}.key`,
    "-out",
    `${name}.csr`,
  );
  openssl(
    "x509",
    "-req",
    "-in",
    `${name}.csr`,
    "-CA",
    `${by}.pem`,
    "-CAkey",
    `${by}.key`,
    "-set_serial",
    String(made),
    "-sha256",
    ...days,
    "-out",
    `${name}.pem`,
  );
  return readFileSync(at(`${name}.pem`), "utf8");
};

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
if (!hasOpenssl) process.stderr.write("certificates made by openssl are not tested: there is no openssl here\n");

beforeAll(() => {
  if (!hasOpenssl) return;
  authority("ca", "Taxi CA");
  authority("other", "Other CA");
  authority("impostor", "Taxi CA");
});
afterAll(() => rmSync(directory, { recursive: true }));

const settings = (more: Partial<CertificateSettings["issuers"][number]> = {}): CertificateSettings => ({
  enabled: true,
  exemptContexts: [],
  issuers: [{ commonName: "Taxi CA", ...more }],
});
const read = (pem: string, with_ = settings(), nowMs = Date.now()) => readCertificate(pem, with_, nowMs);

describe.skipIf(!hasOpenssl)("a common name identifies a user", () => {
  test.each(["alice", "SALES/alice", "alice@acme.com", "SALES/alice@acme.com"])("CN=%s", (name) => {
    expect(read(leaf(`CN=${name}`))).toMatchObject({ kind: "names", username: name });
  });
  test("next to other parts of the subject, in any order", () => {
    expect(read(leaf("O=Taxi\nCN=alice\nC=LK"))).toMatchObject({ username: "alice" });
  });
  test("returns the tenants that the issuer is limited to", () => {
    const tenants = new Set(["acme.com"]);
    expect(read(leaf("CN=alice@acme.com"), settings({ tenants }))).toMatchObject({ tenants });
  });
});

describe.skipIf(!hasOpenssl)("refuses a certificate with", () => {
  test.each([
    ["two common names", "0.CN=alice\n1.CN=admin"],
    ["no common name", "O=CN=admin"],
    ["an e-mail address alone", "emailAddress=admin@acme.com"],
    ["a direction mark", "CN=ad\u200emin"],
    ["an overriding direction", "CN=\u202enimda"],
    ["a zero-width character", "CN=ad\u200bmin"],
    ["a line separator", "CN=admin\u2028x"],
  ])("%s", (_, subject) => {
    expect(read(leaf(subject)).kind).toBe("refused");
  });
  test.each([
    ["a leading space", " admin"],
    ["a trailing space", "admin "],
    ["NUL", "admin\u0000.evil"],
    ["a new line", "admin\nCN=root"],
    ["a tab", "admin\tx"],
    ["more than 255 characters", "a".repeat(256)],
  ])("%s in the common name, unescaped", async (_, commonName) => {
    const { issueOdd } = await import("./odd.ts");
    const pem = await issueOdd(commonName, readFileSync(at("ca.pem"), "utf8"), readFileSync(at("ca.key"), "utf8"));
    expect(read(pem).kind).toBe("refused");
  });
  test("a text that is not a certificate", () => {
    for (const pem of ["", "x", readFileSync(at("ca.key"), "utf8")]) expect(read(pem).kind).toBe("refused");
  });
});

test.skipIf(!hasOpenssl)(
  "reads the real user name despite an organization named CN=admin, or a comma in the name",
  () => {
    expect(read(leaf("O=CN=admin\nCN=alice"))).toMatchObject({ username: "alice" });
    // The whole text is the name: no user has such a name.
    expect(read(leaf("CN=john\\,CN=admin"))).toMatchObject({ username: "john,CN=admin" });
    expect(read(leaf("CN=\u0430dmin"))).toMatchObject({ username: "\u0430dmin" });
  },
);

describe.skipIf(!hasOpenssl)("an issuer", () => {
  test("that is not configured is refused", () => {
    expect(read(leaf("CN=admin", { by: "other" }))).toMatchObject({ kind: "refused", reason: "unknown issuer" });
  });
  test("with a configured name but another key is refused where its certificate is configured", () => {
    const certificate = readFileSync(at("ca.pem"), "utf8");
    expect(read(leaf("CN=admin"), settings({ certificate }))).toMatchObject({ username: "admin" });
    const verdict = read(leaf("CN=admin", { by: "impostor" }), settings({ certificate }));
    expect(verdict).toMatchObject({ kind: "refused", reason: "not signed with the key of the configured issuer" });
  });
  test("with a configured name does not authenticate its own self-signed certificate", () => {
    const certificate = readFileSync(at("ca.pem"), "utf8");
    expect(read(readFileSync(at("impostor.pem"), "utf8"), settings({ certificate })).kind).toBe("refused");
  });
});

test.skipIf(!hasOpenssl)("refuses a certificate before and after its validity period", () => {
  const pem = leaf("CN=alice");
  const day = 24 * 60 * 60_000;
  expect(read(pem, settings(), Date.now() + 3 * day)).toMatchObject({ reason: "expired or not valid yet" });
  expect(read(pem, settings(), Date.now() - day)).toMatchObject({ reason: "expired or not valid yet" });
});

test.each([
  ["/scim2", true],
  ["/scim2/Users", true],
  ["/scim22", false],
  ["/api/server/v1/applications/scim2", false],
])("%s below /scim2: %s", (path, below) => expect(isBelow(path, ["/scim2"])).toBe(below));
