/**
 * Which callers see the secrets of an application (decisions 0040 and 0061). Imports nothing, because the command line
 * uses it too.
 */

/** Who sees client secrets, from deployment.toml: every caller that may view applications, or `SECRET_VIEW` alone. */
export type ClientSecretsShownTo = "viewers" | "secret_viewers";

const SECRET_VIEW = "internal_application_mgt_client_secret_view";

/** Each of these scopes lets a caller see confidential values, and export the secrets of an application. */
export const SECRET_SCOPES = [SECRET_VIEW, "internal_application_mgt_client_secret_create"] as const;

/** The comment at the start of a file when the caller asked for secrets without a scope that shows them. */
export const SECRETS_WITHHELD = `Secrets are left out: the caller needs the scope ${SECRET_VIEW}.`;

/** Whether a response shows the client secret to a caller with these scopes. */
export function seesClientSecret(shownTo: ClientSecretsShownTo, scopes: ReadonlySet<string>): boolean {
  return shownTo === "viewers" || scopes.has(SECRET_VIEW);
}

/** Whether responses show confidential values, and files all secrets, to a caller with these scopes. */
export function seesSecrets(shownTo: ClientSecretsShownTo, scopes: ReadonlySet<string>): boolean {
  return scopes.has(SECRET_VIEW) || (shownTo === "viewers" && SECRET_SCOPES.some((scope) => scopes.has(scope)));
}
