/** What the commands share that call the API: the server, the credential, and how a command line is refused. */
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

/** The usage text of the options below. */
export const CALLER_USAGE = `  --url <origin>   address of the service, with /t/<tenant> for another tenant than that of the caller
                   (default: BASE_URL, else http://127.0.0.1:3000)
  --user <name>    name of the caller (default: ADMIN_USERNAME, else admin)
  --allow-http     send the credential to another machine without TLS

Set the password in ADMIN_PASSWORD, or a token in ACCESS_TOKEN.`;

/** The options that say who calls which server. */
export const callerOptions = {
  url: { type: "string" },
  user: { type: "string" },
  "allow-http": { type: "boolean" },
} as const;

interface CallerValues {
  readonly url?: string | undefined;
  readonly user?: string | undefined;
  readonly "allow-http"?: boolean | undefined;
}

/** A server and a credential. */
export interface Caller {
  /** The origin, optionally with the path of a tenant; without a slash at the end. */
  readonly url: string;
  /** The value of the `Authorization` header. */
  readonly authorization: string;
}

/** A wrong command line. The message is for users. */
export class UsageError extends Error {}

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The words of a command line. Throws `UsageError` for an option that the command does not have. */
export function wordsOf<T extends ParseArgsOptionsConfig>(args: readonly string[], usage: string, options: T) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
}

/** The caller that options and environment name. Throws `UsageError`. */
export function callerOf(values: CallerValues, environment: NodeJS.ProcessEnv): Caller {
  const user = values.user ?? (environment.ADMIN_USERNAME || "admin");
  const basic = `Basic ${Buffer.from(`${user}:${environment.ADMIN_PASSWORD || "admin"}`).toString("base64")}`;
  const url = values.url ?? (environment.BASE_URL || `http://127.0.0.1:${environment.PORT || 3000}`);
  return {
    url: urlOf(url, values["allow-http"] ?? false),
    authorization: environment.ACCESS_TOKEN ? `Bearer ${environment.ACCESS_TOKEN}` : basic,
  };
}

/** The address of a service without a slash at the end. Throws `UsageError`; `label` says where it was given. */
export function urlOf(given: string, allowsHttp: boolean, label = "--url"): string {
  if (!URL.canParse(given)) throw new UsageError(`${label}: "${given}" is not a URL.`);
  const { protocol, hostname, username, search, hash } = new URL(given);
  if (!/^https?:$/.test(protocol) || username || search || hash) {
    throw new UsageError(`${label} must be an http(s) origin, optionally with /t/<tenant>, and without a user name.`);
  }
  if (protocol === "http:" && !LOOPBACK.has(hostname) && !allowsHttp) {
    throw new UsageError(
      `http would send the credential to ${hostname} in clear text. Use https, or add --allow-http.`,
    );
  }
  return given.replace(/\/+$/, "");
}
