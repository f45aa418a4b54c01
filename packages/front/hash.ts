/** Names of contents: the first characters of their SHA-256. */
import { createHash, type Hash } from "node:crypto";

const LENGTH = 16;

/** The name of a content. */
export function hashOf(content: string): string {
  return shortened(createHash("sha256").update(content));
}

/** The name of what a hash has seen. */
export function shortened(hash: Hash): string {
  return hash.digest("hex").slice(0, LENGTH);
}
