/** Sends requests: address, headers, retries of temporary failures, and a new token after 401. */
import { type Authorization, authorizationOf, type Credentials } from "./credentials.ts";
import { Fault, faultOf, parsed } from "./faults.ts";

/** What a client is made of. */
export interface ClientOptions {
  /** The origin of the service; it may end in `/t/<tenant>`. No other path. */
  readonly url: string;
  /** The domain of a tenant: adds `/t/<tenant>` to the address. */
  readonly tenant?: string | undefined;
  readonly credentials: Credentials;
  /** Attempts at one request, the first one included. Default 5. */
  readonly attempts?: number | undefined;
  /** Milliseconds that one attempt may take. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Allows `http:` to another machine, which shows the credential to the network. */
  readonly allowHttp?: boolean | undefined;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Headers of every request, such as `User-Agent`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What every request may have, besides what its route takes. */
export interface RequestOptions {
  /** The service makes all checks, answers as it would, and changes nothing (docs/dry-run.md). */
  readonly dryRun?: boolean | undefined;
  /** The entity tag that the resource must have, or `*`. Otherwise the fault is `changed`. */
  readonly ifMatch?: string | undefined;
  /** In place of a random key: makes a POST or PATCH repeatable beyond this process (docs/retries.md). */
  readonly idempotencyKey?: string | undefined;
  /** Further headers. `authorization` takes the place of the client's own; an empty one sends none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Scalar = string | number | boolean;

/** A request with a path that the program computes. */
export interface SendOptions extends RequestOptions {
  readonly query?: Readonly<Record<string, Scalar | undefined>> | undefined;
  /** JSON, unless it is a form (`URLSearchParams`) or an upload (`FormData`). */
  readonly body?: unknown;
}

/** An answer of the service. */
export interface Reply<T> {
  readonly status: number;
  readonly headers: Response["headers"];
  /** The JSON value, or the text of another media type; `undefined` without content. */
  readonly body: T;
  /** The last segment of `Location`: the id of what was created. Empty without one. */
  readonly id: string;
  readonly location: string | undefined;
  readonly etag: string | undefined;
  /** True for a rehearsal: nothing has changed. */
  readonly dryRun: boolean;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Sends requests to one address with one credential. */
export interface Transport {
  /** The address with the path of its tenant, without a slash at the end. */
  readonly url: string;
  token(): Promise<string | undefined>;
  send(method: Method, path: string, options?: SendOptions): Promise<Reply<unknown>>;
}

const ATTEMPTS = 5;
const TIMEOUT_MS = 60_000;
const BACKOFF_FIRST_MS = 200;
const BACKOFF_MOST_MS = 10_000;
const TEMPORARY: readonly number[] = [429, 502, 503, 504];
/** The path of a service, or of one of its tenants. */
const PATH = /^(\/+|\/t\/[^/]+\/*)$/;
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Opens a transport. Throws a `TypeError` for an address or a credential that cannot be used. */
export function transportOf(options: ClientOptions): Transport {
  const { attempts = ATTEMPTS, timeoutMs = TIMEOUT_MS, fetch: given } = options;
  const url = addressOf(options);

  /** One request until it has an answer that another attempt would not change. */
  const exchange = async (route: string, to: string, init: RequestInit, signal: AbortSignal | undefined) => {
    for (let attempt = 1; ; attempt += 1) {
      let response: Response | undefined;
      let cause: unknown;
      try {
        const timeout = AbortSignal.timeout(timeoutMs);
        response = await (given ?? fetch)(to, {
          ...init,
          redirect: "error",
          signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        });
        const text = await response.text();
        if (attempt >= attempts || !isTemporary(response)) return { response, text };
      } catch (error) {
        signal?.throwIfAborted();
        cause = error;
        if (attempt >= attempts) throw unreachable(route, url, cause);
      }
      await pause(waitOf(attempt, response), signal);
    }
  };

  const authorization: Authorization = authorizationOf(options.credentials, (form, header) =>
    exchange(
      "POST /oauth2/token",
      `${url}/oauth2/token`,
      { method: "POST", body: form, headers: { ...options.headers, authorization: header } },
      undefined,
    ),
  );

  return {
    url,
    token: () => authorization.token(),
    async send(method, path, request = {}) {
      const { body, headers: { authorization: given } = {}, signal } = request;
      const route = `${method} ${path}`;
      const to = `${url}${path}${questionOf(request)}`;
      const headers = headersOf(method, { ...request, headers: { ...options.headers, ...request.headers } });
      const sent = { method, ...(body !== undefined && { body: isJson(body) ? JSON.stringify(body) : body }) };
      for (let attempt = 1; ; attempt += 1) {
        const credential = given ?? (await authorization.header());
        const init = { ...sent, headers: { ...headers, ...(credential && { authorization: credential }) } };
        const { response, text } = await exchange(route, to, init as RequestInit, signal);
        const isFirst = attempt === 1 && given === undefined;
        if (isOfOther(response, text)) throw otherService(route, url, response);
        if (response.status === 401 && isFirst && authorization.forget(credential)) continue;
        if (!response.ok) throw faultOf(route, response, text);
        return replyOf(response, text);
      }
    },
  };
}

function isJson(body: unknown): boolean {
  return !(body instanceof URLSearchParams || body instanceof FormData);
}

function questionOf({ query, dryRun }: SendOptions): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, dryRun: dryRun ? true : undefined })) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size > 0 ? `?${parameters}` : "";
}

/** The headers of a request, but for the credential. */
function headersOf(method: Method, { body, ifMatch, idempotencyKey, headers }: SendOptions) {
  const { authorization: _, ...given } = headers ?? {};
  const isRepeatable = method === "POST" || method === "PATCH";
  return {
    ...(body !== undefined && isJson(body) && { "content-type": "application/json" }),
    ...(ifMatch !== undefined && { "if-match": ifMatch }),
    ...(isRepeatable && { "idempotency-key": `"${idempotencyKey ?? crypto.randomUUID()}"` }),
    ...given,
  };
}

function addressOf({ url: given, tenant, allowHttp }: ClientOptions): string {
  if (!URL.canParse(given)) throw new TypeError(`"${given}" is not a URL.`);
  const { protocol, hostname, username, pathname, search, hash } = new URL(given);
  if (!/^https?:$/.test(protocol) || username || search || hash || !PATH.test(pathname)) {
    throw new TypeError(
      "The URL must be an http(s) origin, such as https://identity.example.com, optionally with /t/<tenant>, " +
        "and without a user name or another path.",
    );
  }
  if (protocol === "http:" && !LOOPBACK.test(hostname) && !allowHttp) {
    throw new TypeError(`http would send the credential to ${hostname} in clear text. Use https, or set allowHttp.`);
  }
  const address = given.replace(/\/+$/, "");
  if (tenant === undefined) return address;
  if (tenant === "") throw new TypeError("The tenant is empty. Name one, or leave it out.");
  if (/\/t\/[^/]+$/.test(address)) throw new TypeError("The tenant is in the URL and in `tenant`. Set one of them.");
  return `${address}/t/${encodeURIComponent(tenant)}`;
}

/** 409 with Retry-After: another attempt with the same key has not ended. */
function isTemporary({ status, headers }: Response): boolean {
  return TEMPORARY.includes(status) || (status === 409 && headers.has("retry-after"));
}

function replyOf(response: Response, text: string): Reply<unknown> {
  const location = response.headers.get("location") ?? undefined;
  const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? undefined : isJson ? parsed(text) : text,
    id: decodeURIComponent(location?.split("?")[0]?.split("/").at(-1) ?? ""),
    location,
    etag: response.headers.get("etag") ?? undefined,
    dryRun: response.headers.get("dry-run") === "true",
  };
}

/** Gateways and proxies in front of the service answer these in a form of their own. */
const OF_GATEWAYS: readonly number[] = [407, 408, 413, 414, 429, 431];

/** Whether an answer comes from another service: it has no id of a request, and no JSON. */
function isOfOther({ status, headers }: Response, text: string): boolean {
  if (headers.has("x-correlation-id") || status >= 500 || OF_GATEWAYS.includes(status)) return false;
  return text !== "" && parsed(text) === undefined;
}

function otherService(route: string, url: string, { status, headers }: Response): Fault {
  const type = headers.get("content-type")?.split(";")[0] ?? "no media type";
  const detail = `${url} is no Identity Admin API: it answered ${status} with ${type} in place of JSON.`;
  return new Fault({ route, status: 0, detail });
}

function unreachable(route: string, url: string, error: unknown): Fault {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const why = cause instanceof Error ? cause.message || cause.name : String(cause);
  return new Fault({ route, status: 0, detail: `${url} cannot be reached: ${whyPlain(url, why)}`, cause: error });
}

/** Why a connection failed. The texts of TLS do not say that the other side speaks without it, or the reverse. */
function whyPlain(url: string, why: string): string {
  const isTls = url.startsWith("https:");
  if (isTls && /wrong version number|packet length too long/i.test(why)) {
    return "this port does not speak TLS. Is its address http:?";
  }
  if (!isTls && /other side closed|socket hang up|does not match the HTTP|ECONNRESET|Parse Error/i.test(why)) {
    return `${why}. Is its address https:?`;
  }
  return why;
}

/** Milliseconds until the next attempt: `Retry-After`, or exponential back-off with jitter. */
function waitOf(attempt: number, response: Response | undefined): number {
  const seconds = Number(response?.headers.get("retry-after"));
  const backoff = BACKOFF_FIRST_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
  return Math.min(seconds > 0 ? seconds * 1_000 : backoff, BACKOFF_MOST_MS);
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}
