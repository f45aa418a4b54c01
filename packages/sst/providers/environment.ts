/** The client of a deployment: address and credential come from the environment, and are stored nowhere. */
import { type Api, type Credentials, client } from "../../client/client.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A misspelt member of a declaration is refused, not ignored. */
export const requestHeaders = { "user-agent": "identity-admin-api-sst", prefer: "handling=strict" } as const;

const PREFIX = "IDENTITY_ADMIN_";
const HELP = `Set ${PREFIX}USER and ${PREFIX}PASSWORD, or ${PREFIX}CLIENT_ID and ${PREFIX}CLIENT_SECRET, or ${PREFIX}TOKEN.`;

/** Throws an `Error` that names the variables which are missing, and none of their values. */
export function apiOf(environment: Environment): Api {
  const read = (name: string) => environment[`${PREFIX}${name}`] || undefined;
  const url = read("URL");
  if (!url)
    throw new Error(`${PREFIX}URL is not set. It is the address of the service, such as https://id.example.com.`);
  const tenant = read("TENANT");
  const credentials = credentialsOf(read);
  try {
    return client({ url, credentials, ...(tenant && { tenant }), headers: requestHeaders });
  } catch (error) {
    throw new Error(`${PREFIX}URL cannot be used: ${error instanceof Error ? error.message : "unknown error"}`);
  }
}

function credentialsOf(read: (name: string) => string | undefined): Credentials {
  const [username, password] = [read("USER"), read("PASSWORD")];
  const [clientId, clientSecret] = [read("CLIENT_ID"), read("CLIENT_SECRET")];
  const token = read("TOKEN");
  const kinds = [username ?? password, clientId ?? clientSecret, token].filter((each) => each !== undefined);
  if (kinds.length === 0) throw new Error(`There is no credential for the service. ${HELP}`);
  if (kinds.length > 1) throw new Error(`There is more than one credential for the service. ${HELP}`);
  if (token) return { token };
  if (username && password) return { username, password };
  if (clientId && clientSecret) return { clientId, clientSecret };
  throw new Error(`The credential for the service is incomplete. ${HELP}`);
}
