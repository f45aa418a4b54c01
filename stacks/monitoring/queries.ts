/**
 * Questions to the logs that operators ask again and again, saved with the stage. The functions write one line of JSON for
 * each request (packages/core/http/observe.ts), the gateway another (stacks/api.ts).
 */

/** A saved question. */
export interface SavedQuery {
  /** What it is called in CloudWatch, below the name of the stage. */
  readonly name: string;
  readonly asks: "functions" | "gateway";
  readonly text: string;
}

/** A line of a request, and not of the authorizer's decision on it. */
const REQUESTS = 'filter ispresent(operation) and service != "authorizer"';

/** Answers by operation that were not a success. */
export const errorsByOperation = lines(
  REQUESTS,
  "filter status >= 400",
  "stats count(*) as requests by service, operation, status, fault",
  "sort requests desc",
  "limit 50",
);

/** How long operations take. */
export const latencyByOperation = lines(
  REQUESTS,
  "stats count(*) as requests, pct(Duration, 50) as p50, pct(Duration, 99) as p99, max(Duration) as slowest by operation",
  "sort p99 desc",
  "limit 50",
);

/** What operations cost in the table. */
export const databaseByOperation = lines(
  REQUESTS,
  "stats avg(RoundTrips) as roundTrips, max(RoundTrips) as mostTrips, avg(ReadUnits) as readUnits, avg(WriteUnits) as writeUnits by operation",
  "sort readUnits desc",
  "limit 50",
);

/** How often and for how long a function had to start first. */
export const coldStarts = lines(
  'filter @type = "REPORT"',
  "stats count(*) as calls, count(@initDuration) as coldStarts, pct(@initDuration, 50) as p50, pct(@initDuration, 99) as p99, max(@maxMemoryUsed) / 1000000 as memoryMb by @log",
  "sort coldStarts desc",
);

/** Every question that is saved. */
export const savedQueries: readonly SavedQuery[] = [
  { name: "errors by operation", asks: "functions", text: errorsByOperation },
  { name: "latency by operation", asks: "functions", text: latencyByOperation },
  { name: "database cost by operation", asks: "functions", text: databaseByOperation },
  { name: "cold starts", asks: "functions", text: coldStarts },
  {
    name: "one request by its trace id",
    asks: "functions",
    text: lines('filter traceId = "put the traceId of the answer here"', "sort @timestamp asc"),
  },
  {
    name: "causes of failures",
    asks: "functions",
    text: lines(
      'filter level = "ERROR"',
      "fields @timestamp, service, operation, fault, cause.name, cause.message, traceId",
      "sort @timestamp desc",
    ),
  },
  {
    name: "refused sign-ins by source and name",
    asks: "functions",
    text: lines(
      'filter message = "sign-in refused"',
      "stats count(*) as attempts by sourceIp, tenant, nameDigest, reason",
      "sort attempts desc",
      "limit 100",
    ),
  },
  {
    name: "refusals by operation and scope",
    asks: "functions",
    text: lines(
      'filter decision = "refuse"',
      "stats count(*) as requests by operation, fault, neededScope, sourceIp",
      "sort requests desc",
      "limit 100",
    ),
  },
  {
    name: "who changed what",
    asks: "functions",
    text: lines(
      REQUESTS,
      'filter method != "GET" and method != "HEAD" and status < 300',
      "fields @timestamp, tenant, subject, operation, status, traceId",
      "sort @timestamp desc",
    ),
  },
  {
    name: "answers that the gateway gave itself",
    asks: "gateway",
    text: lines(
      'filter gatewayError != "-" or authorizerError != "-" or functionError != "-"',
      "stats count(*) as requests by status, gatewayError, authorizerError, functionError, domain",
      "sort requests desc",
    ),
  },
];

function lines(...parts: readonly string[]): string {
  return parts.join("\n| ");
}
