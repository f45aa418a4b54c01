/**
 * Password hashes: argon2id with the first parameters that OWASP recommends (19 MiB, 2 passes, 1 lane), as PHC strings.
 */
import { argon2, createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { checkHashing } from "./hashing-check.ts";

checkHashing();

const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const TAG_BYTES = 32;
const SALT_BYTES = 16;

/** Longer passwords are rejected before any work is done. */
export const PASSWORD_BYTES_MAX = 1_024;

const derive = promisify(argon2);

interface Parameters {
  readonly memory: number;
  readonly passes: number;
  readonly lanes: number;
  readonly salt: Uint8Array;
  readonly tagBytes: number;
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Hashes a password with a new salt, as `$argon2id$v=19$m=...,t=...,p=...$salt$tag`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await tagOf(password, { memory: MEMORY_KIB, passes: PASSES, lanes: LANES, salt, tagBytes: TAG_BYTES });
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${unpadded(salt)}$${unpadded(tag)}`;
}

/**
 * A digest of a password that is the same each time, with the work of a hash: to compare a password with former ones of
 * one owner. `owner`: a text that is of that owner alone: the salt.
 */
export async function digestPassword(password: string, owner: string): Promise<string> {
  const salt = createHash("sha256").update(owner, "utf8").digest().subarray(0, SALT_BYTES);
  const tag = await tagOf(password, { memory: MEMORY_KIB, passes: PASSES, lanes: LANES, salt, tagBytes: TAG_BYTES });
  return tag.toString("base64url");
}

function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString("base64")
    .replace(/={1,2}$/, "");
}

/** Whether a password matches a hash, in constant time. Throws when the hash is not a PHC string of argon2id. */
export async function verifyPassword(password: string, phc: string): Promise<boolean> {
  const [, memory, passes, lanes, salt, tag] = PHC.exec(phc) ?? [];
  if (!memory || !passes || !lanes || !salt || !tag) throw new Error("a stored password hash is not argon2id");
  const expected = Buffer.from(tag, "base64");
  const actual = await tagOf(password, {
    memory: Number(memory),
    passes: Number(passes),
    lanes: Number(lanes),
    salt: Buffer.from(salt, "base64"),
    tagBytes: expected.length,
  });
  return timingSafeEqual(actual, expected);
}

/** Does the work of `verifyPassword` for a user that does not exist, so that the response takes the same time. */
export async function verifyNothing(password: string): Promise<false> {
  const salt = Buffer.alloc(SALT_BYTES, 1);
  await tagOf(password, { memory: MEMORY_KIB, passes: PASSES, lanes: LANES, salt, tagBytes: TAG_BYTES });
  return false;
}

function tagOf(password: string, { memory, passes, lanes, salt, tagBytes }: Parameters): Promise<Buffer> {
  return derive("argon2id", {
    message: Buffer.from(password, "utf8"),
    nonce: salt,
    parallelism: lanes,
    tagLength: tagBytes,
    memory,
    passes,
  });
}
