/** The gateway: it has the routes of the catalogue, each behind the authorizer, and only its own domains reach it. */
import { describe, expect, test } from "vitest";
import { routes } from "#core/kernel/operation/derive.ts";
import { componentName } from "../../stacks/plan.ts";
import { deploymentOf, part, type StageName, withoutRandom } from "./support/stages.ts";

const stages: StageName[] = ["production", "staging", "dana"];
const production = deploymentOf("production");

describe.each(stages)("the routes of %s", (stage) => {
  const deployment = deploymentOf(stage);
  const authorizer = deployment.one("aws:apigatewayv2/authorizer:Authorizer", "ApiAuthorizerFunctionAuthorizer");
  const made = new Map(
    deployment
      .ofType("aws:apigatewayv2/route:Route")
      .map(({ name, inputs }) => [String(inputs.routeKey), { name, inputs }]),
  );

  test("are exactly those of the catalogue", () => {
    expect([...made.keys()].sort()).toEqual(
      routes()
        .map(({ key }) => key)
        .sort(),
    );
  });
  test("without the authorizer lead to files that are the same for everyone, and nowhere else", () => {
    const open = [...made].filter(([, { inputs }]) => inputs.authorizationType !== "CUSTOM").map(([key]) => key);
    expect(open.sort()).toEqual(
      ["/", "/openapi.json", ...["/assets", "/docs", "/reference"].flatMap((path) => [path, `${path}/{proxy+}`])]
        .map((path) => `ANY ${path}`)
        .sort(),
    );
  });
  test.each(routes())("$key leads to $service, behind the authorizer unless it is open", ({ key, service, isOpen }) => {
    const route = made.get(key);
    if (!isOpen) {
      expect(route?.inputs).toMatchObject({ authorizationType: "CUSTOM", authorizerId: `${authorizer.name}-id` });
    }
    expect(isOpen === true).toBe(service === "front");
    const name = componentName(service);
    expect(route?.inputs.target).toBe(`integrations/${name}Integration-id`);
    const integration = deployment.one("aws:apigatewayv2/integration:Integration", `${name}Integration`);
    expect(integration.inputs).toMatchObject({ integrationType: "AWS_PROXY", payloadFormatVersion: "2.0" });
    const permission = deployment.one("aws:lambda/permission:Permission", `${name}Permission`);
    expect(integration.dependsOn).toContain(permission.name);
    for (const target of [integration.inputs.integrationUri, permission.inputs.function]) {
      expect(withoutRandom(String(target))).toMatch(new RegExp(`-${name}Function-\\*(:live)?$`));
    }
    // The gateway calls the alias, and may call nothing else.
    expect(String(integration.inputs.integrationUri)).toMatch(/:live$/);
    expect(permission.inputs.qualifier).toBe("live");
  });
  test("invoke the authorizer for every request, without a cache, and with a permission", () => {
    expect(authorizer.inputs).toMatchObject({
      authorizerType: "REQUEST",
      identitySources: [],
      authorizerResultTtlInSeconds: 0,
      authorizerPayloadFormatVersion: "2.0",
      enableSimpleResponses: true,
    });
    expect(withoutRandom(String(authorizer.inputs.authorizerUri))).toContain("-AuthorizerFunction-*:live/invocations");
    const { inputs } = deployment.one("aws:lambda/permission:Permission", "ApiAuthorizerFunctionPermission");
    expect(withoutRandom(String(inputs.function))).toMatch(/-AuthorizerFunction-\*$/);
    expect(inputs.qualifier).toBe("live");
  });
});

describe("the gateway", () => {
  const stageOf = (stage: StageName) => deploymentOf(stage).one("aws:apigatewayv2/stage:Stage", "ApiStage").inputs;

  test("has the throttle of the stage", () => {
    const limits = stages.map((stage) => part(stageOf(stage), "defaultRouteSettings"));
    expect(limits).toEqual([
      { throttlingRateLimit: 1_000, throttlingBurstLimit: 2_000 },
      { throttlingRateLimit: 200, throttlingBurstLimit: 400 },
      { throttlingRateLimit: 50, throttlingBurstLimit: 100 },
    ]);
  });
  test("writes one line of JSON per request, with fields that a caller controls first, so that they override no other field", () => {
    const log = part(stageOf("production"), "accessLogSettings");
    const format = JSON.parse(String(log.format)) as Record<string, string>;
    expect(Object.keys(format).slice(0, 3)).toEqual(["path", "userAgent", "method"]);
    expect(Object.values(format)).toEqual(
      expect.arrayContaining(["$context.requestId", "$context.status", "$context.authorizer.error"]),
    );
    expect(String(log.destinationArn)).toContain(":log-group:/aws/vendedlogs/apis/");
  });
  test("does not handle CORS", () => {
    expect(production.one("aws:apigatewayv2/api:Api", "ApiApi").inputs.corsConfiguration).toEqual({});
  });
});

describe("the domains of the API", () => {
  test("disable the name that AWS assigns", () => {
    const isClosed = (stage: StageName) =>
      deploymentOf(stage).one("aws:apigatewayv2/api:Api", "ApiApi").inputs.disableExecuteApiEndpoint;
    expect(stages.map(isClosed)).toEqual([true, false, false]);
  });
  test("are two for one API: one without client certificates, one that requires them", () => {
    const domains = production.ofType("aws:apigatewayv2/domainName:DomainName").map(({ inputs }) => inputs);
    expect(domains.map(({ domainName }) => domainName).sort()).toEqual(["api.example.com", "mtls.example.com"]);
    for (const { domainName, mutualTlsAuthentication, domainNameConfiguration } of domains) {
      expect(domainNameConfiguration).toMatchObject({ endpointType: "REGIONAL", securityPolicy: "TLS_1_2" });
      expect(mutualTlsAuthentication).toEqual(
        domainName === "mtls.example.com"
          ? { truststoreUri: "s3://truststore/truststore.pem", truststoreVersion: "TruststoreFile-1" }
          : undefined,
      );
    }
    const mappings = production.ofType("aws:apigatewayv2/apiMapping:ApiMapping").map(({ inputs }) => inputs);
    expect(mappings.map(({ domainName }) => domainName).sort()).toEqual(["api.example.com", "mtls.example.com"]);
    for (const mapping of mappings) expect(mapping).toMatchObject({ apiId: "ApiApi-id" });
  });
  test("retain every version of the truststore, in a private bucket", () => {
    const versions = production.one("aws:s3/bucketVersioning:BucketVersioning", "TruststoreVersions");
    expect(versions.inputs.versioningConfiguration).toEqual({ status: "Enabled" });
    expect(
      production.one("aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock", "TruststoreAccess").inputs,
    ).toMatchObject({
      blockPublicAcls: true,
      blockPublicPolicy: true,
      ignorePublicAcls: true,
      restrictPublicBuckets: true,
    });
  });
  test("resolve to the gateway by IPv4 and IPv6", () => {
    const aliases = production.ofType("aws:route53/record:Record").filter(({ inputs }) => inputs.aliases);
    expect(aliases.map(({ inputs }) => `${inputs.name} ${inputs.type}`).sort()).toEqual([
      "api.example.com A",
      "api.example.com AAAA",
      "mtls.example.com A",
      "mtls.example.com AAAA",
    ]);
  });
});
