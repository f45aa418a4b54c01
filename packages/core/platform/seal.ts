/** Sealing of secrets that the API must be able to show again: AES-256-GCM under a key that only some functions hold. */
import { createCipheriv, createDecipheriv, createHash, randomBytes, randomInt } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Seals and opens. What was sealed for one owner does not open for another. */
export interface Seal {
  /** `s1.<key id>.<nonce, ciphertext and tag in base64url>`. */
  seal(secret: string, owner: string): string;
  /** Throws when the text was sealed under another key, for another owner, or was changed. */
  open(sealed: string, owner: string): string;
}

/** Opens a seal on a key of 32 bytes. */
export const newSeal = (key: Uint8Array): Seal => {
  if (key.length !== KEY_BYTES) throw new RangeError(`a sealing key has ${KEY_BYTES} bytes, not ${key.length}`);
  const keyId = createHash("sha256").update(key).digest("base64url").slice(0, 8);
  return {
    seal(secret, owner) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(owner, "utf8"));
      const sealed = Buffer.concat([nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `s1.${keyId}.${sealed.toString("base64url")}`;
    },
    open(text, owner) {
      const [version, id, body] = text.split(".");
      if (version !== "s1" || id !== keyId || !body) throw new Error("a secret was sealed under another key");
      const bytes = Buffer.from(body, "base64url");
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(owner, "utf8"))
        .setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString(
        "utf8",
      );
    },
  };
};

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

/** A random text of letters, digits and `_`: nearly 6 bits a character, each as likely as any other. */
export const randomText = (length: number): string =>
  Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join("");
