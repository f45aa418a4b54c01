/**
 * Password hashes that other systems made, as text: which there are, and how much work each may cost (decision 0098).
 * The spellings are those of Ory Kratos where it has one, and otherwise PHC strings. They are verified by
 * `imported-password.ts`, and replaced by argon2id at the first sign-in.
 */
import { Fault } from "./faults.ts";

/** The digests of PBKDF2 and of salted hashes, with their bytes. */
const digestBytes = { sha1: 20, sha256: 32, sha512: 64 } as const;
type Digest = keyof typeof digestBytes;

/** A hash that was read, and how it is computed. */
export type ImportedHash =
  | { readonly kind: "bcrypt"; readonly text: string }
  | {
      readonly kind: "argon2";
      readonly variant: "argon2id" | "argon2i" | "argon2d";
      readonly memoryKib: number;
      readonly passes: number;
      readonly lanes: number;
      readonly salt: Buffer;
      readonly tag: Buffer;
    }
  | { readonly kind: "scrypt"; readonly cost: ScryptCost; readonly salt: Buffer; readonly tag: Buffer }
  | {
      readonly kind: "pbkdf2";
      readonly digest: Digest;
      readonly iterations: number;
      readonly salt: Buffer;
      readonly tag: Buffer;
    }
  /** The digest of the template, in which the password and the salt are put. */
  | {
      readonly kind: "digest";
      readonly digest: Digest;
      readonly template: readonly (string | "{PASSWORD}" | "{SALT}")[];
      readonly salt: Buffer;
      readonly tag: Buffer;
    }
  | {
      readonly kind: "firebase";
      readonly cost: ScryptCost;
      readonly salt: Buffer;
      readonly signerKey: Buffer;
      readonly tag: Buffer;
    };

/** The parameters of scrypt: `n` is a power of two. */
export interface ScryptCost {
  readonly n: number;
  readonly r: number;
  readonly p: number;
}

const TEXT_MOST = 1_000;
const SALT_MOST = 128;
/** Shorter tags match other passwords too. */
const TAG_LEAST = 16;
const TAG_MOST = 64;
const BCRYPT_COST_MOST = 12;
const MEMORY_MOST_KIB = 131_072;
/** KiB times passes: eight passes over 64 MiB. */
const ARGON2_WORK_MOST = 524_288;
const PASSES_MOST = 100;
const LANES_MOST = 16;
/** Blocks of 128 bytes: 128 MiB. */
const SCRYPT_MEMORY_MOST = 2 ** 20;
const SCRYPT_WORK_MOST = 2 ** 21;
const SCRYPT_BLOCKS_MOST = 32;
const SCRYPT_LANES_MOST = 16;
/** Below this, `ln` is the exponent of the cost (PHC); from it on, the cost itself (Kratos). */
const SCRYPT_EXPONENTS = 32;
/** Iterations times blocks of the digest. */
const PBKDF2_WORK_MOST = 2_000_000;
const TEMPLATE_MOST = 100;

const LOOKS = /^(?:\{[^{}]*\}|\$(?:[a-z0-9-]+\$|argon2|pbkdf2|scrypt|firescrypt))/i;
const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const ARGON2 = /^\$(argon2id|argon2i|argon2d)\$v=19\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,9})\$([^$]+)\$([^$]+)$/;
const SCRYPT = /^\$scrypt\$ln=(\d{1,9}),r=(\d{1,9}),p=(\d{1,9})\$([^$]+)\$([^$]+)$/;
const PBKDF2 = /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$i=(\d{1,9})(?:,l=(\d{1,9}))?\$([^$]+)\$([^$]+)$/;
const DIGEST = /^\$(sha1|sha256|sha512)\$pf=([^$]+)\$([^$]+)\$([^$]+)$/;
const FIREBASE = /^\$firescrypt\$ln=(\d{1,9}),r=(\d{1,9}),p=(\d{1,9})\$([^$]+)\$([^$]+)\$([^$]*)\$([^$]+)$/;
const BRACES = /^\{([^{}]*)\}/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const PLACES = /(\{PASSWORD\}|\{SALT\})/;

const salted: Readonly<Record<string, Digest>> = { ssha: "sha1", ssha256: "sha256", ssha512: "sha512" };

/** The names of the formats, for messages. */
const FORMATS =
  "{bcrypt}$2b$..., $2b$..., $argon2id$, $argon2i$, $scrypt$, $pbkdf2-sha256$, {SSHA}, {SSHA256}, {SSHA512}, $sha256$pf=..., $firescrypt$";

/** Whether a text is read as a hash, right or wrong, where hashes are accepted. */
export function looksLikeHash(text: string): boolean {
  return LOOKS.test(text);
}

/**
 * Reads a hash. Throws `request.invalid` for a text that is not in one of the formats, and for one that would cost too
 * much work. The message repeats nothing of it.
 */
export function readImportedHash(text: string): ImportedHash {
  if (text.length > TEXT_MOST) throw refuse(`it is longer than ${TEXT_MOST} characters`);
  const braces = BRACES.exec(text);
  if (braces) return inBraces(braces[1]?.toLowerCase() ?? "", text.slice(braces[0].length));
  return inDollars(text);
}

function inBraces(scheme: string, rest: string): ImportedHash {
  if (scheme === "bcrypt") return bcrypt(rest);
  const digest = salted[scheme];
  if (!digest || !Object.hasOwn(salted, scheme)) throw unknown();
  const bytes = base64(rest, "the hash");
  const tagBytes = digestBytes[digest];
  if (bytes.length <= tagBytes) throw refuse("it has no salt after the digest");
  const salt = saltWithin(bytes.subarray(tagBytes));
  return { kind: "digest", digest, template: ["{PASSWORD}", "{SALT}"], salt, tag: bytes.subarray(0, tagBytes) };
}

function inDollars(text: string): ImportedHash {
  if (text.startsWith("$2")) return bcrypt(text);
  if (text.startsWith("$argon2")) return argon2(text);
  if (text.startsWith("$scrypt")) return scrypt(text);
  if (text.startsWith("$pbkdf2")) return pbkdf2(text);
  if (text.startsWith("$firescrypt")) return firebase(text);
  if (text.startsWith("$sha")) return saltedDigest(text);
  throw unknown();
}

function bcrypt(text: string): ImportedHash {
  const [, cost = ""] = BCRYPT.exec(text) ?? [];
  if (cost === "") throw refuse("bcrypt is written as $2a$, $2b$ or $2y$, the cost, and 53 characters");
  if (Number(cost) < 4 || Number(cost) > BCRYPT_COST_MOST) {
    throw refuse(`the cost of bcrypt must be 4 to ${BCRYPT_COST_MOST}`);
  }
  return { kind: "bcrypt", text };
}

function argon2(text: string): ImportedHash {
  const [, variant, m = "", t = "", p = "", salt = "", tag = ""] = ARGON2.exec(text) ?? [];
  if (variant !== "argon2id" && variant !== "argon2i" && variant !== "argon2d") {
    throw refuse("argon2 is written as $argon2id$v=19$m=<KiB>,t=<passes>,p=<lanes>$<salt>$<hash>");
  }
  const [memoryKib, passes, lanes] = [Number(m), Number(t), Number(p)];
  if (lanes < 1 || lanes > LANES_MOST || passes < 1 || passes > PASSES_MOST || memoryKib < 8 * lanes) {
    throw refuse(
      `argon2 must have 1 to ${PASSES_MOST} passes, 1 to ${LANES_MOST} lanes, and 8 KiB of memory or more for each lane`,
    );
  }
  if (memoryKib > MEMORY_MOST_KIB || memoryKib * passes > ARGON2_WORK_MOST) {
    throw refuse(
      `argon2 may use ${MEMORY_MOST_KIB} KiB of memory at most, and passes times memory may be ${ARGON2_WORK_MOST} KiB`,
    );
  }
  const bytes = saltWithin(base64(salt, "the salt"));
  // RFC 9106 section 3.1.
  if (bytes.length < 8) throw refuse("the salt of argon2 has 8 bytes or more");
  return { kind: "argon2", variant, memoryKib, passes, lanes, salt: bytes, tag: tagWithin(tag) };
}

function scrypt(text: string): ImportedHash {
  const [, ln = "", r = "", p = "", salt = "", tag = ""] = SCRYPT.exec(text) ?? [];
  if (ln === "") throw refuse("scrypt is written as $scrypt$ln=<cost>,r=<blocks>,p=<lanes>$<salt>$<hash>");
  const given = Number(ln);
  const cost = scryptCost(given < SCRYPT_EXPONENTS ? 2 ** given : given, Number(r), Number(p));
  return { kind: "scrypt", cost, salt: saltWithin(base64(salt, "the salt")), tag: tagWithin(tag) };
}

function scryptCost(n: number, r: number, p: number): ScryptCost {
  if (n < 2 || !Number.isInteger(Math.log2(n)) || r < 1 || p < 1) {
    throw refuse("the cost of scrypt must be a power of two above 1, its blocks and lanes 1 or more");
  }
  // RFC 7914 section 6.
  if (n >= 2 ** (16 * r)) throw refuse("the cost of scrypt must be less than 2 to the power of 16 times its blocks");
  if (r > SCRYPT_BLOCKS_MOST || p > SCRYPT_LANES_MOST) {
    throw refuse(`scrypt may have ${SCRYPT_BLOCKS_MOST} blocks (r) and ${SCRYPT_LANES_MOST} lanes (p) at most`);
  }
  if (n * r > SCRYPT_MEMORY_MOST || n * r * p > SCRYPT_WORK_MOST) {
    throw refuse("scrypt may use 128 MiB of memory at most (ln=17,r=8), and twice that work");
  }
  return { n, r, p };
}

function pbkdf2(text: string): ImportedHash {
  const found = PBKDF2.exec(text);
  const [, named = "sha1", i = "", l, salt = "", tag = ""] = found ?? [];
  if (!found)
    throw refuse(
      "PBKDF2 is written as $pbkdf2-sha256$i=<iterations>,l=<bytes>$<salt>$<hash>, with sha1, sha256 or sha512",
    );
  const digest = named as Digest;
  const bytes = tagWithin(tag);
  if (l !== undefined && Number(l) !== bytes.length) throw refuse("l is not the number of bytes of the hash");
  const iterations = Number(i);
  if (iterations < 1 || iterations * Math.ceil(bytes.length / digestBytes[digest]) > PBKDF2_WORK_MOST) {
    throw refuse(`PBKDF2 may have 1 to ${PBKDF2_WORK_MOST} iterations for a hash of one block of its digest`);
  }
  return { kind: "pbkdf2", digest, iterations, salt: saltWithin(base64(salt, "the salt")), tag: bytes };
}

function saltedDigest(text: string): ImportedHash {
  const found = DIGEST.exec(text);
  const [, named = "sha1", pf = "", salt = "", tag = ""] = found ?? [];
  if (!found) {
    throw refuse(
      "a salted digest is written as $sha256$pf=<base64 of {PASSWORD}{SALT}>$<salt>$<hash>, with sha1, sha256 or sha512",
    );
  }
  const digest = named as Digest;
  const template = base64(pf, "pf").toString("utf8");
  const parts = template.split(PLACES).filter((part) => part !== "");
  const times = (place: string) => parts.filter((part) => part === place).length;
  if (template.length > TEMPLATE_MOST || times("{PASSWORD}") !== 1 || times("{SALT}") !== 1) {
    throw refuse("pf must have {PASSWORD} and {SALT} once each, such as {PASSWORD}{SALT} in base64");
  }
  const bytes = base64(tag, "the hash");
  if (bytes.length !== digestBytes[digest]) throw refuse("the hash does not have the length of its digest");
  return { kind: "digest", digest, template: parts, salt: saltWithin(base64(salt, "the salt")), tag: bytes };
}

function firebase(text: string): ImportedHash {
  const [, ln = "", r = "", p = "", salt = "", tag = "", separator = "", signer = ""] = FIREBASE.exec(text) ?? [];
  if (ln === "") {
    throw refuse(
      "Firebase's scrypt is written as $firescrypt$ln=<memory cost>,r=<rounds>,p=1$<salt>$<hash>$<salt separator>$<signer key>",
    );
  }
  if (Number(ln) >= SCRYPT_EXPONENTS) throw refuse("the memory cost of Firebase's scrypt is an exponent, such as 14");
  const between = separator === "" ? Buffer.alloc(0) : base64(separator, "the salt separator");
  const whole = saltWithin(Buffer.concat([base64(salt, "the salt"), between]));
  const [bytes, signerKey] = [base64(tag, "the hash"), base64(signer, "the signer key")];
  if (bytes.length !== TAG_MOST || signerKey.length !== bytes.length) {
    throw refuse("the hash and the signer key of Firebase have 64 bytes each");
  }
  return {
    kind: "firebase",
    cost: scryptCost(2 ** Number(ln), Number(r), Number(p)),
    salt: whole,
    signerKey,
    tag: bytes,
  };
}

/** With or without padding. */
function base64(text: string, what: string): Buffer {
  const bytes = Buffer.from(text, "base64");
  const plain = text.replace(/={1,2}$/, "");
  const isSame = bytes.toString("base64").replace(/={1,2}$/, "") === plain;
  if (!BASE64.test(text) || !isSame) throw refuse(`${what} is not in base64`);
  return bytes;
}

function saltWithin(bytes: Buffer): Buffer {
  if (bytes.length < 1 || bytes.length > SALT_MOST) throw refuse(`the salt must have 1 to ${SALT_MOST} bytes`);
  return bytes;
}

function tagWithin(text: string): Buffer {
  const bytes = base64(text, "the hash");
  if (bytes.length >= TAG_LEAST && bytes.length <= TAG_MOST) return bytes;
  throw refuse(`the hash must have ${TAG_LEAST} to ${TAG_MOST} bytes`);
}

function unknown(): Fault {
  return refuse(`its format is unknown. Formats: ${FORMATS} (docs/moving-in.md)`);
}

function refuse(reason: string): Fault {
  return new Fault("request.invalid", `The password hash cannot be imported: ${reason}.`);
}
