/**
 * The log of the local service: one short line per request instead of the records for CloudWatch. The gateway knows
 * what was asked; the records of the functions, which come before it answers, know what became of it.
 */
import { Writable } from "node:stream";

/** The members of a request record that the short line shows. */
interface RequestLine {
  readonly _aws?: unknown;
  readonly traceId?: string;
  readonly service?: string;
  readonly method?: string;
  readonly operation?: string;
  readonly status?: string;
  readonly fault?: string;
  readonly ignored?: string;
  readonly subject?: string;
  readonly neededScope?: string;
  /** Why a sign-in was refused, in words. */
  readonly refused?: string;
  readonly Duration?: number;
  readonly RoundTrips?: number;
  /** Messages that a run of deliveries handed over. */
  readonly EventsDelivered?: number;
}

/** A request that the gateway has answered. */
export interface Answered {
  readonly traceId: string | undefined;
  readonly method: string;
  /** Without parameters: they may contain a secret. */
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  /** The user name of a Basic credential. */
  readonly user: string | undefined;
}

/** The log of a service. */
export interface ReadableLog {
  /** Takes the lines of the functions. */
  readonly stream: Writable;
  /** Writes the line of a request. */
  readonly answered: (request: Answered) => void;
}

const reasons: Readonly<Record<string, string>> = {
  password: "wrong password",
  unknown: "unknown user",
  locked: "locked after wrong passwords",
  inactive: "user or tenant is inactive",
};
/** Records of requests that are not answered yet. */
const WAITING_MOST = 1_000;
const PATH_MOST = 120;

/** A log that writes to a stream: short lines, or the full records. */
export function readableLog(to: Writable, asRecords: boolean): ReadableLog {
  if (asRecords) return { stream: to, answered: () => undefined };
  const waiting = new Map<string, RequestLine>();
  const keep = (traceId: string, more: RequestLine): void => {
    waiting.set(traceId, { ...waiting.get(traceId), ...more });
    const [oldest] = waiting.keys();
    if (waiting.size > WAITING_MOST && oldest !== undefined) waiting.delete(oldest);
  };
  const take = (line: string): string | undefined => {
    const record = recordOf(line);
    if (!record) return line;
    const { traceId, service, neededScope, refused } = record;
    if (!traceId) return shortLine(record);
    // The record of the function shows what the authorizer decided, except for why it refuses.
    if (service !== "authorizer") keep(traceId, record);
    else if (neededScope !== undefined) keep(traceId, { neededScope });
    else if (refused !== undefined) keep(traceId, { refused });
    return undefined;
  };
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _, done) {
      const line = take(String(chunk).replace(/\n$/, ""));
      if (line !== undefined) to.write(`${line}\n`);
      done();
    },
  });
  const answered = (request: Answered): void => {
    const record = (request.traceId !== undefined && waiting.get(request.traceId)) || {};
    if (request.traceId !== undefined) waiting.delete(request.traceId);
    to.write(`${lineOf(request, record)}\n`);
  };
  return { stream, answered };
}

/** A record of a request, or of a refused sign-in. Other lines are none. */
function recordOf(line: string): RequestLine | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const record = JSON.parse(line) as RequestLine & { readonly event?: string; readonly reason?: string };
    if (record._aws !== undefined) return record;
    if (record.event !== "sign-in-failed" || record.traceId === undefined) return undefined;
    return {
      traceId: record.traceId,
      refused: reasons[record.reason ?? ""] ?? "sign-in refused",
      service: "authorizer",
    };
  } catch {
    return undefined;
  }
}

function lineOf({ method, path, status, durationMs, user }: Answered, record: RequestLine): string {
  const { operation, RoundTrips = 0, fault, neededScope, refused, ignored, subject } = record;
  const why = refused ?? (neededScope === undefined ? fault : `needs the scope ${neededScope}`);
  return joined([
    new Date().toISOString().slice(11, 23),
    String(status),
    method.padEnd(6),
    path.length > PATH_MOST ? `${path.slice(0, PATH_MOST)}...` : path,
    operation || undefined,
    `${durationMs.toFixed(1)} ms`,
    `${RoundTrips} round trips`,
    user ?? subject ?? "no credential",
    status >= 400 ? why : undefined,
    ignored && `ignored ${ignored}`,
  ]).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "?");
}

/** The line of a record that no request of the gateway has. */
function shortLine({ service, method, operation, status, fault, ignored, ...costs }: RequestLine): string | undefined {
  if (service === "authorizer") return undefined;
  // What fails has a line of its own.
  const { EventsDelivered: delivered } = costs;
  if (delivered !== undefined) return delivered === 0 ? undefined : `${service}  ${delivered} delivered`;
  const { Duration = 0, RoundTrips = 0 } = costs;
  const cost = [`${Duration.toFixed(1)} ms`, `${RoundTrips} round trips`];
  return joined([status, method, operation || "no operation", ...cost, fault, ignored && `ignored ${ignored}`]);
}

function joined(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join("  ");
}
