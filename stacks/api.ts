/** The HTTP API: the routes of the catalogue, each behind the authorizer, and those of the page at `/`. */
import { routes } from "#core/operation/derive.ts";
import type { Certified } from "./domains.ts";
import type { ServingFunctions } from "./functions.ts";
import type { Stage } from "./stage.ts";

/**
 * The access log: one line for each request that reaches the gateway, whatever its result. Fields that a caller
 * controls come first. If such a value ever ended its own quotes and added fields, the real fields after it would
 * override them.
 */
const accessLog = {
  path: "$context.path",
  userAgent: "$context.identity.userAgent",
  method: "$context.httpMethod",
  requestId: "$context.requestId",
  time: "$context.requestTime",
  ip: "$context.identity.sourceIp",
  domain: "$context.domainName",
  certificateSerial: "$context.identity.clientCert.serialNumber",
  protocol: "$context.protocol",
  routeKey: "$context.routeKey",
  status: "$context.status",
  responseBytes: "$context.responseLength",
  latencyMs: "$context.responseLatency",
  functionMs: "$context.integrationLatency",
  functionError: "$context.integrationErrorMessage",
  // What the authorizer returned. Its trace id is in the lines of both functions too.
  decision: "$context.authorizer.decision",
  operation: "$context.authorizer.operation",
  tenant: "$context.authorizer.tenant",
  subject: "$context.authorizer.subject",
  actor: "$context.authorizer.actor",
  traceId: "$context.authorizer.traceId",
  authorizerError: "$context.authorizer.error",
  gatewayError: "$context.error.message",
} as const;

/** SST's words for a retention. */
const RETENTION = { 7: "1 week", 30: "1 month", 365: "1 year" } as const;

/** The parts of the API. */
interface Parts {
  readonly stage: Stage;
  readonly functions: ServingFunctions;
  /** The domain of the API; without one it has the name that API Gateway assigns. */
  readonly domain: Certified | undefined;
}

/** Creates the API. */
export function api({ stage, functions, domain }: Parts) {
  const gateway = new sst.aws.ApiGatewayV2("Api", {
    // The functions answer preflight requests: which scripts may read what depends on the operation and the client.
    cors: false,
    accessLog: { retention: RETENTION[stage.logDays] },
    ...(domain && {
      domain: { name: domain.name, cert: domain.certificateArn, dns: sst.aws.dns({ zone: domain.zoneId }) },
    }),
    transform: {
      api: (args) => {
        // The execute-api name would bypass the domains, and with them client certificates.
        args.disableExecuteApiEndpoint = domain !== undefined;
      },
      stage: (args) => {
        args.defaultRouteSettings = {
          throttlingRateLimit: stage.throttle.rate,
          throttlingBurstLimit: stage.throttle.burst,
        };
        args.accessLogSettings = $output(args.accessLogSettings).apply((settings) => ({
          destinationArn: settings?.destinationArn ?? "",
          format: JSON.stringify(accessLog),
        }));
      },
    },
  });
  const authorizer = gateway.addAuthorizer({
    name: "Function",
    lambda: {
      function: functions.authorizer.target,
      payload: "2.0",
      response: "simple",
      // Invoked for every request, also one without a credential, and never cached (decision 0003).
      identitySources: [],
      ttl: "0 seconds",
    },
  });
  for (const { key, service, isOpen } of routes()) {
    gateway.route(key, functions[service].target, {
      name: routeName(key),
      ...(!isOpen && { auth: { lambda: authorizer.id } }),
    });
  }
  return gateway;
}

/** The name of a route's component: `ANY /t/{tenant}/scim2/{proxy+}` is `TTenantScim2Proxy`. */
function routeName(key: string): string {
  if (key === "ANY /") return "Front";
  return key === "$default"
    ? "Default"
    : key
        .replace("ANY", "")
        .split(/[^A-Za-z0-9]+/)
        .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
        .join("");
}
