/** The functions, each from its row in plan.ts: code, settings, rights, log. */
import { join, relative } from "node:path";
import { NAMESPACE_VARIABLE, namespaceOf } from "#core/http/metric-names.ts";
import {
  answerKeysOf,
  canarySecretOf,
  cursorKeyOf,
  eventKeyOf,
  eventKeysOf,
  eventSigningKeysOf,
  factorKeysOf,
  formKeyOf,
  logoutKeyOf,
  nonceKeyOf,
  samlKeysOf,
} from "#core/kernel/seal.ts";
import { bundling } from "./bundling.ts";
import { frontDirectory } from "./front.ts";
import type { FunctionPlan } from "./function-plan.ts";
import {
  componentName,
  type FunctionName,
  hasSecrets,
  isBackground,
  isBehindGateway,
  isFollower,
  plan,
  type ServingName,
  servingNames,
} from "./plan.ts";
import type { Secrets } from "./secrets.ts";
import { DEPLOYMENT_FILE, LIVE_ALIAS, logGroupOf, type Settings, type Stage } from "./stage.ts";
import { statementsOf } from "./statements.ts";

/** What Lambda does in the name of a function that runs in a network. AWS defines no narrower resource for them. */
const networkActions = [
  "ec2:CreateNetworkInterface",
  "ec2:DescribeNetworkInterfaces",
  "ec2:DescribeSubnets",
  "ec2:DeleteNetworkInterface",
  "ec2:AssignPrivateIpAddresses",
  "ec2:UnassignPrivateIpAddresses",
];

/** Where the files of the page are, next to a bundle. */
const FRONT_FOLDER = "front";

/** The folder into which Lambda unpacks a function. */
const TASK_ROOT = "/var/task";

/** What all functions use. */
export interface FunctionParts {
  readonly stage: Stage;
  readonly settings: Settings;
  readonly table: sst.aws.Dynamo;
  readonly secrets: Secrets;
  /** Encrypts the variables with secrets. */
  readonly variablesKey: aws.kms.Key | undefined;
  /** What the synthetic check looks at. */
  readonly checked?: Checked;
  /** The public address of the stage, for functions that are created after the gateway. */
  readonly origin?: $util.Output<string>;
  /** Where changes go. */
  readonly feed?: FeedParts;
  /** By which mails leave, where Amazon SES sends them. */
  readonly mailSet?: aws.sesv2.ConfigurationSet;
}

/** Where changes go. */
export interface FeedParts {
  readonly bus: aws.cloudwatch.EventBus;
  /** What could not be delivered. */
  readonly failures: aws.sqs.Queue;
}

/** What the synthetic check looks at. */
export interface Checked {
  /** The public address of the stage. */
  readonly url: $util.Output<string>;
  /** When the first authority of client certificates expires; `undefined` where there is none. */
  readonly authoritiesUntil: Date | undefined;
}

/** A function with its log. */
export interface MadeFunction {
  readonly lambda: sst.aws.Function;
  readonly log: aws.cloudwatch.LogGroup;
  /** What the gateway calls: the alias, or the function itself where it has none. */
  readonly target: $util.Output<string>;
  /** The alias; absent where it has none. */
  readonly qualifier?: $util.Output<string>;
}

/** The functions of every stage. */
export type ServingFunctions = Readonly<Record<ServingName, MadeFunction>>;

/** Creates the functions of every stage. */
export function functions(parts: FunctionParts): ServingFunctions {
  return Object.fromEntries(servingNames.map((name) => [name, makeFunction(name, parts)])) as ServingFunctions;
}

/** Creates one function. */
export function makeFunction(name: FunctionName, parts: FunctionParts): MadeFunction {
  const row: FunctionPlan = plan[name];
  const { stage, table, feed } = parts;
  const key = hasSecrets(row) ? parts.variablesKey : undefined;
  const log = new aws.cloudwatch.LogGroup(`${componentName(name)}LogGroup`, {
    name: logGroupOf(stage.name, name),
    retentionInDays: stage.logDays,
  });
  // A deployment invokes the bootstrap function when `sst dev` may not serve it yet, and changes wait for no developer.
  const isLive = $dev && name !== "bootstrap" && !isBackground(name);
  // A live function is a stub, which has no versions worth going back to.
  const hasAlias = isBehindGateway(name) && !isLive;
  const network = networkOf(row, parts);
  const lambda = new sst.aws.Function(componentName(name), {
    handler: `functions/${name}.handler`,
    description: row.description,
    runtime: "nodejs24.x",
    architecture: "arm64",
    memory: row.memory,
    timeout: row.timeout,
    ...concurrencyOf(name, parts),
    versioning: hasAlias,
    nodejs: bundling,
    copyFiles: copiesOf(row),
    environment: {
      ...variablesOf(row, parts),
      POWERTOOLS_LOG_LEVEL: stage.logLevel,
      [NAMESPACE_VARIABLE]: namespaceOf(stage.name),
    },
    ...network,
    // Text: the functions write JSON themselves, and CloudWatch finds no metrics in Lambda's JSON envelope.
    logging: { logGroup: log.name, format: "text" },
    permissions: [
      ...statementsOf(row).map(({ effect, actions, conditions }) => ({
        effect,
        actions: [...actions],
        resources: [table.arn],
        conditions: conditions.map(({ values, ...condition }) => ({ ...condition, values: [...values] })),
      })),
      { actions: ["logs:CreateLogStream", "logs:PutLogEvents"], resources: [$interpolate`${log.arn}:*`] },
      { actions: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"], resources: ["*"] },
      ...(key ? [{ actions: ["kms:Decrypt"], resources: [key.arn] }] : []),
      ...(isFollower(name) && feed ? followingOf(table, feed) : []),
      ...(row.needs.includes("mail") ? mailingOf(parts) : []),
      ...(row.needs.includes("bus") && feed ? [{ actions: ["events:PutEvents"], resources: [feed.bus.arn] }] : []),
      ...("vpc" in network ? [{ actions: networkActions, resources: ["*"] }] : []),
    ],
    transform: {
      function: (args) => {
        args.tracingConfig = { mode: "Active" };
        if (key) args.kmsKeyArn = key.arn;
      },
      role: (args) => {
        // SST lets the whole account assume the role. Only live functions need that.
        if (!isLive) args.assumeRolePolicy = aws.iam.assumeRolePolicyForPrincipal({ Service: "lambda.amazonaws.com" });
        // AWS's managed policies let a function write to every log group of the account.
        args.managedPolicyArns = [];
      },
    },
    ...(isLive ? {} : { dev: false as const }),
  });
  if (!isLive) pinRuntime(name, lambda, hasAlias);
  if (!hasAlias) return { lambda, log, target: lambda.arn };
  const alias = aliasOf(name, lambda, stage);
  return { lambda, log, target: alias.arn, qualifier: alias.name };
}

/**
 * Lambda replaces the runtime with the code alone: otherwise it does so at any time, under versions that serve, and
 * Node.js hashes passwords with the OpenSSL of the runtime (decision 0176). The setting is one of a version. That of a
 * former version stays, because the version may serve again.
 */
function pinRuntime(name: FunctionName, lambda: sst.aws.Function, hasVersions: boolean): void {
  new aws.lambda.RuntimeManagementConfig(
    `${componentName(name)}Runtime`,
    {
      functionName: lambda.name,
      ...(hasVersions && { qualifier: lambda.nodes.function.version }),
      updateRuntimeOn: "FunctionUpdate",
    },
    { retainOnDelete: hasVersions },
  );
}

/** What Lambda does in the name of a function that follows the table: it reads the stream, and reports what failed. */
function followingOf(table: sst.aws.Dynamo, { failures }: FeedParts) {
  const calls = ["DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"];
  return [
    { actions: calls.map((call) => `dynamodb:${call}`), resources: [table.nodes.table.streamArn] },
    { actions: ["sqs:SendMessage"], resources: [failures.arn] },
  ];
}

/** The right to send as the one sender of the deployment, by its configuration set, where Amazon SES sends mails. */
function mailingOf({ secrets: { mail }, mailSet }: FunctionParts) {
  if (mail?.provider !== "ses" || !mailSet) return [];
  const { address } = mail.sender;
  const identities = [address, address.slice(address.lastIndexOf("@") + 1)];
  return [
    {
      actions: ["ses:SendEmail", "ses:SendRawEmail"],
      resources: [...identities.map((identity) => `arn:aws:ses:*:*:identity/${identity}`), mailSet.arn],
      conditions: [{ test: "StringEquals", variable: "ses:FromAddress", values: [address] }],
    },
  ];
}

/**
 * The name by which the gateway calls one version of a function (decision 0071). In a stage whose traffic is shifted,
 * only the first deployment decides which version; later `npm run shift` does, so a deployment changes no traffic.
 */
function aliasOf(name: FunctionName, lambda: sst.aws.Function, { isShifted }: Stage) {
  const { name: functionName, version } = lambda.nodes.function;
  return new aws.lambda.Alias(
    `${componentName(name)}Alias`,
    { name: LIVE_ALIAS, functionName, functionVersion: version },
    { ignoreChanges: isShifted ? ["functionVersion", "routingConfig", "description"] : [] },
  );
}

function concurrencyOf(name: FunctionName, { settings: { concurrency } }: FunctionParts) {
  const reserved = (concurrency as Readonly<Partial<Record<FunctionName, number>>>)[name];
  return reserved === undefined ? {} : { concurrency: { reserved } };
}

function copiesOf({ needs }: FunctionPlan) {
  return needs.flatMap((need) => {
    if (need === "front") return [{ from: relative($cli.paths.root, frontDirectory()), to: FRONT_FOLDER }];
    return need === "deployment" ? [{ from: DEPLOYMENT_FILE, to: DEPLOYMENT_FILE }] : [];
  });
}

function variablesOf({ needs, reads, writes }: FunctionPlan, parts: FunctionParts) {
  const {
    settings: { domains },
    table,
    secrets,
    checked,
    feed,
  } = parts;
  const derivedBy = (derive: (key: string, former: string) => string) =>
    secrets.sealKey.value.apply((key) => secrets.formerSealKeys.value.apply((former) => derive(key, former)));
  const byNeed = {
    // One origin on both domains, so a token is valid on both. Without a domain: the name that AWS assigns.
    address: domains && { BASE_URL: `https://${domains.api}` },
    origin: parts.origin && { PUBLIC_URL: parts.origin },
    mtls: domains?.mtls && { MTLS_URL: `https://${domains.mtls}` },
    sealing: { SEAL_KEY: secrets.sealKey.value, FORMER_SEAL_KEYS: secrets.formerSealKeys.value },
    cursors: { CURSOR_KEY: secrets.sealKey.value.apply(cursorKeyOf) },
    forms: { FORM_KEY: secrets.sealKey.value.apply(formKeyOf) },
    logouts: { LOGOUT_KEY: secrets.sealKey.value.apply(logoutKeyOf) },
    factors: { FACTOR_KEYS: derivedBy(factorKeysOf) },
    saml: { SAML_KEYS: derivedBy(samlKeysOf) },
    events: { EVENT_KEY: secrets.sealKey.value.apply(eventKeyOf) },
    nonces: { NONCE_KEY: secrets.sealKey.value.apply(nonceKeyOf) },
    delivering: { EVENT_KEYS: derivedBy(eventKeysOf), EVENT_SIGNING_KEYS: derivedBy(eventSigningKeysOf) },
    answers: { ANSWER_KEYS: derivedBy(answerKeysOf) },
    front: { FRONT_DIRECTORY: $dev ? frontDirectory() : `${TASK_ROOT}/${FRONT_FOLDER}` },
    deployment: { DEPLOYMENT_TOML: $dev ? join($cli.paths.root, DEPLOYMENT_FILE) : `${TASK_ROOT}/${DEPLOYMENT_FILE}` },
    bus: feed && { EVENT_BUS: feed.bus.name },
    canary: checked && {
      CANARY_URL: checked.url,
      CANARY_SECRET: secrets.sealKey.value.apply(canarySecretOf),
      CANARY_AUTHORITIES_UNTIL: checked.authoritiesUntil?.toISOString() ?? "none",
    },
    mail: {
      ...(secrets.smtpPassword && { SMTP_PASSWORD: secrets.smtpPassword.value }),
      ...(parts.mailSet && { SES_CONFIGURATION_SET: parts.mailSet.configurationSetName }),
    },
    directories: Object.fromEntries(secrets.directoryPasswords.map(({ variable, secret }) => [variable, secret.value])),
  };
  return Object.assign({}, reads || writes ? { TABLE_NAME: table.name } : {}, ...needs.map((need) => byNeed[need]));
}

/** Functions that call a directory run in its network, if the stage names one. */
function networkOf({ needs }: FunctionPlan, { settings: { directoryNetwork }, secrets }: FunctionParts) {
  if (!needs.includes("directories") || secrets.directoryPasswords.length === 0 || !directoryNetwork) return {};
  const { subnets, securityGroups } = directoryNetwork;
  return { vpc: { privateSubnets: [...subnets], securityGroups: [...securityGroups] } };
}
