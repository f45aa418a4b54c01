/** Which callers get a file with secrets (decision 0040). Imports nothing, because the command line uses it too. */

/** Each of these scopes lets a caller export the secrets of an application. */
export const SECRET_SCOPES = [
  "internal_application_mgt_client_secret_view",
  "internal_application_mgt_client_secret_create",
] as const;

/** The comment at the start of a file when the caller asked for secrets without one of the scopes. */
export const SECRETS_WITHHELD = `Secrets are left out: the caller has neither the scope ${SECRET_SCOPES.join(" nor ")}.`;
