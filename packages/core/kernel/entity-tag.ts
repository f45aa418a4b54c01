/** Entity tags (RFC 9110 section 8.8.3), and their comparison in conditional requests (section 13.1). */
import { hash } from "node:crypto";

/** Characters of a tag: 160 bits of the hash. */
const TAG_LENGTH = 27;

/** The strong entity tag of a content: the same for the same bytes, and another one for others. */
export function contentTag(content: string | Uint8Array): string {
  return `"${hash("sha256", content, "base64url").slice(0, TAG_LENGTH)}"`;
}

/** Whether an `If-Match` or `If-None-Match` matches an entity tag. Weak tags are compared like strong ones. */
export function namesTag(header: string, etag: string): boolean {
  return header.trim() === "*" || header.split(",").some((tag) => opaque(tag) === opaque(etag));
}

function opaque(tag: string): string {
  return tag.trim().replace(/^W\//, "");
}
