/** Certificates made by the real openssl: those of the spec's forms name their user, and none of the others names anybody. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isBelow, readCertificate } from "#core/auth/access-control/certificate.ts";
import type { CertificateSettings } from "#core/auth/access-control/model.ts";

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

describe.skipIf(!hasOpenssl)("the four forms of the spec", () => {
  test.each(["alice", "SALES/alice", "alice@acme.com", "SALES/alice@acme.com"])("CN=%s", (name) => {
    expect(read(leaf(`CN=${name}`))).toMatchObject({ kind: "names", username: name });
  });
  test("beside other parts of the subject, in any order", () => {
    expect(read(leaf("O=Taxi\nCN=alice\nC=LK"))).toMatchObject({ username: "alice" });
  });
  test("an issuer speaks for the tenants that it is given", () => {
    const tenants = new Set(["acme.com"]);
    expect(read(leaf("CN=alice@acme.com"), settings({ tenants }))).toMatchObject({ tenants });
  });
});

describe.skipIf(!hasOpenssl)("nobody is named by", () => {
  test.each([
    ["two common names", "0.CN=alice\n1.CN=admin"],
    ["no common name", "O=CN=admin"],
    ["an e-mail address alone", "emailAddress=admin@acme.com"],
    ["a direction mark", "CN=ad\u200emin"],
    ["an overriding direction", "CN=\u202enimda"],
    ["a letter without width", "CN=ad\u200bmin"],
    ["a line separator", "CN=admin\u2028x"],
  ])("%s", (_, subject) => {
    expect(read(leaf(subject)).kind).toBe("refused");
  });
  test.each([
    ["a blank before", " admin"],
    ["a blank behind", "admin "],
    ["NUL", "admin\u0000.evil"],
    ["a new line", "admin\nCN=root"],
    ["a tab", "admin\tx"],
    ["more than 255 characters", "a".repeat(256)],
  ])("%s, as a generator that escapes nothing would write it", async (_, commonName) => {
    const { issueOdd } = await import("./odd.ts");
    const pem = await issueOdd(commonName, readFileSync(at("ca.pem"), "utf8"), readFileSync(at("ca.key"), "utf8"));
    expect(read(pem).kind).toBe("refused");
  });
  test("what is no certificate", () => {
    for (const pem of ["", "x", readFileSync(at("ca.key"), "utf8")]) expect(read(pem).kind).toBe("refused");
  });
});

test.skipIf(!hasOpenssl)("an organization called CN=admin, and a comma in a name, name the real user", () => {
  expect(read(leaf("O=CN=admin\nCN=alice"))).toMatchObject({ username: "alice" });
  // Whoever reads it takes the whole: no user name holds a comma with an equals sign behind it, so nobody has this one.
  expect(read(leaf("CN=john\\,CN=admin"))).toMatchObject({ username: "john,CN=admin" });
  expect(read(leaf("CN=\u0430dmin"))).toMatchObject({ username: "\u0430dmin" });
});

describe.skipIf(!hasOpenssl)("the issuer", () => {
  test("must be one of those that are named", () => {
    expect(read(leaf("CN=admin", { by: "other" }))).toMatchObject({ kind: "refused", reason: "another issuer" });
  });
  test("of the right name with another key is refused where the certificate is given", () => {
    const certificate = readFileSync(at("ca.pem"), "utf8");
    expect(read(leaf("CN=admin"), settings({ certificate }))).toMatchObject({ username: "admin" });
    const verdict = read(leaf("CN=admin", { by: "impostor" }), settings({ certificate }));
    expect(verdict).toMatchObject({ kind: "refused", reason: "not signed by the issuer of that name" });
  });
  test("a certificate that signed itself under the name of an issuer is refused with the key", () => {
    const certificate = readFileSync(at("ca.pem"), "utf8");
    expect(read(readFileSync(at("impostor.pem"), "utf8"), settings({ certificate })).kind).toBe("refused");
  });
});

test.skipIf(!hasOpenssl)("a certificate counts from its first day to its last", () => {
  const pem = leaf("CN=alice");
  const day = 24 * 60 * 60_000;
  expect(read(pem, settings(), Date.now() + 3 * day)).toMatchObject({ reason: "not of today" });
  expect(read(pem, settings(), Date.now() - day)).toMatchObject({ reason: "not of today" });
});

test.each([
  ["/scim2", true],
  ["/scim2/Users", true],
  ["/scim22", false],
  ["/api/server/v1/applications/scim2", false],
])("%s below /scim2: %s", (path, below) => expect(isBelow(path, ["/scim2"])).toBe(below));
