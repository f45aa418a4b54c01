/** The HTTP API as the command uses it. What passes by itself is tried again; what does not is told. */
import { setTimeout as pause } from "node:timers/promises";

const TRIES = 6;
const BACKOFF_FIRST_MS = 200;
const BACKOFF_MOST_MS = 10_000;
const REQUEST_MS = 60_000;
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** What came back. */
export interface ApiAnswer {
  readonly status: number;
  readonly text: string;
  /** The body, where it is JSON. */
  readonly body: unknown;
  /** Where the thing is that the answer is about, if it says so. */
  readonly location: string | undefined;
}

/** One service, as one caller. */
export interface Api {
  readonly url: string;
  get(path: string): Promise<ApiAnswer>;
  /** Asks for what the run does not stand or fall with: that the caller may not have it (403) is an answer. */
  attempt(method: "GET" | "POST" | "PATCH", path: string, body?: unknown): Promise<ApiAnswer>;
  /** Uploads a file as the part `file`. */
  upload(method: "POST" | "PUT", path: string, fileName: string, content: Uint8Array): Promise<ApiAnswer>;
}

/** Ends a whole run: whatever is asked next would fail likewise. Its message is for people. */
export class RunEnded extends Error {}

/** A member of an answer's body that is text. */
export function textIn(body: unknown, name: string): string | undefined {
  const value = body !== null && typeof body === "object" ? (body as Record<string, unknown>)[name] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** The things of one kind in a body, or in a member of it; `undefined` for what is no list. */
export function listIn(body: unknown, name?: string): readonly unknown[] | undefined {
  const list =
    name !== undefined && body !== null && typeof body === "object" ? (body as Record<string, unknown>)[name] : body;
  return Array.isArray(list) ? list : undefined;
}

/** Why an answer is a refusal, in one line. */
export function reasonOf({ status, body }: ApiAnswer): string {
  const words = [textIn(body, "code"), textIn(body, "description") ?? textIn(body, "message")];
  return [String(status), ...words.filter((word) => word && word !== String(status))].join(" ");
}

/** Opens a service. Its methods throw `RunEnded` when it stays out of reach, or does not let the caller in. */
export function openApi(url: string, authorization: string): Api {
  const send = async (path: string, init: RequestInit, takesRefusal = false): Promise<ApiAnswer> => {
    let trouble = "";
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      let answer: Response | undefined;
      try {
        answer = await fetch(`${url}/api/server/v1${path}`, {
          ...init,
          redirect: "error",
          headers: { ...init.headers, authorization },
          signal: AbortSignal.timeout(REQUEST_MS),
        });
        const text = await answer.text();
        const location = answer.headers.get("location") ?? undefined;
        const given = { status: answer.status, text, body: jsonOf(text), location };
        if (given.status === 401 || (given.status === 403 && !takesRefusal)) {
          throw new RunEnded(`${url} does not let this caller do that: ${reasonOf(given)}`);
        }
        if (!PASSING.has(given.status)) return given;
        trouble = reasonOf(given);
      } catch (error) {
        if (error instanceof RunEnded) throw error;
        const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
        trouble = cause instanceof Error ? cause.message : String(cause);
      }
      if (attempt + 1 < TRIES) await pause(waitOf(attempt, answer));
    }
    throw new RunEnded(`${url} does not answer: ${trouble}`);
  };
  return {
    url,
    get: (path) => send(path, { method: "GET" }),
    attempt: (method, path, body) =>
      send(
        path,
        {
          method,
          ...(body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
        },
        true,
      ),
    upload(method, path, fileName, content) {
      const form = new FormData();
      form.set("file", new Blob([Uint8Array.from(content)], { type: "application/xml" }), fileName);
      return send(path, { method, body: form });
    },
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function waitOf(attempt: number, answer: Response | undefined): number {
  const seconds = Number(answer?.headers.get("retry-after"));
  const backoff = Math.min(BACKOFF_MOST_MS, BACKOFF_FIRST_MS * 2 ** attempt) * (0.5 + Math.random() / 2);
  return seconds > 0 ? Math.min(seconds * 1_000, BACKOFF_MOST_MS) : backoff;
}
