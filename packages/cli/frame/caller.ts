/** Who calls which service: from the options, the environment, or what `login` stored. */
import { type Api, type Credentials, client } from "#client/client.ts";
import { wrongInput } from "./errors.ts";
import { readStored } from "./stored.ts";

/** The options that every command has. */
export interface GlobalOptions {
  readonly url?: string;
  readonly tenant?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly allowHttp?: boolean;
}

/** A service, and a caller of it. */
export interface Caller {
  readonly url: string;
  readonly tenant: string | undefined;
  readonly credentials: Credentials;
  /** Where the credential comes from, for people. */
  readonly source: string;
}

/** About one and a half seconds: somebody waits. */
const ATTEMPTS = 4;

export const URL_DEFAULT = "http://127.0.0.1:3000";

/**
 * The caller of a command. A credential of the environment comes before a stored one, so that a pipeline says what it
 * uses. Throws a `CommandError` where a credential is missing or half of one is set.
 */
export async function callerOf(options: GlobalOptions, environment: NodeJS.ProcessEnv): Promise<Caller> {
  const given = credentialsOf(environment);
  const stored = await readStored(environment);
  const url = options.url ?? (environment.IDENTITY_ADMIN_URL || undefined);
  const tenant = tenantOf(options, environment);
  if (given) return { url: url ?? stored?.url ?? URL_DEFAULT, tenant, credentials: given, source: "the environment" };
  if (!stored) {
    throw wrongInput(
      "There is no credential.",
      "Sign in: identity-admin login. Or set IDENTITY_ADMIN_USER and IDENTITY_ADMIN_PASSWORD, " +
        "IDENTITY_ADMIN_CLIENT_ID and IDENTITY_ADMIN_CLIENT_SECRET, or IDENTITY_ADMIN_TOKEN",
    );
  }
  if (url !== undefined && new URL(url, URL_DEFAULT).origin !== new URL(stored.url).origin) {
    throw wrongInput(
      `The stored credential is for ${stored.url}, and would be sent to ${url}.`,
      `Sign in there: identity-admin login --url ${url}`,
    );
  }
  return {
    url: url ?? stored.url,
    tenant: tenant ?? stored.tenant,
    credentials: stored.credentials,
    source: "identity-admin login",
  };
}

/** The tenant that is named. Throws a `CommandError` for an empty option: a variable in a script may be unset. */
export function tenantOf({ tenant }: GlobalOptions, environment: NodeJS.ProcessEnv): string | undefined {
  if (tenant === "")
    throw wrongInput("--tenant is empty.", "Name a tenant, such as acme.com, or leave the option out.");
  return tenant ?? (environment.IDENTITY_ADMIN_TENANT || undefined);
}

/** A client for a caller. Throws a `CommandError` for an address that cannot be used. */
export function apiOf({ url, tenant, credentials }: Caller, options: GlobalOptions, attempts?: number): Api {
  try {
    return client({
      url,
      tenant,
      credentials,
      attempts: attempts ?? ATTEMPTS,
      allowHttp: options.allowHttp,
      headers: { "user-agent": "identity-admin" },
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw wrongInput(error.message.replace("set allowHttp", "add --allow-http"));
  }
}

const pairs = [
  ["IDENTITY_ADMIN_USER", "IDENTITY_ADMIN_PASSWORD"],
  ["IDENTITY_ADMIN_CLIENT_ID", "IDENTITY_ADMIN_CLIENT_SECRET"],
] as const;

/** The credential of the environment, if there is one. Throws a `CommandError` for half of one, and for two. */
export function credentialsOf(environment: NodeJS.ProcessEnv): Credentials | undefined {
  for (const [first, second] of pairs) {
    const missing = environment[first] ? (environment[second] ? undefined : second) : environment[second] && first;
    if (missing) throw wrongInput(`${missing} is not set. It belongs to ${missing === first ? second : first}.`);
  }
  const {
    IDENTITY_ADMIN_USER: username,
    IDENTITY_ADMIN_PASSWORD: password,
    IDENTITY_ADMIN_CLIENT_ID: clientId,
    IDENTITY_ADMIN_CLIENT_SECRET: clientSecret,
    IDENTITY_ADMIN_SCOPE: scope,
    IDENTITY_ADMIN_TOKEN: token,
  } = environment;
  const found: Credentials[] = [];
  if (username && password) found.push({ username, password });
  if (clientId && clientSecret) found.push({ clientId, clientSecret, scope: scope || undefined });
  if (token) found.push({ token });
  if (found.length > 1) {
    throw wrongInput("The environment has several credentials. Set a user, a client or a token, and no other.");
  }
  return found[0];
}
