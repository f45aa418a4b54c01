/**
 * Password hashes with the least memory that argon2id allows, in place of 19 MiB: most tests set passwords, few test
 * their hashes. The hashes are real, and have the form of those of production. Hashes with other parameters, such as
 * imported ones, are computed as they are. tests/unit/auth/credentials.test.ts tests the work of production.
 */
import crypto, { type Argon2Parameters } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

/** The work of a password of this service (packages/core/kernel/password.ts). */
const OURS = { memory: 19_456, passes: 2 };
const LEAST = { memory: 8, passes: 1 };
const IS_LIGHT = Symbol.for("light hashes");
const real = crypto.argon2;

/** The salt of the hash of ours that tests/support/imported-hashes.ts has, from another program. */
const FOREIGN_SALT = Buffer.from("AAECAwQFBgcICQoLDA0ODw", "base64");

const isOurs = ({ memory, passes, nonce }: Argon2Parameters): boolean =>
  memory === OURS.memory && passes === OURS.passes && !FOREIGN_SALT.equals(Buffer.from(nonce as Uint8Array));

const light: typeof crypto.argon2 = (algorithm, parameters, done) =>
  real(algorithm, isOurs(parameters) ? { ...parameters, ...LEAST } : parameters, done);

// Each test file runs this module, in a process that other files have used.
if (!(IS_LIGHT in real)) {
  crypto.argon2 = Object.assign(light, { [IS_LIGHT]: true });
  syncBuiltinESMExports();
}
