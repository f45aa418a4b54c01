/** The command line of `npm run applications`: what is asked for, of which service, and as whom. */
import { parseArgs } from "node:util";

export const USAGE = `npm run applications -- export --out <folder> [--secrets]
npm run applications -- import <folder> [--update]

  --out <folder>   where the files go: an empty folder, or that of an export that was interrupted
  --secrets        with client secrets and confidential values; the caller needs a scope for them
  --update         replaces applications that exist; without it they are left alone
                   (what the APIs beside a file authorize is added, nothing is taken away)
  --url <origin>   the service, with /t/<tenant> where it is another tenant than the caller's (BASE_URL; http://127.0.0.1:3000)
  --user <name>    who asks (ADMIN_USERNAME; admin). The password is in ADMIN_PASSWORD; or a token in ACCESS_TOKEN
  --allow-http     sends the credential to another machine without TLS`;

/** What to do. */
type Task =
  | { readonly kind: "export"; readonly folder: string; readonly hasSecrets: boolean }
  | { readonly kind: "import"; readonly folder: string; readonly replaces: boolean };

/** What the command line and the environment say. */
export interface Options {
  readonly task: Task;
  /** The origin, and a tenant's path where there is one, without a slash at the end. */
  readonly url: string;
  /** The value of the `Authorization` header. */
  readonly authorization: string;
}

/** A command line that cannot be followed; its message is for people. */
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

function urlOf(given: string, allowsHttp: boolean): string {
  if (!URL.canParse(given)) throw new UsageError(`"${given}" is no URL.`);
  const { protocol, hostname, username, search, hash } = new URL(given);
  if (!/^https?:$/.test(protocol) || username || search || hash) {
    throw new UsageError("The URL is an http(s) origin, with /t/<tenant> behind it at most, and without a user name.");
  }
  if (protocol === "http:" && !LOOPBACK.has(hostname) && !allowsHttp) {
    throw new UsageError(`The credential would travel to ${hostname} in the clear: use https, or --allow-http.`);
  }
  return given.replace(/\/+$/, "");
}
