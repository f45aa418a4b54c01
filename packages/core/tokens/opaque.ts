/** Opaque tokens: random texts, of which the table stores a digest only. */
import { createHash, randomBytes } from "node:crypto";

const RANDOM_BYTES = 32;

/** Begins a token, so that people and secret scanners recognise it. */
export type TokenPrefix =
  | "at_"
  | "rt_"
  | "ac_"
  | "ss_"
  | "pr_"
  | "fa_"
  | "ml_"
  | "nw_"
  | "iv_"
  | "rg_"
  | "va_"
  | "sc_"
  | "sl_"
  | "lc_";

const FORM = /^(at|rt|ac|ss|pr|fa|ml|nw|iv|rg|va|sc|sl|lc)_[A-Za-z0-9_-]{43}$/;

/** A new token with 256 random bits. */
export function newOpaque(prefix: TokenPrefix): string {
  return `${prefix}${randomBytes(RANDOM_BYTES).toString("base64url")}`;
}

/** Whether a text has the form of a token. Other texts are never looked up. */
export function isOpaque(text: string, prefix: TokenPrefix): boolean {
  return text.startsWith(prefix) && FORM.test(text);
}

/** The key of a token in the table. Its text has 256 random bits, so a fast digest is enough. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("base64url");
}
