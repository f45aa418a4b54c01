/**
 * The saved log queries of a stage. The functions write one line of JSON for each request
 * (packages/core/http/observe.ts), the gateway another one (stacks/api.ts).
 */

/** A saved query. */
export interface SavedQuery {
  /** Its name in CloudWatch, below the name of the stage. */
  readonly name: string;
  readonly source: "functions" | "gateway" | "all";
  readonly text: string;
}

/** Lines of requests, without those of the authorizer. */
const REQUESTS = 'filter ispresent(operation) and service != "authorizer"';

/** Responses with a status of 400 or more, by operation. */
export const errorsByOperation = lines(
  REQUESTS,
  "filter status >= 400",
  "stats count(*) as requests by service, operation, status, fault",
  "sort requests desc",
  "limit 50",
);

/** Latency, by operation. */
export const latencyByOperation = lines(
  REQUESTS,
  "stats count(*) as requests, pct(Duration, 50) as p50, pct(Duration, 99) as p99, max(Duration) as slowest by operation",
  "sort p99 desc",
  "limit 50",
);

/** Round trips and capacity units, by operation. */
export const databaseByOperation = lines(
  REQUESTS,
  "stats avg(RoundTrips) as roundTrips, max(RoundTrips) as mostTrips, avg(ReadUnits) as readUnits, avg(WriteUnits) as writeUnits by operation",
  "sort readUnits desc",
  "limit 50",
);

/** Cold starts and memory, by function. */
export const coldStarts = lines(
  'filter @type = "REPORT"',
  "stats count(*) as calls, count(@initDuration) as coldStarts, pct(@initDuration, 50) as p50, pct(@initDuration, 99) as p99, max(@maxMemoryUsed) / 1000000 as memoryMb by @log",
  "sort coldStarts desc",
);

/** Sign-ins to service providers whose metadata has ended. */
export const endedMetadata = lines(
  'filter event = "saml-metadata-ended"',
  "stats count(*) as signIns, max(@timestamp) as latest by tenant, resource",
  "sort signIns desc",
  "limit 50",
);

/** Every saved query. */
export const savedQueries: readonly SavedQuery[] = [
  { name: "errors by operation", source: "functions", text: errorsByOperation },
  {
    name: "errors by version",
    source: "functions",
    text: lines(
      'filter status >= 500 or level = "ERROR"',
      "stats count(*) as lines by service, version",
      "sort lines desc",
    ),
  },
  { name: "latency by operation", source: "functions", text: latencyByOperation },
  { name: "database cost by operation", source: "functions", text: databaseByOperation },
  { name: "cold starts", source: "functions", text: coldStarts },
  {
    name: "one request by trace id",
    source: "all",
    text: lines('filter traceId = "insert the trace id of the response here"', "sort @timestamp asc"),
  },
  {
    name: "causes of failures",
    source: "functions",
    text: lines(
      'filter level = "ERROR"',
      "fields @timestamp, service, operation, fault, cause.name, cause.message, traceId",
      "sort @timestamp desc",
    ),
  },
  {
    name: "refused sign-ins by source and name",
    source: "functions",
    text: lines(
      'filter message = "sign-in refused"',
      "stats count(*) as attempts by sourceIp, tenant, nameDigest, reason",
      "sort attempts desc",
      "limit 100",
    ),
  },
  {
    name: "denied requests",
    source: "functions",
    text: lines(
      'filter event in ["request-denied", "sign-in-failed", "sign-in-locked"]',
      "fields @timestamp, event, tenant, subject, actor, nameDigest, sourceIp, operation, resource, fault, reason, traceId",
      "sort @timestamp desc",
      "limit 200",
    ),
  },
  {
    name: "refusals by operation and scope",
    source: "functions",
    text: lines(
      'filter decision = "refuse"',
      "stats count(*) as requests by operation, fault, neededScope, sourceIp",
      "sort requests desc",
      "limit 100",
    ),
  },
  {
    name: "who changed what",
    source: "functions",
    text: lines(
      REQUESTS,
      'filter method != "GET" and method != "HEAD" and status < 300',
      "fields @timestamp, tenant, subject, actor, operation, resource, status, traceId",
      "sort @timestamp desc",
    ),
  },
  {
    name: "responses of the gateway itself",
    source: "gateway",
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
