/** The functions' log for people: one short line per request in place of the record that CloudWatch gets. */
import { Writable } from "node:stream";

/** The record of a request, as far as the short line shows it. */
interface RequestLine {
  readonly _aws?: unknown;
  readonly service?: string;
  readonly method?: string;
  readonly operation?: string;
  readonly status?: string;
  readonly fault?: string;
  readonly Duration?: number;
  readonly RoundTrips?: number;
}

/** A stream that writes log lines to another: short ones, or the records as they are. */
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

/** The short form of a line; `undefined` for one that says nothing new, the line itself when it is no request's. */
function shorten(line: string): string | undefined {
  if (!line.startsWith('{"_aws"')) return line;
  const { service, method, operation, status, fault, Duration = 0, RoundTrips = 0 } = JSON.parse(line) as RequestLine;
  // What the authorizer decided shows in the answer of the function.
  if (service === "authorizer") return undefined;
  return [status, method, operation || "no operation", `${Duration.toFixed(1)} ms`, `${RoundTrips} round trips`, fault]
    .filter((part) => part !== undefined)
    .join("  ");
}
