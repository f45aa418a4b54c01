/** What a missing link of access is called, and what to do about it. */
import type { LinkType } from "./link-model.ts";

interface Row {
  /** What the sentence is about: only callers who may see such things read it. Absent: every caller. */
  readonly about?: LinkType;
  readonly description: string;
}

/** The reasons, by their codes. */
const table = {
  account_inactive: {
    about: "user",
    description: "The account is not active, or is locked or disabled, so that the user cannot sign in.",
  },
  password_missing: { about: "user", description: "The user has no password to call with directly." },
  password_must_change: {
    about: "user",
    description: "The user must choose another password first, at a sign-in to an application in a browser.",
  },
  credential_kind: {
    description: "A rule of deployment.toml does not accept the kinds of credentials that this subject has.",
  },
  no_client: {
    about: "application",
    description: "The application has no OpenID Connect protocol, so it gets no tokens.",
  },
  application_disabled: { about: "application", description: "The application is disabled." },
  client_revoked: {
    about: "application",
    description: "The client was revoked: regenerate its secret to use it again.",
  },
  no_grant: {
    about: "application",
    description: "The grantTypes of the application include none by which it gets a token for this subject.",
  },
  not_assigned: {
    about: "application",
    description:
      "The application asks for an assignment (enableAuthorization): assign the user, or a group or role of the user.",
  },
  other_resource: { description: "The token is not for the resource that the operation belongs to." },
  no_role: {
    about: "role",
    description: "No role that the user holds, directly, by a group or as everyone, includes the scope.",
  },
  role_of_application: {
    about: "role",
    description: "This role includes the scope, but is for another application than the one that the user calls by.",
  },
  role_not_counted: {
    about: "role",
    description: "This role includes the scope, but is not among the associatedRoles of the application.",
  },
  api_not_authorized: {
    about: "application",
    description: "The application is not authorized for the scope: authorize its API with it.",
  },
  needs_token: {
    description: "A scope of an API of the tenant counts in tokens only: name the application that the user calls by.",
  },
  not_in_token: { description: "The token was not requested with the scope." },
  not_of_resource: { description: "The scope does not belong to the resources that the token is for." },
} as const satisfies Record<string, Row>;

export type Reason = keyof typeof table;
export const reasons: Readonly<Record<Reason, Row>> = table;
