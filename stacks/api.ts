/**
 * The HTTP API: the routes of the catalogue, each behind the authorizer, and those of the page at `/`. All routes of a
 * function share one integration and one permission (decision 0174).
 */
import { routes } from "#core/kernel/operation/derive.ts";
import type { Certified } from "./domains.ts";
import type { ServingFunctions } from "./functions.ts";
import { componentName, type ServingName } from "./plan.ts";
import { GATEWAY_STAGE, type Stage } from "./stage.ts";

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
  const integrations = integrationsOf(gateway, functions);
  for (const { key, service, isOpen } of routes()) {
    new aws.apigatewayv2.Route(`${routeName(key)}Route`, {
      apiId: gateway.nodes.api.id,
      routeKey: key,
      target: $interpolate`integrations/${integrations(service).id}`,
      ...(isOpen ? { authorizationType: "NONE" } : { authorizationType: "CUSTOM", authorizerId: authorizer.id }),
    });
  }
  return gateway;
}

/**
 * The integration of a function, which is created for its first route. SST's own routes have an integration and a
 * permission each: the policy of a function with many routes would not fit into the 20,480 bytes that Lambda allows.
 */
function integrationsOf(gateway: sst.aws.ApiGatewayV2, functions: ServingFunctions) {
  const { api } = gateway.nodes;
  const made = new Map<ServingName, aws.apigatewayv2.Integration>();
  return (service: ServingName): aws.apigatewayv2.Integration => {
    const known = made.get(service);
    if (known) return known;
    const { lambda, qualifier, target } = functions[service];
    const permission = new aws.lambda.Permission(`${componentName(service)}Permission`, {
      action: "lambda:InvokeFunction",
      function: lambda.name,
      ...(qualifier && { qualifier }),
      principal: "apigateway.amazonaws.com",
      // Every route of this API, by the one stage that it has.
      sourceArn: $interpolate`${api.executionArn}/${GATEWAY_STAGE}/*`,
    });
    const integration = new aws.apigatewayv2.Integration(
      `${componentName(service)}Integration`,
      { apiId: api.id, integrationType: "AWS_PROXY", integrationUri: target, payloadFormatVersion: "2.0" },
      { dependsOn: [permission] },
    );
    made.set(service, integration);
    return integration;
  };
}

/** The name of a route's resource, without its end: `ANY /t/{tenant}/scim2/{proxy+}` is `TTenantScim2Proxy`. */
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
