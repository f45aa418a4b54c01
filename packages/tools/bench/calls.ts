/** Calls the service over HTTP, and reads the database costs of a call from the request log. */
import type { Cost } from "#core/database/table/meter.ts";
import { inLockstep } from "#tools/lockstep.ts";

/** The caller. */
export const administrator = { username: "admin", password: "admin" };

/** Settings of a service with its data in memory. */
export const inMemory = {
  port: 0,
  mtlsPort: undefined,
  dataDirectory: undefined,
  administrator,
  endpoint: undefined,
  deploymentFile: undefined,
};

/** The members of a request record that a benchmark reads. */
export interface LogLine {
  readonly service?: string;
  readonly subject?: string;
  readonly RoundTrips?: number;
  readonly ReadUnits?: number;
  readonly WriteUnits?: number;
}

/** A request. */
export interface Sent {
  readonly path: string;
  readonly body?: unknown;
  /** Uploaded as the part `file`, instead of a body. */
  readonly file?: string;
}

/** Collects the log of the functions while `during` runs in lockstep, so that its round trips are exact. */
export const listening = (during: () => Promise<unknown>): Promise<LogLine[]> => collecting(() => inLockstep(during));

async function collecting(during: () => Promise<unknown>): Promise<LogLine[]> {
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

/** Runs `during` without showing the log of the functions. Returns its result, and the log. */
export async function heard<R>(
  during: () => Promise<R>,
): Promise<{ readonly result: R; readonly lines: readonly LogLine[] }> {
  let result: R | undefined;
  const lines = await collecting(async () => {
    result = await during();
  });
  return { result: result as R, lines };
}

/** The same, for the result alone. */
export async function withoutLog<R>(during: () => Promise<R>): Promise<R> {
  return (await heard(during)).result;
}

/** Sends a request. Returns the JSON of a success, or where it was created, and throws otherwise. */
export async function call(url: string, path: string, init: RequestInit): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}${path}`, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${init.method ?? "GET"} ${path} returned ${answer.status}: ${text}`);
  return text ? (JSON.parse(text) as Record<string, unknown>) : { location: answer.headers.get("location") };
}

/** The costs in a record. */
export function costOf(line: LogLine | undefined): Cost {
  return {
    calls: 0,
    roundTrips: line?.RoundTrips ?? Number.NaN,
    readUnits: line?.ReadUnits ?? Number.NaN,
    writeUnits: line?.WriteUnits ?? Number.NaN,
  };
}

/** Calls a service as its administrator. Returns the JSON body of a success, and throws otherwise. */
export function callWith(url: string) {
  return async (method: string, { path, body, file }: Sent): Promise<unknown> => {
    const form = new FormData();
    if (file !== undefined) form.set("file", new Blob([file]), "application.xml");
    const json = body === undefined ? undefined : JSON.stringify(body);
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: basic(administrator.username, administrator.password),
        ...(json === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(file === undefined ? json !== undefined && { body: json } : { body: form }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} returned ${answer.status}: ${text}`);
    return text === "" || !/json/.test(answer.headers.get("content-type") ?? "") ? undefined : JSON.parse(text);
  };
}

/** The `Authorization` header of Basic authentication. */
export function basic(name: string, secret: string): string {
  return `Basic ${Buffer.from(`${name}:${secret}`).toString("base64")}`;
}

/** Whether a record is that of the authorizer. */
export function isAuthorizer({ service }: LogLine): boolean {
  return service === "authorizer";
}
