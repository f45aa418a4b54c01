/** Distinguished names: texts of RFC 4514 and subjects of real certificates, as one comparable form. */
import { webcrypto, X509Certificate } from "node:crypto";
import "reflect-metadata";
import { X509CertificateGenerator } from "@peculiar/x509";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalName, subjectOf } from "#core/kernel/distinguished-name.ts";

const same = (a: string, b: string) => expect(canonicalName(a)).toBe(canonicalName(b));

describe("the same name", () => {
  test.each([
    ["CN=a,O=b", "cn=a,o=b"],
    ["CN=a,O=b", "2.5.4.3=a,2.5.4.10=b"],
    ["CN=a,O=b", " CN = a , O = b "],
    ["CN=a+OU=b,O=c", "OU=b+CN=a,O=c"],
    ["CN=a\\,b", "CN=a\\2Cb"],
    ["CN=\\ a", "CN=\\20a"],
    ["CN=a\\ ", "CN=a\\20"],
    ["CN=Lu\\C4\\8Di\\C4\\87", "CN=Lučić"],
    ["CN=a=b", "CN=a\\=b"],
    ["E=a@b.example", "emailAddress=a@b.example"],
    ["ST=a", "S=a"],
    ["1.2.3.4=a", "1.2.3.4=a"],
  ])("%j and %j", (a, b) => {
    expect(canonicalName(a)).toBeDefined();
    same(a, b);
  });
});

describe("other names", () => {
  test.each([
    ["CN=a,O=b", "O=b,CN=a"],
    ["CN=a", "CN=A"],
    ["CN=a,O=b", "CN=a+O=b"],
    ["CN=a\\,O=b", "CN=a,O=b"],
    ["CN=a", "CN=\\ a"],
    ["CN=a b", "CN=a  b"],
    ["CN=a", "OU=a"],
    ["CN=é", "CN=e\\CC\\81"],
  ])("%j and %j", (a, b) => {
    expect(canonicalName(a)).toBeDefined();
    expect(canonicalName(b)).toBeDefined();
    expect(canonicalName(a)).not.toBe(canonicalName(b));
  });
});

test.each([
  "",
  "a",
  "CN",
  "CN=",
  "=a",
  "CN=a,",
  ",CN=a",
  "CN=a+",
  'CN="a"',
  "CN=a;b",
  "CN=<a>",
  "CN=#04",
  "CN=\\",
  "CN=\\g",
  "CN=\\C4",
  "CN=a\u0000b",
  "1=a",
  "C-=a,=b",
])("%j is no name", (text) => expect(canonicalName(text)).toBeUndefined());

test("no text is an error, and escaping every character changes no value", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => void canonicalName(text)));
  const value = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }).filter((text) => /^[\w ]+$/.test(text));
  fc.assert(
    fc.property(value, (text) => {
      const escaped = [...Buffer.from(text)].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("");
      if (text === text.trim()) same(`CN=${text}`, `CN=${escaped}`);
    }),
  );
});

describe("the subject of a certificate", () => {
  const certificateOf = async (name: string | { [type: string]: string[] }[]) => {
    const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
    const made = await X509CertificateGenerator.createSelfSigned({ name, keys, signingAlgorithm: algorithm });
    return new X509Certificate(made.toString("pem"));
  };
  test.each<[string, { [type: string]: string[] }[], string]>([
    ["of one part", [{ CN: ["machine"] }], "CN=machine"],
    [
      "of several parts, from the root",
      [{ C: ["GB"] }, { O: ["Example, Inc."] }, { CN: ["a"] }],
      "CN=a,O=Example\\, Inc.,C=GB",
    ],
    ["with a part of two values", [{ O: ["x"] }, { CN: ["a"], OU: ["b"] }], "OU=b+CN=a,O=x"],
    ["with every special character", [{ CN: [' #a"+,;<=>\\\\b '] }], 'CN=\\ #a\\"\\+\\,\\;\\<=\\>\\\\b\\ '],
    ["with letters beyond ASCII", [{ CN: ["Lučić 日本"] }], "CN=Lučić 日本"],
    ["with a line end", [{ CN: ["a\nCN=b"] }], "CN=a\\0ACN=b"],
    ["that looks like two parts", [{ CN: ["a,O=b"] }], "CN=a\\,O=b"],
    ["with a plus between blanks", [{ CN: ["a + OU=b"] }], "CN=a \\+ OU\\=b"],
    ["with domain components", [{ DC: ["example"] }, { DC: ["id"] }], "DC=id,DC=example"],
  ])("%s", async (_, name, text) => {
    expect(subjectOf(await certificateOf(name))).toBe(canonicalName(text));
    expect(canonicalName(text)).toBeDefined();
  });
  test("of another form is another one", async () => {
    expect(subjectOf(await certificateOf([{ CN: ["a,O=b"] }]))).not.toBe(canonicalName("CN=a,O=b"));
    expect(subjectOf(await certificateOf([{ O: ["b"] }, { CN: ["a"] }]))).toBe(canonicalName("CN=a,O=b"));
    expect(subjectOf(await certificateOf([{ CN: ["a\nO=b"] }]))).not.toBe(canonicalName("O=b,CN=a"));
    expect(subjectOf({ subject: "" })).toBeUndefined();
  });
});
