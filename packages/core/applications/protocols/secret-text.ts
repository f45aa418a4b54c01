/**
 * The text of a client secret that this service creates: `iacs_`, 43 random letters and digits (256 bits), and six
 * letters and digits that are the CRC-32 (that of zlib) of all before them. So scanners find a secret that leaked, and
 * tell it from other texts without asking the service (decision 0079).
 */
import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const PREFIX = "iacs_";
const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

/** A new secret. */
export function newSecretText(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  return `${PREFIX}${random}${inLetters(crc32(PREFIX + random))}`;
}

/** A number of 32 bits in base 62, with zeros before it. */
function inLetters(number: number): string {
  const digits: string[] = [];
  for (let rest = number; digits.length < CHECKSUM_LENGTH; rest = Math.floor(rest / LETTERS.length)) {
    digits.unshift(LETTERS[rest % LETTERS.length] ?? "");
  }
  return digits.join("");
}
