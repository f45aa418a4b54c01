/** Reads the command line of `npm run applications`. */
import { parseArgs } from "node:util";

export const USAGE = `npm run applications -- export --out <folder> [--secrets]
npm run applications -- import <folder> [--update]

  --out <folder>   target folder: empty, or the folder of an interrupted export
  --secrets        include client secrets and confidential values; needs a scope for secrets
  --update         replace existing applications; without it, they are skipped
                   (authorized APIs are only added, never removed)
  --url <origin>   address of the service, with /t/<tenant> for another tenant than that of the caller
                   (default: BASE_URL, else http://127.0.0.1:3000)
  --user <name>    name of the caller (default: ADMIN_USERNAME, else admin)
  --allow-http     send the credential to another machine without TLS

Set the password in ADMIN_PASSWORD, or a token in ACCESS_TOKEN.`;

/** The task of a run. */
type Task =
  | { readonly kind: "export"; readonly folder: string; readonly hasSecrets: boolean }
  | { readonly kind: "import"; readonly folder: string; readonly replaces: boolean };

/** The options from the command line and the environment. */
export interface Options {
  readonly task: Task;
  /** The origin, optionally with the path of a tenant; without a slash at the end. */
  readonly url: string;
  /** The value of the `Authorization` header. */
  readonly authorization: string;
}

/** A wrong command line. The message is for users. */
export class UsageError extends Error {}

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Reads the command line. Throws `UsageError`. */
export function readOptions(args: readonly string[], environment: NodeJS.ProcessEnv): Options {
  const { values, positionals } = parse(args);
  const user = values.user ?? (environment.ADMIN_USERNAME || "admin");
  const basic = `Basic ${Buffer.from(`${user}:${environment.ADMIN_PASSWORD || "admin"}`).toString("base64")}`;
  const url = values.url ?? (environment.BASE_URL || `http://127.0.0.1:${environment.PORT || 3000}`);
  return {
    task: taskOf(positionals, values),
    url: urlOf(url, values["allow-http"] ?? false),
    authorization: environment.ACCESS_TOKEN ? `Bearer ${environment.ACCESS_TOKEN}` : basic,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        out: { type: "string" },
        secrets: { type: "boolean" },
        update: { type: "boolean" },
        url: { type: "string" },
        user: { type: "string" },
        "allow-http": { type: "boolean" },
      },
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
}

function taskOf(words: readonly string[], values: { out?: string; secrets?: boolean; update?: boolean }): Task {
  const [kind, folder, ...more] = words;
  if (kind === "export" && folder === undefined && values.out && !values.update) {
    return { kind, folder: values.out, hasSecrets: values.secrets ?? false };
  }
  if (kind === "import" && folder && more.length === 0 && !values.out && !values.secrets) {
    return { kind, folder, replaces: values.update ?? false };
  }
  throw new UsageError(USAGE);
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
