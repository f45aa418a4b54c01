/** What can be assigned to an application, in the order of lists. */
export const principalTypes = ["group", "role", "user"] as const;

export type PrincipalType = (typeof principalTypes)[number];
