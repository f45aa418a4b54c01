/** The log of the local service: one short line per request instead of the record for CloudWatch. */
import { Writable } from "node:stream";

/** The members of a request record that the short line shows. */
interface RequestLine {
  readonly _aws?: unknown;
  readonly service?: string;
  readonly method?: string;
  readonly operation?: string;
  readonly status?: string;
  readonly fault?: string;
  readonly ignored?: string;
  readonly Duration?: number;
  readonly RoundTrips?: number;
}

/** A stream that writes log lines to another one: short lines, or the full records. */
export function readableLog(to: Writable, asRecords: boolean): Writable {
  if (asRecords) return to;
  return new Writable({
    decodeStrings: false,
    write(chunk: string, _, done) {
      const line = shorten(String(chunk).replace(/\n$/, ""));
      if (line !== undefined) to.write(`${line}\n`);
      done();
    },
  });
}

/** The short form of a record; `undefined` for a redundant one. Other lines stay unchanged. */
function shorten(line: string): string | undefined {
  if (!line.startsWith('{"_aws"')) return line;
  const { service, method, operation, status, fault, ignored, ...costs } = JSON.parse(line) as RequestLine;
  const { Duration = 0, RoundTrips = 0 } = costs;
  // The record of the function shows what the authorizer decided.
  if (service === "authorizer") return undefined;
  const cost = [`${Duration.toFixed(1)} ms`, `${RoundTrips} round trips`];
  return [status, method, operation || "no operation", ...cost, fault, ignored && `ignored ${ignored}`]
    .filter((part) => part !== undefined)
    .join("  ");
}
