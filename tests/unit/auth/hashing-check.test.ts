/** A runtime that cannot hash passwords says so at the start of a function. */
import { argon2Sync } from "node:crypto";
import { expect, test } from "vitest";
import { checkHashing } from "#core/kernel/hashing-check.ts";

test("this runtime computes argon2id as RFC 9106 section 5.3 says, so what the check expects is right", () => {
  const rfc = argon2Sync("argon2id", {
    message: Buffer.alloc(32, 1),
    nonce: Buffer.alloc(16, 2),
    secret: Buffer.alloc(8, 3),
    associatedData: Buffer.alloc(12, 4),
    parallelism: 4,
    tagLength: 32,
    memory: 32,
    passes: 3,
  });
  expect(rfc.toString("hex")).toBe("0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659");
  expect(() => checkHashing()).not.toThrow();
});

test("a runtime whose OpenSSL has no argon2id is refused with the version that is needed and what to do", () => {
  const missing = () => {
    throw Object.assign(new Error("Argon2 is not supported"), { code: "ERR_CRYPTO_ARGON2_NOT_SUPPORTED" });
  };
  expect(() => checkHashing(missing as never)).toThrow(
    /^This runtime \(Node\.js [\d.]+\) cannot hash passwords: OpenSSL [\d.]+ has no argon2id, which needs 3\.2 or later\. Go back with "npm run rollback", and pin/,
  );
});

test("a runtime that gives another hash is refused: it would accept no password and store wrong ones", () => {
  expect(() => checkHashing(() => Buffer.alloc(32) as never)).toThrow(/gives another hash than it must/);
});
