/** Verifies passwords against hashes that other systems made (decision 0098). Each compares in constant time. */
import {
  type Argon2Parameters,
  argon2,
  createCipheriv,
  createHash,
  pbkdf2,
  type ScryptOptions,
  scrypt,
  timingSafeEqual,
} from "node:crypto";
import { promisify } from "node:util";
import { compare } from "bcryptjs";
import { type ImportedHash, readImportedHash, type ScryptCost } from "./imported-hash.ts";

const deriveArgon2 = promisify<Parameters<typeof argon2>[0], Argon2Parameters, Buffer>(argon2);
const derivePbkdf2 = promisify(pbkdf2);
const deriveScrypt = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** More than scrypt needs within the bounds of `readImportedHash`. */
const SCRYPT_MAXMEM = 160 * 1_024 * 1_024;
const FIREBASE_KEY_BYTES = 32;
const NO_IV = Buffer.alloc(16);

/** Whether a password is that of a hash, as text. Throws `request.invalid` as `readImportedHash` does. */
export async function isImportedPassword(password: string, text: string): Promise<boolean> {
  const hash = readImportedHash(text);
  if (hash.kind === "bcrypt") return compare(password, hash.text);
  return timingSafeEqual(await tagOf(password, hash), hash.tag);
}

async function tagOf(password: string, hash: Exclude<ImportedHash, { kind: "bcrypt" }>): Promise<Buffer> {
  const { salt, tag } = hash;
  switch (hash.kind) {
    case "argon2":
      return deriveArgon2(hash.variant, {
        message: Buffer.from(password, "utf8"),
        nonce: salt,
        parallelism: hash.lanes,
        tagLength: tag.length,
        memory: hash.memoryKib,
        passes: hash.passes,
      });
    case "scrypt":
      return deriveScrypt(password, salt, tag.length, optionsOf(hash.cost));
    case "pbkdf2":
      return derivePbkdf2(password, salt, hash.iterations, tag.length, hash.digest);
    case "digest": {
      const digest = createHash(hash.digest);
      for (const part of hash.template)
        digest.update(part === "{SALT}" ? salt : part === "{PASSWORD}" ? password : part);
      return digest.digest();
    }
    default: {
      const key = await deriveScrypt(password, salt, FIREBASE_KEY_BYTES, optionsOf(hash.cost));
      return createCipheriv("aes-256-ctr", key, NO_IV).update(hash.signerKey);
    }
  }
}

function optionsOf({ n, r, p }: ScryptCost): ScryptOptions {
  return { N: n, r, p, maxmem: SCRYPT_MAXMEM };
}
