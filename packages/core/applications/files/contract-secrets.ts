/** Whom a file with secrets is given to (decision 0040). Imports nothing: the command that moves applications reads it too. */

/** Each of these scopes lets its holder export the secrets of an application. */
export const SECRET_SCOPES = [
  "internal_application_mgt_client_secret_view",
  "internal_application_mgt_client_secret_create",
] as const;

/** Begins a file, as a comment, that was to have secrets and has none because its caller has no such scope. */
export const SECRETS_WITHHELD = `Secrets are left out: the caller has neither the scope ${SECRET_SCOPES.join(" nor ")}.`;
