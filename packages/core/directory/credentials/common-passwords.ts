/**
 * The most common passwords, as a Bloom filter (decision 0148): it finds each of them, and one in 100,000 others.
 * `npm run common-passwords` writes it.
 */
import { createHash } from "node:crypto";
import filter from "./common-passwords.json" with { type: "json" };

/** 24 bits for each of 10,000 passwords, and the number of them that each sets. */
export const FILTER_BITS = 240_000;
const BITS_SET = 16;

let opened: Buffer | undefined;

/** Whether a password is one of the most common, without regard to case and to blanks around it. */
export function isCommonPassword(password: string): boolean {
  opened ??= Buffer.from(filter, "base64");
  const bits = opened;
  return bitsOf(comparedForm(password)).every((bit) => ((bits[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0);
}

/** The form in which passwords are compared with common ones. */
export function comparedForm(password: string): string {
  return password.normalize("NFKC").toLowerCase().trim();
}

/** The bits of a password in its compared form. */
export function bitsOf(compared: string): readonly number[] {
  const digest = createHash("sha512").update(compared, "utf8").digest();
  return Array.from({ length: BITS_SET }, (_, at) => digest.readUInt32BE(at * 4) % FILTER_BITS);
}
