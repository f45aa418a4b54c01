/** The outputs of resources that the stacks use, as AWS would return them. */

export const ACCOUNT = "123456789012";
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

const arn = (service: string, rest: string): string => `arn:aws:${service}:${REGION}:${ACCOUNT}:${rest}`;

const invokeArn = (target: string): string =>
  `arn:aws:apigateway:${REGION}:lambda:path/2015-03-31/functions/${target}/invocations`;

const functionState = (name: string) => {
  const own = arn("lambda", `function:${name}`);
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
const outputsOf: Readonly<Record<string, (made: Made, name: string) => object>> = {
  "random:index/randomBytes:RandomBytes": ({ inputs }) => ({ base64: Buffer.alloc(inputs.length).toString("base64") }),
  "aws:lambda/function:Function": (_, name) => functionState(name),
  "aws:lambda/alias:Alias": ({ inputs }, name) => functionState(`${inputs.functionName}:${name}`),
  "aws:dynamodb/table:Table": (_, name) => ({
    arn: arn("dynamodb", `table/${name}`),
    streamArn: arn("dynamodb", `table/${name}/stream/2026-01-01T00:00:00.000`),
  }),
  "aws:cloudwatch/eventBus:EventBus": (_, name) => ({ arn: arn("events", `event-bus/${name}`) }),
  "aws:sqs/queue:Queue": (_, name) => ({
    arn: arn("sqs", name),
    url: `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${name}`,
  }),
  "aws:iam/role:Role": (_, name) => ({ arn: `arn:aws:iam::${ACCOUNT}:role/${name}` }),
  "aws:cloudwatch/logGroup:LogGroup": (_, name) => ({ arn: arn("logs", `log-group:${name}`) }),
  "aws:kms/key:Key": (_, name) => ({ arn: arn("kms", `key/${name}`), keyId: name }),
  "aws:cloudwatch/metricAlarm:MetricAlarm": (_, name) => ({ arn: arn("cloudwatch", `alarm:${name}`) }),
  "aws:cloudwatch/eventRule:EventRule": (_, name) => ({ arn: arn("events", `rule/${name}`) }),
  "aws:sns/topic:Topic": (_, name) => ({ arn: arn("sns", name) }),
  "aws:apigatewayv2/api:Api": ({ name }) => ({
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
  "aws:acm/certificate:Certificate": ({ inputs, name }) => ({
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

/** The outputs of a resource. */
export const stateOf = (made: Made): Record<string, unknown> => {
  const name = made.id || (made.inputs.name ?? made.name);
  return { ...made.inputs, ...(made.custom && { name }), ...outputsOf[made.type]?.(made, name) };
};

/** The id of a resource; components have none. */
export const idOf = ({ id, type, name, custom, inputs }: Made): string => {
  if (id) return id;
  if (!custom) return "";
  if (type.endsWith(":DomainName")) return inputs.domainName;
  return type.endsWith(":Bucket") ? name.toLowerCase() : `${name}-id`;
};
