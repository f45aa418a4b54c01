/** How the secrets of a client change (decision 0079). Pure. */
import { Fault } from "../../kernel/faults.ts";
import { type ClientSecret, isExpired, secretsOf, withSecrets } from "../protocols/client-secrets.ts";
import type { OidcClient } from "../protocols/model.ts";
import type { Application } from "../registry/model.ts";

/** The message of each operation, as Identity Server has it. */
export const messages = {
  create: "Unable to create the client secret.",
  list: "Unable to list the client secrets.",
  retrieve: "Unable to retrieve the client secret.",
  delete: "Unable to delete the client secret.",
} as const;

/** The client of an application. Throws `client.unknown`. */
export function clientIn({ id, inbound: { oidc } }: Pick<Application, "id" | "inbound">, message: string): OidcClient {
  if (oidc) return oidc;
  throw new Fault("client.unknown", `The application ${id} has no OAuth client: it has no OIDC settings.`, { message });
}

/**
 * The client with a further secret, which is the latest. Expired secrets do not count for the most that a client may
 * have: they make room, those that expired first before others. Throws `client.secrets_full`.
 */
export function withFurtherSecret(
  client: OidcClient,
  secret: ClientSecret,
  { most, nowMs }: { readonly most: number; readonly nowMs: number },
): OidcClient {
  const secrets = secretsOf(client);
  const valid = secrets.filter((each) => !isExpired(each, nowMs));
  if (valid.length >= most) {
    throw new Fault(
      "client.secrets_full",
      `The client has ${valid.length} secrets that have not expired, and the max_client_secrets of this server is ${most}. Delete one first.`,
      { message: messages.create },
    );
  }
  const expired = secrets
    .filter((each) => isExpired(each, nowMs))
    .sort((a, b) => (b.expiresAtSeconds ?? 0) - (a.expiresAtSeconds ?? 0))
    .slice(0, most - 1 - valid.length);
  const former = secrets.filter((each) => valid.includes(each) || expired.includes(each));
  return withSecrets(client, [secret, ...former]);
}

/** The secret of a client with that id. Throws `client.secret_unknown`. */
export function secretWithId(client: OidcClient, secretId: string, message: string): ClientSecret {
  const found = secretsOf(client).find((secret) => secret.secretId === secretId);
  if (found) return found;
  throw new Fault("client.secret_unknown", "The client has no secret with this id.", { message });
}

/**
 * The client without one of its secrets. Where the latest one has expired, the newest of the others becomes the latest.
 * Throws `client.secret_unknown`, and `client.secret_latest` for the latest one while it is valid and for the only one.
 */
export function withoutSecret(client: OidcClient, secretId: string, nowMs: number): OidcClient {
  const { delete: message } = messages;
  const gone = secretWithId(client, secretId, message);
  const secrets = secretsOf(client);
  const [first, ...others] = secrets.filter((secret) => secret.secretId !== secretId);
  if (first === undefined || (gone.secretId === secrets[0].secretId && !isExpired(gone, nowMs))) {
    const what = first === undefined ? "only" : "latest";
    throw new Fault(
      "client.secret_latest",
      `This is the ${what} secret of the client. Create another one first, or regenerate the secret.`,
      { message },
    );
  }
  return withSecrets(client, [first, ...others]);
}
