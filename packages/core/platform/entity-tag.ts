/** Entity tags in conditions of requests (RFC 9110 section 13.1). */

/** Whether an `If-Match` or `If-None-Match` names that entity tag, or any (`*`). Weak tags are compared as strong ones are. */
export function namesTag(header: string, etag: string): boolean {
  return header.trim() === "*" || header.split(",").some((tag) => opaque(tag) === opaque(etag));
}

function opaque(tag: string): string {
  return tag.trim().replace(/^W\//, "");
}
