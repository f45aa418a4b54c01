/** Calling the service over HTTP, and reading from its request log what a call cost in the database. */
import type { Cost } from "#core/table/meter.ts";

/** Who calls. */
export const administrator = { username: "admin", password: "admin" };

/** A line of the request log, as far as a benchmark reads it. */
export interface LogLine {
  readonly service?: string;
  readonly subject?: string;
  readonly RoundTrips?: number;
  readonly ReadUnits?: number;
  readonly WriteUnits?: number;
}

/** What is sent. */
export interface Sent {
  readonly path: string;
  readonly body?: unknown;
  /** Uploaded as the part `file`, in place of a body. */
  readonly file?: string;
}

/** Listens to the functions' log while something is done. */
export async function listening(during: () => Promise<unknown>): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  const { log } = console;
  console.log = (text: unknown) => {
    if (typeof text === "string" && text.startsWith("{")) lines.push(JSON.parse(text) as LogLine);
  };
  try {
    await during();
  } finally {
    console.log = log;
  }
  return lines;
}

/** What a line of the log says about cost. */
export function costOf(line: LogLine | undefined): Cost {
  return {
    calls: 0,
    roundTrips: line?.RoundTrips ?? Number.NaN,
    readUnits: line?.ReadUnits ?? Number.NaN,
    writeUnits: line?.WriteUnits ?? Number.NaN,
  };
}

/** Calls a service as its administrator; answers the body of a success as JSON, and throws otherwise. */
export function callWith(url: string) {
  return async (method: string, { path, body, file }: Sent): Promise<unknown> => {
    const { username, password } = administrator;
    const form = new FormData();
    if (file !== undefined) form.set("file", new Blob([file]), "application.xml");
    const json = body === undefined ? undefined : JSON.stringify(body);
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
        ...(json === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(file === undefined ? json !== undefined && { body: json } : { body: form }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return text === "" || !/json/.test(answer.headers.get("content-type") ?? "") ? undefined : JSON.parse(text);
  };
}

/** Whether a line is the authorizer's. */
export function isAuthorizer({ service }: LogLine): boolean {
  return service === "authorizer";
}
