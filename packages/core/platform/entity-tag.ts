/** Entity tags in conditional requests (RFC 9110 section 13.1). */

/** Whether an `If-Match` or `If-None-Match` matches an entity tag. Weak tags are compared like strong ones. */
export function namesTag(header: string, etag: string): boolean {
  return header.trim() === "*" || header.split(",").some((tag) => opaque(tag) === opaque(etag));
}

function opaque(tag: string): string {
  return tag.trim().replace(/^W\//, "");
}
