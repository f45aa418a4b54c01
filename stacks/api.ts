/** The HTTP API: the routes of the catalogue, each behind the authorizer. */
import { routes } from "#core/operation/derive.ts";
import type { Certified } from "./domains.ts";
import type { FunctionName } from "./plan.ts";
import type { Stage } from "./stage.ts";

/**
 * One line for each request that reaches the gateway, whatever became of it. What callers write themselves stands first: if
 * it should ever end its own quotes, the fields behind it are read in place of those that it made up.
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
  answerBytes: "$context.responseLength",
  latencyMs: "$context.responseLatency",
  functionMs: "$context.integrationLatency",
  functionError: "$context.integrationErrorMessage",
  authorizerStatus: "$context.authorizer.status",
  authorizerError: "$context.authorizer.error",
  gatewayError: "$context.error.message",
} as const;

/** What the API is made of. */
interface Parts {
  readonly stage: Stage;
  readonly functions: Readonly<Record<FunctionName, sst.aws.Function>>;
  /** The name that it answers on; without one, the name that API Gateway gives it. */
  readonly domain: Certified | undefined;
}

/** Makes the API. */
export function api({ stage, functions, domain }: Parts) {
  const gateway = new sst.aws.ApiGatewayV2("Api", {
    // Preflights are for the functions to answer: the origins that are allowed are the applications'.
    cors: false,
    accessLog: { retention: stage.logRetention },
    ...(domain && {
      domain: { name: domain.name, cert: domain.certificateArn, dns: sst.aws.dns({ zone: domain.zoneId }) },
    }),
    transform: {
      api: (args) => {
        // Under its own name the API would be reached around the domains, and so around client certificates.
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
      function: functions.authorizer.arn,
      payload: "2.0",
      response: "simple",
      // Asked about every request, also one without a credential, and never answered for from memory (decision 0003).
      identitySources: [],
      ttl: "0 seconds",
    },
  });
  for (const { key, service } of routes()) {
    gateway.route(key, functions[service].arn, { name: routeName(key), auth: { lambda: authorizer.id } });
  }
  return gateway;
}

/** The name of a route's component: `ANY /t/{tenant}/scim2/{proxy+}` is `TTenantScim2Proxy`. */
function routeName(key: string): string {
  return key === "$default"
    ? "Default"
    : key
        .replace("ANY", "")
        .split(/[^A-Za-z0-9]+/)
        .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
        .join("");
}
