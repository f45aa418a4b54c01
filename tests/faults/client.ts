/** An HTTP client that writes down each write with its outcome. */
import { ADMIN, basic } from "#tests/support/world.ts";
import type { Ledger, Outcome } from "./ledger.ts";
import type { FaultyService } from "./service.ts";

/** A response. The status is 0 where none came. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back
  readonly body: any;
  readonly text: string;
  readonly ms: number;
}

/** What to send. */
export interface Send {
  readonly body?: unknown;
  /** Sent as it is, as a form. */
  readonly form?: string;
  /** The `Authorization` header; the administrator's by default, none for `null`. */
  readonly as?: string | null;
  /** Milliseconds until the client gives up; longer than any function may take by default. */
  readonly patienceMs?: number;
}

/** A client of the service. */
export interface Client {
  /** Sends a request and records nothing. A connection that ends is a reply with status 0. */
  send(method: string, path: string, send?: Send): Promise<Reply>;
  /** Sends a write about the resource with this label and records it. */
  write(label: string, method: string, path: string, send?: Send): Promise<{ reply: Reply; outcome: Outcome }>;
  /** Reads. A status from 500 on that no busy database explains is recorded as a broken promise. */
  read(path: string): Promise<Reply>;
}

const PATIENCE_MS = 45_000;
/** Statuses that a busy database may cause. */
const PASSING = new Set([0, 503]);

export const outcomeOf = (status: number): Outcome =>
  status >= 200 && status < 300 ? "acknowledged" : status >= 400 && status < 500 ? "refused" : "unknown";

/** Opens a client. While the service is down, requests wait for it. */
export const newClient = (service: FaultyService, ledger: Ledger): Client => {
  const administrator = basic(ADMIN);
  const send: Client["send"] = async (
    method,
    path,
    { body, form, as = administrator, patienceMs = PATIENCE_MS } = {},
  ) => {
    await service.ready();
    const begun = performance.now();
    const payload = form ?? (body === undefined ? undefined : JSON.stringify(body));
    try {
      const answer = await fetch(service.url + path, {
        method,
        redirect: "manual",
        signal: AbortSignal.timeout(patienceMs),
        headers: {
          ...(as !== null && { authorization: as }),
          ...(payload !== undefined && {
            "content-type": form === undefined ? "application/json" : "application/x-www-form-urlencoded",
          }),
        },
        ...(payload !== undefined && { body: payload }),
      });
      const text = await answer.text();
      const isJson = /json/.test(answer.headers.get("content-type") ?? "");
      return {
        status: answer.status,
        headers: answer.headers,
        text,
        body: text && isJson ? JSON.parse(text) : undefined,
        ms: performance.now() - begun,
      };
    } catch (error) {
      const text = error instanceof Error ? `${error.name} ${String(error.cause ?? "")}` : String(error);
      return { status: 0, headers: new Headers(), text, body: undefined, ms: performance.now() - begun };
    }
  };
  const count = (method: string, reply: Reply): void => {
    const key = `${method === "GET" ? "read" : "write"} ${reply.status}`;
    ledger.statuses.set(key, (ledger.statuses.get(key) ?? 0) + 1);
  };
  const judge = (label: string, method: string, path: string, reply: Reply): void => {
    count(method, reply);
    if (reply.status < 500 || PASSING.has(reply.status)) return;
    ledger.broken(label, `${method} ${path} returned ${reply.status}: ${reply.text.slice(0, 200)}`);
  };
  return {
    send,
    async write(label, method, path, options) {
      await service.ready();
      const kills = service.engineKills();
      const reply = await send(method, path, options);
      // The service repeats a transaction by its token, which DynamoDB knows for ten minutes. An engine that was killed in
      // between has forgotten it, so the service may find its own change there and refuse to make it again.
      const isForgotten = kills !== service.engineKills() && reply.status >= 300;
      const outcome = isForgotten ? "unknown" : outcomeOf(reply.status);
      const sent = options?.form ?? JSON.stringify(options?.body) ?? "";
      ledger.note(
        `${label} ${method} ${path} ${sent.slice(0, 160)} -> ${reply.status} (${Math.round(reply.ms)} ms)` +
          (outcome === "acknowledged" ? "" : ` ${reply.text.slice(0, 160)}`),
      );
      if (isForgotten) count(method, reply);
      else judge(label, method, path, reply);
      return { reply, outcome };
    },
    async read(path) {
      const reply = await send("GET", path);
      judge(`GET ${path}`, "GET", path, reply);
      return reply;
    },
  };
};
