/**
 * `npm run common-passwords` writes packages/core/directory/credentials/common-passwords.json: the most common
 * passwords that are long enough to be refused, as a Bloom filter (decision 0148). With `-- --check` it fails when the
 * committed file differs.
 */
import { dictionary } from "@zxcvbn-ts/language-common";
import { bitsOf, comparedForm, FILTER_BITS } from "#core/directory/credentials/common-passwords.ts";
import { PASSWORD_LENGTH_LEAST } from "#core/directory/credentials/password-limits.ts";
import { writeOrCheck } from "./generated.ts";

const COMMON = 10_000;

/** The 10,000 most common of those that no other rule refuses, the most common first. */
export function commonPasswords(): readonly string[] {
  const all = dictionary["passwords-common"].map(comparedForm);
  return [...new Set(all)].filter((one) => [...one].length >= PASSWORD_LENGTH_LEAST).slice(0, COMMON);
}

/** The text of the file. */
export function commonPasswordsFile(): string {
  const filter = Buffer.alloc(FILTER_BITS / 8);
  for (const password of commonPasswords()) {
    for (const bit of bitsOf(password)) filter[bit >> 3] = (filter[bit >> 3] ?? 0) | (1 << (bit & 7));
  }
  return `${JSON.stringify(filter.toString("base64"))}\n`;
}

if (import.meta.main) {
  await writeOrCheck(
    "packages/core/directory/credentials/common-passwords.json",
    commonPasswordsFile(),
    "common-passwords",
  );
}
