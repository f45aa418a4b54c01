/** Password hashes of other systems: each format verifies what others published, and bad ones are refused. */
import { describe, expect, test } from "vitest";
import { Fault } from "#core/kernel/faults.ts";
import { looksLikeHash, readImportedHash } from "#core/kernel/imported-hash.ts";
import { isImportedPassword } from "#core/kernel/imported-password.ts";
import { vectors } from "#tests/support/imported-hashes.ts";

describe("verifies", () => {
  test.each(vectors)("$format", async ({ password, hash }) => {
    expect(looksLikeHash(hash)).toBe(true);
    expect(await isImportedPassword(password, hash)).toBe(true);
    for (const wrong of [`${password}x`, password.slice(1), ` ${password}`, hash, ""]) {
      expect(await isImportedPassword(wrong, hash)).toBe(false);
    }
  });
});

const SALT = "AAECAwQFBgcICQoLDA0ODw";
const TAG = "qY2BWBf5Z8kGihYDrhqX+TmIEj5vVaFvDtTbFBUbxuk";
const TAG64 = Buffer.alloc(64, 7).toString("base64");
const pf = (template: string): string => Buffer.from(template).toString("base64");
const argon2 = (parameters: string): string => `$argon2id$v=19$${parameters}$${SALT}$${TAG}`;
const scrypt = (parameters: string): string => `$scrypt$${parameters}$${SALT}$${TAG}`;
const firebase = (parameters: string, signer = TAG64): string =>
  `$firescrypt$${parameters}$${SALT}$${TAG64}$Bw==$${signer}`;

/** Texts that are read as hashes and cannot be imported. */
const refused: readonly string[] = [
  "{bcrypt}",
  "{bcrypt}secret",
  "{bcrypt}$2b$31$abcdefghijklmnopqrstuutZSBtmaYBvJm.v9mH8jgux8eda7ecdq",
  "{bcrypt}$2b$13$abcdefghijklmnopqrstuutZSBtmaYBvJm.v9mH8jgux8eda7ecdq",
  "$2b$03$abcdefghijklmnopqrstuutZSBtmaYBvJm.v9mH8jgux8eda7ecdq",
  "$2b$10$abcdefghijklmnopqrstuutZSBtmaYBvJm.v9mH8jgux8eda7ecd",
  "$2x$10$abcdefghijklmnopqrstuutZSBtmaYBvJm.v9mH8jgux8eda7ecdq",
  "{MD5}X03MO1qnZdYdgyfeuILPmQ==",
  "{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=",
  "{CRYPT}$6$rounds=5000$salt$hash",
  "{}",
  "{unknown}text",
  "{constructor}text",
  "$1$salt$qJH7.N4xYta3aEG/dfqo/0",
  "$6$salt$hash",
  "{SSHA}",
  "{SSHA}not base64!",
  "{SSHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=",
  `{SSHA}${Buffer.alloc(20 + 129).toString("base64")}`,
  "{SSHA256}WxyYadHtXQA9yGXDcXMTT1Ro6joBAgMEBQYHCA==",
  argon2("m=4194304,t=1,p=1"),
  argon2("m=131072,t=5,p=1"),
  argon2("m=19456,t=4294967295,p=1"),
  argon2("m=19456,t=0,p=1"),
  argon2("m=19456,t=2,p=255"),
  argon2("m=1,t=1,p=1"),
  argon2("m=99999999999,t=2,p=1"),
  `$argon2id$v=16$m=19456,t=2,p=1$${SALT}$${TAG}`,
  `$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$${TAG}`,
  `$argon2id$v=19$m=19456,t=2,p=1$${SALT}$AAAA`,
  `$argon2id$v=19$m=19456,t=2,p=1$$${TAG}`,
  `$argon2x$v=19$m=19456,t=2,p=1$${SALT}$${TAG}`,
  scrypt("ln=31,r=8,p=1"),
  scrypt("ln=18,r=8,p=1"),
  scrypt("ln=16383,r=8,p=1"),
  scrypt("ln=16,r=1,p=1"),
  scrypt("ln=0,r=8,p=1"),
  scrypt("ln=2,r=99999,p=1"),
  scrypt("ln=14,r=8,p=999999999"),
  scrypt("ln=14,r=0,p=1"),
  scrypt("n=14"),
  `$pbkdf2-sha256$i=999999999,l=32$${SALT}$${TAG}`,
  `$pbkdf2-sha256$i=1500000,l=64$${SALT}$${TAG64}`,
  `$pbkdf2-sha256$i=0,l=32$${SALT}$${TAG}`,
  `$pbkdf2-sha256$i=1000,l=64$${SALT}$${TAG}`,
  `$pbkdf2-md5$i=1000,l=32$${SALT}$${TAG}`,
  `$pbkdf2-sha256$i=1e3,l=32$${SALT}$${TAG}`,
  `$sha256$pf=${pf("{PASSWORD}")}$${SALT}$${TAG}`,
  `$sha256$pf=${pf("{PASSWORD}{PASSWORD}{SALT}")}$${SALT}$${TAG}`,
  `$sha256$pf=${pf(`{PASSWORD}{SALT}${"x".repeat(100)}`)}$${SALT}$${TAG}`,
  `$sha512$pf=${pf("{PASSWORD}{SALT}")}$${SALT}$${TAG}`,
  `$sha1$pf=${pf("{PASSWORD}{SALT}")}$${SALT}`,
  firebase("ln=14,r=8,p=1", "AAAA"),
  firebase("ln=30,r=8,p=1"),
  firebase("ln=64,r=8,p=1"),
  firebase("ln=14,r=8"),
  `$argon2id$${"x".repeat(1_000)}`,
];

describe("refuses without hashing, and repeats nothing", () => {
  test.each(refused)("%s", (text) => {
    expect(looksLikeHash(text)).toBe(true);
    const read = () => readImportedHash(text);
    expect(read).toThrow(Fault);
    expect(read).toThrow(/^request\.invalid: The password hash cannot be imported: /);
    const parts = text.split(/[${}]/).filter((part) => part.length > 13 && !part.includes("="));
    for (const part of parts) expect(read).not.toThrow(part);
  });
});

test.each(["secret", "$ecret", "pa$$word", "{", "{open", "{a}{b".slice(1), "$", "$$", "5$a$b", " {SSHA}x"])(
  "%j is a plain password",
  (text) => expect(looksLikeHash(text)).toBe(false),
);
