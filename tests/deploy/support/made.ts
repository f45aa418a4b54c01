/** The outputs of resources that the stacks use, as AWS would return them. */

export const ACCOUNT = "123456789012";
/** The region of a stage for which a test names no other. */
export const REGION = "eu-west-1";

/** A resource that the engine creates. */
export interface Made {
  /** For a resource that existed before. */
  readonly id?: string;
  readonly type: string;
  readonly name: string;
  readonly custom?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: any input of the stacks
  readonly inputs: any;
}

/** Builds the ARN of a resource in the region of the evaluation. */
type ArnOf = (service: string, rest: string) => string;

const functionState = (name: string, arn: ArnOf) => {
  const own = arn("lambda", `function:${name}`);
  const invokeArn = (target: string) => {
    const [, , , region] = own.split(":");
    return `arn:aws:apigateway:${region}:lambda:path/2015-03-31/functions/${target}/invocations`;
  };
  return {
    arn: own,
    version: "1",
    qualifiedArn: `${own}:1`,
    invokeArn: invokeArn(own),
    qualifiedInvokeArn: invokeArn(`${own}:1`),
    responseStreamingInvokeArn: invokeArn(own),
    lastModified: "2026-01-01T00:00:00Z",
  };
};

/** The outputs of a resource type, in addition to its inputs. */
const outputsOf: Readonly<Record<string, (made: Made, name: string, arn: ArnOf) => object>> = {
  "random:index/randomBytes:RandomBytes": ({ inputs }) => ({ base64: Buffer.alloc(inputs.length).toString("base64") }),
  "aws:lambda/function:Function": (_, name, arn) => functionState(name, arn),
  "aws:lambda/alias:Alias": ({ inputs }, name, arn) => functionState(`${inputs.functionName}:${name}`, arn),
  "aws:dynamodb/table:Table": (_, name, arn) => ({
    arn: arn("dynamodb", `table/${name}`),
    streamArn: arn("dynamodb", `table/${name}/stream/2026-01-01T00:00:00.000`),
  }),
  "aws:cloudwatch/eventBus:EventBus": (_, name, arn) => ({ arn: arn("events", `event-bus/${name}`) }),
  "aws:sesv2/configurationSet:ConfigurationSet": ({ inputs }, _, arn) => ({
    arn: arn("ses", `configuration-set/${inputs.configurationSetName}`),
  }),
  "aws:sqs/queue:Queue": (_, name, arn) => ({
    arn: arn("sqs", name),
    url: `https://sqs.example.com/${ACCOUNT}/${name}`,
  }),
  "aws:iam/role:Role": (_, name) => ({ arn: `arn:aws:iam::${ACCOUNT}:role/${name}` }),
  "aws:cloudwatch/logGroup:LogGroup": (_, name, arn) => ({ arn: arn("logs", `log-group:${name}`) }),
  "aws:kms/key:Key": (_, name, arn) => ({ arn: arn("kms", `key/${name}`), keyId: name }),
  "aws:cloudwatch/metricAlarm:MetricAlarm": (_, name, arn) => ({ arn: arn("cloudwatch", `alarm:${name}`) }),
  "aws:cloudwatch/eventRule:EventRule": (_, name, arn) => ({ arn: arn("events", `rule/${name}`) }),
  "aws:sns/topic:Topic": (_, name, arn) => ({ arn: arn("sns", name) }),
  "aws:apigatewayv2/api:Api": ({ name }, _, arn) => ({
    apiEndpoint: `https://${name}.example`,
    executionArn: arn("execute-api", name),
  }),
  "aws:apigatewayv2/domainName:DomainName": ({ inputs }) => ({
    domainNameConfiguration: {
      ...inputs.domainNameConfiguration,
      targetDomainName: "gateway.example",
      hostedZoneId: "ZGW",
    },
  }),
  "aws:acm/certificate:Certificate": ({ inputs, name }, _, arn) => ({
    arn: arn("acm", `certificate/${name}`),
    domainValidationOptions: [
      {
        domainName: inputs.domainName,
        resourceRecordName: `_proof.${inputs.domainName}.`,
        resourceRecordType: "CNAME",
        resourceRecordValue: "_proof.acm.example.",
      },
    ],
  }),
  "aws:route53/record:Record": ({ inputs }) => ({ fqdn: inputs.name }),
  "aws:s3/bucket:Bucket": ({ name }) => ({ bucket: name.toLowerCase(), arn: `arn:aws:s3:::${name.toLowerCase()}` }),
  "aws:s3/bucketObjectv2:BucketObjectv2": ({ name }) => ({ versionId: `${name}-1` }),
};

/** The outputs of a resource that is created in a region. */
export const stateOf = (made: Made, region: string): Record<string, unknown> => {
  const name = made.id || (made.inputs.name ?? made.name);
  const arn: ArnOf = (service, rest) => `arn:aws:${service}:${region}:${ACCOUNT}:${rest}`;
  return { ...made.inputs, ...(made.custom && { name }), ...outputsOf[made.type]?.(made, name, arn) };
};

/** The id of a resource; components have none. */
export const idOf = ({ id, type, name, custom, inputs }: Made): string => {
  if (id) return id;
  if (!custom) return "";
  if (type.endsWith(":DomainName")) return inputs.domainName;
  return type.endsWith(":Bucket") ? name.toLowerCase() : `${name}-id`;
};
