/** Encrypts secrets that the API must show again: AES-256-GCM with a key that only some functions have. */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  randomBytes,
  randomInt,
} from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Encrypts and decrypts. A secret of one owner cannot be decrypted for another. */
export interface Seal {
  /** `s1.<key id>.<nonce, ciphertext and tag in base64url>`. */
  seal(secret: string, owner: string): string;
  /** Throws when the text has another key or owner, or was changed. */
  open(sealed: string, owner: string): string;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

/**
 * Opens a seal on a key of 32 bytes. `former` keys only decrypt. They are made into key objects once: with bytes, Node
 * takes ten times as long to begin (decision 0140).
 */
export function newSeal(key: Uint8Array, former: readonly Uint8Array[] = []): Seal {
  const keyId = idOf(key);
  const own = createSecretKey(key);
  const keys = new Map([[keyId, own], ...former.map((each) => [idOf(each), createSecretKey(each)] as const)]);
  return {
    seal(secret, owner) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, own, nonce).setAAD(Buffer.from(owner, "utf8"));
      const sealed = Buffer.concat([nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `s1.${keyId}.${sealed.toString("base64url")}`;
    },
    open(text, owner) {
      const [version, id = "", body, ...more] = text.split(".");
      const known = keys.get(id);
      if (version !== "s1" || !known || !body) throw new Error("a secret is sealed with another key");
      const bytes = Buffer.from(body, "base64url");
      // The decoder skips invalid characters; and a shorter tag would be easier to guess.
      if (more.length > 0 || bytes.toString("base64url") !== body || bytes.length < NONCE_BYTES + TAG_BYTES) {
        throw new Error("a sealed secret was changed");
      }
      const decipher = createDecipheriv(ALGORITHM, known, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(owner, "utf8"))
        .setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString(
        "utf8",
      );
    },
  };
}

/**
 * The key of cursors, derived from the sealing key; both in Base64 (HKDF with SHA-256, RFC 5869). It opens no secret,
 * and does not lead back to the sealing key. Throws `RangeError` for a key of another length.
 */
export function cursorKeyOf(sealKey: string): string {
  return derived(sealKey, "cursors").toString("base64");
}

/** The key of the forms of sign-in (decision 0114), derived in the same way. */
export function formKeyOf(sealKey: string): string {
  return derived(sealKey, "forms").toString("base64");
}

/** The keys of secrets of one-time codes (decision 0122), of a sealing key and its former ones, in the same form. */
export function factorKeysOf(sealKey: string, formerSealKeys: string): string {
  return allOf((key) => derived(key, "factors").toString("base64"), sealKey, formerSealKeys);
}

/** The key of orders of messages that tell clients of the end of a session, derived in the same way. */
export function logoutKeyOf(sealKey: string): string {
  return derived(sealKey, "logouts").toString("base64");
}

/** The key of secrets for receivers of events, derived in the same way. */
export function eventKeyOf(sealKey: string): string {
  return derived(sealKey, "events").toString("base64");
}

/** The key of the nonces of DPoP proofs, derived in the same way. */
export function nonceKeyOf(sealKey: string): string {
  return derived(sealKey, "nonces").toString("base64");
}

/** The key of first answers to repeatable requests (decision 0086), derived in the same way. */
export function answerKeyOf(sealKey: string): string {
  return derived(sealKey, "answers").toString("base64");
}

/**
 * The same for a sealing key and its former ones, which are separated by commas, or `none`: the first of the result,
 * which has the same form, seals.
 */
export function answerKeysOf(sealKey: string, formerSealKeys: string): string {
  return allOf(answerKeyOf, sealKey, formerSealKeys);
}

/** The keys of secrets for receivers of events, of a sealing key and its former ones, in the same form. */
export function eventKeysOf(sealKey: string, formerSealKeys: string): string {
  return allOf(eventKeyOf, sealKey, formerSealKeys);
}

/** The keys of the private keys that sign events, in the same form. */
export function eventSigningKeysOf(sealKey: string, formerSealKeys: string): string {
  return allOf((key) => derived(key, "event-signing").toString("base64"), sealKey, formerSealKeys);
}

/** The keys of the private keys that sign SAML assertions, in the same form. */
export function samlKeysOf(sealKey: string, formerSealKeys: string): string {
  return allOf((key) => derived(key, "saml").toString("base64"), sealKey, formerSealKeys);
}

function allOf(derive: (sealKey: string) => string, sealKey: string, formerSealKeys: string): string {
  const former = formerSealKeys === "none" || formerSealKeys === "" ? [] : formerSealKeys.split(",");
  return [sealKey, ...former].map(derive).join(",");
}

/**
 * The client secret of the synthetic check (decision 0073), derived in the same way: so no person sets it, and it
 * changes with the sealing key. 43 printable characters. Throws `RangeError` for a key of another length.
 */
export function canarySecretOf(sealKey: string): string {
  return derived(sealKey, "canary").toString("base64url");
}

function derived(sealKey: string, purpose: string): Buffer {
  const key = Buffer.from(sealKey, "base64");
  if (key.length !== KEY_BYTES) throw new RangeError(`a sealing key has ${KEY_BYTES} bytes, not ${key.length}`);
  return Buffer.from(hkdfSync("sha256", key, "", `identity-admin-api ${purpose}`, KEY_BYTES));
}

/** The short name of a key, which reveals nothing of it. */
function idOf(key: Uint8Array): string {
  if (key.length !== KEY_BYTES) throw new RangeError(`a sealing key has ${KEY_BYTES} bytes, not ${key.length}`);
  return createHash("sha256").update(key).digest("base64url").slice(0, 8);
}

/** A random text of letters, digits and `_`: nearly 6 bits of entropy for each character. */
export function randomText(length: number): string {
  return Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join("");
}
