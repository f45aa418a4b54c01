/** What the ways of access consist of. */

/** The kinds of links of a path. */
export const linkTypes = ["user", "client", "group", "role", "application", "api", "scope"] as const;
export type LinkType = (typeof linkTypes)[number];
