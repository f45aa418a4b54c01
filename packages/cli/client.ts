/** The HTTP client of the command. It retries temporary failures. */
import { setTimeout as pause } from "node:timers/promises";
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

const TRIES = 6;
const BACKOFF_FIRST_MS = 200;
const BACKOFF_MOST_MS = 10_000;
const REQUEST_MS = 60_000;
const TEMPORARY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** A response. */
export interface ApiResponse {
  readonly status: number;
  readonly text: string;
  /** The body; `undefined` if it is not JSON. */
  readonly body: unknown;
  /** The `Location` header. */
  readonly location: string | undefined;
}

/** A server, called with the credential of one caller. */
export interface Api {
  readonly url: string;
  get(path: string): Promise<ApiResponse>;
  /** Sends a request that the run can do without: returns a 403 instead of ending the run. */
  attempt(method: "GET" | "POST" | "PATCH", path: string, body?: unknown): Promise<ApiResponse>;
  /** Sends a JSON body to a path from the address of the service on. */
  send(
    method: "GET" | "POST",
    path: string,
    options?: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<ApiResponse>;
  /** Uploads a file as the part `file`. */
  upload(method: "POST" | "PUT", path: string, fileName: string, content: Uint8Array): Promise<ApiResponse>;
}

/** Ends the run, because every further request would fail too. The message is for users. */
export class RunEnded extends Error {
  /** The status of the answer that ended it; 0 where the server stays unreachable. */
  readonly status: number | undefined;
  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/** A text member of a body. */
export function textIn(body: unknown, name: string): string | undefined {
  const value = memberOf(body, name);
  return typeof value === "string" ? value : undefined;
}

/** The body, or a member of it, if it is a list. */
export function listIn(body: unknown, name?: string): readonly unknown[] | undefined {
  const list = name === undefined ? body : memberOf(body, name);
  return Array.isArray(list) ? list : undefined;
}

/** A member of a body that is an object. */
export function memberOf(body: unknown, name: string): unknown {
  return body !== null && typeof body === "object" ? (body as Record<string, unknown>)[name] : undefined;
}

/** Why a request was refused, in one line. */
export function reasonOf({ status, body }: ApiResponse): string {
  const words = [
    textIn(body, "code"),
    textIn(body, "description") ?? textIn(body, "message") ?? textIn(body, "detail"),
  ];
  return [String(status), ...words.filter((word) => word && word !== String(status))].join(" ");
}

/** Opens a server. The methods throw `RunEnded` if it stays unreachable or does not authorise the caller. */
export function openApi(url: string, authorization: string): Api {
  const toManagement: typeof send = (path, ...more) => send(`/api/server/v1${path}`, ...more);
  const send = async (path: string, init: RequestInit, returnsForbidden = false): Promise<ApiResponse> => {
    let failure = "";
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const tried = await once(path, init);
      const { answer } = tried;
      if (!answer) failure = tried.failure;
      else {
        if (answer.status === 401 || (answer.status === 403 && !returnsForbidden)) {
          throw new RunEnded(`${url} does not authorise this caller: ${reasonOf(answer)}`, answer.status);
        }
        if (!TEMPORARY.has(answer.status)) return answer;
        failure = reasonOf(answer);
      }
      if (attempt + 1 < TRIES) await pause(waitOf(attempt, tried.response));
    }
    throw new RunEnded(`${url} cannot be reached: ${failure}`, 0);
  };
  /** One attempt: the answer, or why there is none. */
  const once = async (path: string, init: RequestInit) => {
    let response: Response | undefined;
    try {
      const headers = { ...init.headers, authorization };
      const signal = AbortSignal.timeout(REQUEST_MS);
      response = await fetch(`${url}${path}`, { ...init, redirect: "error", headers, signal });
      const text = await response.text();
      const location = response.headers.get("location") ?? undefined;
      return { response, answer: { status: response.status, text, body: jsonOf(text), location } } as const;
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      return { response, failure: cause instanceof Error ? cause.message : String(cause) } as const;
    }
  };
  return {
    url,
    get: (path) => toManagement(path, { method: "GET" }),
    send: (method, path, { body, headers = {} } = {}) =>
      send(path, {
        method,
        headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    attempt: (method, path, body) =>
      toManagement(
        path,
        {
          method,
          headers: {
            ...(body !== undefined && { "content-type": "application/json" }),
            // A PATCH here names what it adds, so it fits any state. The operator may require the header.
            ...(method === "PATCH" && { "if-match": "*" }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        },
        true,
      ),
    upload(method, path, fileName, content) {
      const form = new FormData();
      form.set("file", new Blob([Uint8Array.from(content)], { type: "application/xml" }), fileName);
      return toManagement(path, { method, body: form });
    },
  };
}

/** The value of a text; `undefined` if it is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Milliseconds until the next try: `Retry-After`, or exponential back-off with jitter. */
function waitOf(attempt: number, response: Response | undefined): number {
  const seconds = Number(response?.headers.get("retry-after"));
  const backoff = Math.min(BACKOFF_MOST_MS, BACKOFF_FIRST_MS * 2 ** attempt) * (0.5 + Math.random() / 2);
  return seconds > 0 ? Math.min(seconds * 1_000, BACKOFF_MOST_MS) : backoff;
}

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
  const url = values.url ?? (environment.BASE_URL || `http://127.0.0.1:${environment.PORT || 3000}`);
  return {
    url: urlOf(url, values["allow-http"] ?? false),
    authorization: environment.ACCESS_TOKEN
      ? `Bearer ${environment.ACCESS_TOKEN}`
      : basic(user, environment.ADMIN_PASSWORD || "admin"),
  };
}

/** The `Authorization` header of Basic authentication. */
export function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;
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
