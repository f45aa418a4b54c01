/** Tokens that say nothing by themselves: random text, kept as a digest. */
import { createHash, randomBytes } from "node:crypto";

const RANDOM_BYTES = 32;

/** What begins a token, so that people and scanners know what they have found. */
export type TokenPrefix = "at_" | "rt_";

const FORM = /^(at|rt)_[A-Za-z0-9_-]{43}$/;

/** A new token: 256 bits that nobody can guess. */
export function newOpaque(prefix: TokenPrefix): string {
  return `${prefix}${randomBytes(RANDOM_BYTES).toString("base64url")}`;
}

/** Whether a text has the form of a token; any other is none, and is not looked up. */
export function isOpaque(text: string, prefix: TokenPrefix): boolean {
  return text.startsWith(prefix) && FORM.test(text);
}

/** What a token is known by in the table. Its text has 256 bits of chance, so nothing slower is needed. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("base64url");
}
