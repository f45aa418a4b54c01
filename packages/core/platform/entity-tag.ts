/** Entity tags in conditions of requests (RFC 9110 section 13.1). */

const opaque = (tag: string): string => tag.trim().replace(/^W\//, "");

/** Whether an `If-Match` or `If-None-Match` names that entity tag, or any (`*`). Weak tags are compared as strong ones are. */
export const namesTag = (header: string, etag: string): boolean =>
  header.trim() === "*" || header.split(",").some((tag) => opaque(tag) === opaque(etag));
