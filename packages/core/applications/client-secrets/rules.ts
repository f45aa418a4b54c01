/** How the secrets of a client change (decision 0079). Pure. */
import { Fault } from "../../platform/faults.ts";
import { newId } from "../../platform/ids.ts";
import { type ClientSecret, FIRST_SECRET_ID, secretsOf, withSecrets } from "../protocols/client-secrets.ts";
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

/** The client with a further secret, which is the latest. Throws `client.secrets_full`. */
export function withFurtherSecret(client: OidcClient, secret: ClientSecret, most: number): OidcClient {
  const secrets = secretsOf(client);
  if (secrets.length >= most) {
    throw new Fault(
      "client.secrets_full",
      `The client has ${secrets.length} secrets, expired ones included, and the max_client_secrets of this server is ${most}. Delete one first.`,
      { message: messages.create },
    );
  }
  const former = secrets.map((each) => (each.secretId === FIRST_SECRET_ID ? { ...each, secretId: newId() } : each));
  return withSecrets(client, [secret, ...former]);
}

/** The secret of a client with that id. Throws `client.secret_unknown`. */
export function secretWithId(client: OidcClient, secretId: string, message: string): ClientSecret {
  const found = secretsOf(client).find((secret) => secret.secretId === secretId);
  if (found) return found;
  throw new Fault("client.secret_unknown", "The client has no secret with this id.", { message });
}

/** The client without one of its secrets. Throws `client.secret_unknown`, and `client.secret_latest`. */
export function withoutSecret(client: OidcClient, secretId: string): OidcClient {
  const { delete: message } = messages;
  const gone = secretWithId(client, secretId, message);
  const [latest, ...former] = secretsOf(client);
  if (gone.secretId === latest.secretId) {
    throw new Fault(
      "client.secret_latest",
      "This is the latest secret of the client. Create another one first, or regenerate the secret.",
      { message },
    );
  }
  return withSecrets(client, [latest, ...former.filter((secret) => secret.secretId !== secretId)]);
}
