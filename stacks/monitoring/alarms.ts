/**
 * The alarms, as data: what each watches, what it means, and what an operator does first. docs/operations.md has the
 * steps.
 */
import { type Alarm, byId, feedAlarms, inGroups, mailAlarms, sumOf } from "./alarm.ts";
import {
  executions,
  ofAccessLog,
  ofBackups,
  ofCertificate,
  ofFunction,
  ofGateway,
  ofService,
  ofTable,
  type Watched,
} from "./names.ts";

/** Milliseconds: the limit of the p99 of requests. */
const SLOW_MS = 3_000;

/** Of the account's concurrent executions. */
const QUOTA_PERCENT = 80;

/** Days after which a signing key should be replaced. */
const KEY_DAYS_MAX = 90;

/** Days before the expiry of a certificate. ACM renews certificates 60 days before. */
const CERTIFICATE_DAYS_MIN = 30;

/** The calls that the functions send to the table. */
const CALLS = [
  "GetItem",
  "BatchGetItem",
  "Query",
  "PutItem",
  "UpdateItem",
  "DeleteItem",
  "TransactWriteItems",
] as const;

/** The alarms of a stage. */
export function alarmsOf<Name>(watched: Watched<Name>): readonly Alarm<Name>[] {
  const { functions } = watched;
  const authorizer = functions.filter(({ service }) => service === "authorizer");
  const others = functions.filter(({ service }) => service !== "authorizer");
  // Only functions for which a caller waits.
  const awaited = functions.filter(({ service }) => service !== "bootstrap");
  const authorizerFailures = {
    ...byId(
      "crashes",
      authorizer.map((each) => ofFunction(each, "Errors")),
    ),
    errors: ofService(watched, "authorizer", "ServerErrors"),
  };
  const failures = {
    direct: ofService(watched, "authorizer", "SignInFailures"),
    tokens: ofService(watched, "oauth2", "SignInFailures"),
    pages: ofService(watched, "sign-in", "SignInFailures"),
  };
  const busy = { reads: ofTable(watched, "ReadThrottleEvents"), writes: ofTable(watched, "WriteThrottleEvents") };
  // DynamoDB writes this metric for each kind of call.
  const tableErrors = byId(
    "errors",
    CALLS.map((call) => ofTable(watched, "SystemErrors", "Sum", call)),
  );
  const hot = {
    reads: ofTable(watched, "ReadKeyRangeThroughputThrottleEvents"),
    writes: ofTable(watched, "WriteKeyRangeThroughputThrottleEvents"),
  };
  const undone = {
    first: ofService(watched, "scim1", "DirectoryUndoFailures"),
    second: ofService(watched, "scim2", "DirectoryUndoFailures"),
    pages: ofService(watched, "sign-in", "DirectoryUndoFailures"),
    own: ofService(watched, "account", "DirectoryUndoFailures"),
  };
  return [
    ...checkAlarms(watched),
    {
      name: "ServerErrors",
      problem: "More than 1 % of the responses are 5xx.",
      action:
        'Open the saved query "errors by operation", then "causes of failures". If it began with a deployment, run "npm run rollback".',
      metrics: { errors: ofGateway(watched, "5xx"), requests: ofGateway(watched, "Count") },
      // A single failure among few requests at night raises no alarm.
      value: "IF(errors >= 3, 100 * errors / requests, 0)",
      threshold: 1,
      periodSeconds: 60,
      of: [3, 5],
      isUrgent: true,
    },
    {
      name: "ServerErrorsAtLowTraffic",
      problem: "At least 2 requests of the last 15 minutes, and more than 5 % of them, were answered with 5xx.",
      action: 'As for "ServerErrors". It raises an alarm at two requests a minute, where that one is silent.',
      metrics: { errors: ofGateway(watched, "5xx"), requests: ofGateway(watched, "Count") },
      value: "IF(errors >= 2, 100 * errors / requests, 0)",
      threshold: 5,
      periodSeconds: 900,
      of: [1, 1],
      isUrgent: true,
    },
    {
      name: "SlowAnswers",
      problem: `One request in a hundred takes longer than ${SLOW_MS / 1_000} seconds.`,
      action: 'Open "latency by operation". If every operation is slow, read "Throttles" on the dashboard.',
      metrics: { p99: ofGateway(watched, "Latency", "p99"), requests: ofGateway(watched, "Count") },
      value: "IF(requests >= 20, p99, 0)",
      threshold: SLOW_MS,
      periodSeconds: 60,
      of: [5, 10],
      isUrgent: true,
    },
    {
      name: "SlowAnswersAtLowTraffic",
      problem: `One request in ten of the last 15 minutes takes longer than ${SLOW_MS / 1_000} seconds.`,
      action: 'As for "SlowAnswers". A few cold starts do not raise it.',
      metrics: { p90: ofGateway(watched, "Latency", "p90"), requests: ofGateway(watched, "Count") },
      value: "IF(requests >= 10, p90, 0)",
      threshold: SLOW_MS,
      periodSeconds: 900,
      of: [2, 2],
      isUrgent: true,
    },
    ...inGroups("FunctionCrashes", others, "Errors", {
      problem: "A function ended without a response: it crashed, or ran out of memory or time.",
      action:
        'Search its log for "Task timed out", "Runtime exited" and "OutOfMemory". After a deployment read the first error in its log.',
      threshold: 0,
      periodSeconds: 300,
      of: [1, 1],
      isUrgent: true,
    }),
    ...inGroups("FunctionThrottles", awaited, "Throttles", {
      problem: "Lambda refused calls: the account's quota of concurrent executions is used up.",
      action: 'Read "Concurrent executions" on the dashboard. Raise the quota, or lower the throttle of the stage.',
      threshold: 0,
      periodSeconds: 300,
      of: [1, 1],
      isUrgent: true,
    }),
    {
      name: "ExecutionsNearQuota",
      problem: `The functions of the account use more than ${QUOTA_PERCENT} % of its concurrent executions.`,
      action: 'Read "Concurrent executions" on the dashboard. Raise the quota before calls are refused.',
      metrics: { used: executions },
      value: "100 * used / SERVICE_QUOTA(used)",
      threshold: QUOTA_PERCENT,
      periodSeconds: 60,
      of: [3, 5],
      isUrgent: true,
    },
    {
      name: "TooManyRequests",
      problem: "The gateway refuses hundreds of requests with 429: more arrive than the throttle of the stage allows.",
      action: 'Open "refusals by operation and scope": one source is a client or an attack, many are growth.',
      metrics: { refused: ofAccessLog(watched, "TooManyRequests") },
      value: "refused",
      threshold: 300,
      periodSeconds: 300,
      of: [2, 2],
      isUrgent: true,
      isUnrelated: true,
    },
    {
      name: "ClientErrors",
      problem:
        "More than 60 % of the responses are 4xx: a large client sends what is refused, or a version refuses it.",
      action: 'Open "refusals by operation and scope". If it began with a deployment, run "npm run rollback".',
      metrics: { errors: ofGateway(watched, "4xx"), requests: ofGateway(watched, "Count") },
      value: "IF(errors >= 300, 100 * errors / requests, 0)",
      threshold: 60,
      periodSeconds: 300,
      of: [3, 3],
    },
    {
      name: "TableThrottles",
      problem: "DynamoDB refuses calls, and retries do not catch up. Requests are slow or return 503.",
      action: "Wait up to 30 minutes: the table grows with its traffic. If it stays, one partition is hot.",
      metrics: busy,
      value: sumOf(busy),
      threshold: 50,
      periodSeconds: 300,
      of: [1, 1],
      isUrgent: true,
    },
    {
      name: "HotPartition",
      problem: "One partition of the table is used more than DynamoDB allows: requests for its rows are refused.",
      action: "Open CloudWatch, Contributor Insights: the rule of the table names the keys.",
      metrics: hot,
      value: sumOf(hot),
      threshold: 50,
      periodSeconds: 300,
      of: [2, 3],
      isUrgent: true,
    },
    {
      name: "TableErrors",
      problem: "DynamoDB itself answers with errors.",
      action: "Open the AWS Health Dashboard. Callers get 503 with Retry-After, and nothing is half written.",
      metrics: tableErrors,
      value: sumOf(tableErrors),
      threshold: 20,
      periodSeconds: 300,
      of: [1, 1],
      isUrgent: true,
      isUnrelated: true,
    },
    {
      name: "AuthorizerFailures",
      problem: "The authorizer fails: every request returns 401, 500 or 503.",
      action: 'If there was a deployment, run "npm run rollback" now. Otherwise open "causes of failures".',
      metrics: authorizerFailures,
      value: sumOf(authorizerFailures),
      threshold: 0,
      periodSeconds: 60,
      of: [2, 5],
      isUrgent: true,
    },
    {
      name: "Refusals",
      problem: "More than half of the requests are refused: a client has a wrong credential, or this is an attack.",
      action: 'Open "refusals by operation and scope": one source and one operation is a client; many are an attack.',
      metrics: {
        refused: ofService(watched, "authorizer", "Refusals"),
        requests: ofService(watched, "authorizer", "Requests"),
      },
      value: "IF(refused >= 100, 100 * refused / requests, 0)",
      threshold: 50,
      periodSeconds: 300,
      of: [3, 3],
    },
    {
      name: "SignInFailures",
      problem: "Hundreds of sign-ins fail within 5 minutes: passwords are being guessed.",
      action: 'Open "refused sign-ins by source and name". Block the source. Names lock themselves after 10 failures.',
      metrics: failures,
      value: sumOf(failures),
      threshold: 300,
      periodSeconds: 300,
      of: [1, 1],
      isUnrelated: true,
    },
    {
      name: "SigningKeyAge",
      problem: `The key that signs access tokens is older than ${KEY_DAYS_MAX} days.`,
      action: 'Run "npm run keys -- rotate" in working hours. No token ends.',
      metrics: { days: ofService(watched, "oauth2", "SigningKeyAge", "Maximum") },
      value: "days",
      threshold: KEY_DAYS_MAX,
      periodSeconds: 3_600,
      of: [1, 24],
      // Written when a token is issued: without one, the last state stays.
      missing: "ignore",
      isUnrelated: true,
    },
    {
      name: "HalfChangedUsers",
      problem: "A change of a user of a directory failed halfway, and could not be undone.",
      action: 'Open "causes of failures": "directory undo failed" names tenant, user store and user. Repair the entry.',
      metrics: undone,
      value: sumOf(undone),
      threshold: 0,
      periodSeconds: 300,
      of: [1, 1],
    },
    ...feedAlarms(watched),
    ...mailAlarms(watched),
    ...backupAlarms(watched),
    ...watched.certificates.map(({ name, arn }) => ({
      name: `${name}CertificateExpires`,
      problem: `The certificate of a domain expires in less than ${CERTIFICATE_DAYS_MIN} days: AWS did not renew it.`,
      action: "Check that its DNS validation record is still in the zone.",
      metrics: { days: ofCertificate(arn) },
      value: "IF(days < 0, 0, days)",
      isBelow: true as const,
      threshold: CERTIFICATE_DAYS_MIN,
      periodSeconds: 86_400,
      of: [1, 1] as const,
      // ACM writes it twice a day.
      missing: "ignore" as const,
      isUnrelated: true as const,
    })),
  ];
}

/** The alarm on daily backups and their copies, where the stage has them. */
function backupAlarms<Name>({ backupVault }: Watched<Name>): readonly Alarm<Name>[] {
  if (backupVault === undefined) return [];
  const jobs = ["NumberOfBackupJobsFailed", "NumberOfBackupJobsExpired", "NumberOfCopyJobsFailed"];
  const metrics = byId(
    "failed",
    jobs.map((name) => ofBackups(backupVault, name)),
  );
  return [
    {
      name: "BackupFails",
      problem: "A daily backup, or its copy in the other vault, failed.",
      action: "Read the job in AWS Backup: it says why. Repair it within the day; point-in-time recovery goes on.",
      metrics,
      value: sumOf(metrics),
      threshold: 0,
      periodSeconds: 3_600,
      of: [1, 1],
      isUnrelated: true,
    },
  ];
}

/** The alarms on the synthetic check, where the stage has it. */
function checkAlarms<Name>(watched: Watched<Name>): readonly Alarm<Name>[] {
  const { isChecked, certificates } = watched;
  if (!isChecked) return [];
  return [
    {
      name: "CheckFails",
      problem:
        "The check of every minute fails, or does not run: a client cannot get a token, change a user or read it.",
      action: 'Read "synthetic check failed" in the log of the canary: it names the step and the reason.',
      metrics: { success: ofService(watched, "canary", "CheckSuccess", "Minimum") },
      value: "success",
      isBelow: true,
      threshold: 1,
      periodSeconds: 60,
      of: [3, 5],
      isUrgent: true,
      // Written every minute, so its absence is an outage too.
      missing: "breaching",
    },
    ...(certificates.some(({ name }) => name === "Mtls")
      ? [
          {
            name: "ClientAuthorityExpires",
            problem: `An authority of client certificates expires in less than ${CERTIFICATE_DAYS_MIN} days.`,
            action: '"npm run doctor" names it. Replace it in the truststore, and deploy.',
            metrics: { days: ofService(watched, "canary", "AuthorityDaysLeft", "Minimum") },
            value: "days",
            isBelow: true as const,
            threshold: CERTIFICATE_DAYS_MIN,
            periodSeconds: 3_600,
            of: [1, 1] as const,
            // Where no check runs, another alarm says so.
            missing: "ignore" as const,
            isUnrelated: true as const,
          },
        ]
      : []),
  ];
}
