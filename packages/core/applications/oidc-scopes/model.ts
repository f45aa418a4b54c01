/** Scopes of OpenID Connect: which claims of a user a client asks for by which name. */

/** One scope. */
export interface OidcScope {
  /** Unique in a tenant, and never changed. */
  readonly name: string;
  readonly displayName: string;
  readonly description?: string | undefined;
  /** Names of claims as ID tokens have them. */
  readonly claims: readonly string[];
}

/**
 * The scopes of a tenant that has changed none: those of OpenID Connect Core 1.0 sections 3.1.2.1 and 5.4, and the two
 * that WSO2 Identity Server adds.
 */
export const defaultScopes: readonly OidcScope[] = [
  {
    name: "openid",
    displayName: "OpenID",
    description: "Sign in with OpenID Connect",
    claims: ["sub"],
  },
  {
    name: "profile",
    displayName: "User Profile",
    description: "The profile of the user",
    claims: [
      ...["name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile", "picture"],
      ...["website", "gender", "birthdate", "zoneinfo", "locale", "updated_at"],
    ],
  },
  {
    name: "email",
    displayName: "Email",
    description: "The e-mail address of the user",
    claims: ["email", "email_verified"],
  },
  { name: "address", displayName: "Address", description: "The address of the user", claims: ["address"] },
  {
    name: "phone",
    displayName: "Phone",
    description: "The phone number of the user",
    claims: ["phone_number", "phone_number_verified"],
  },
  { name: "groups", displayName: "Groups", description: "The groups of the user", claims: ["groups"] },
  { name: "roles", displayName: "Roles", description: "The roles of the user", claims: ["roles"] },
];
