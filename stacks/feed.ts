/**
 * What follows the changes of the table (decision 0090). The stream of the table calls functions; one puts every change
 * on the event bus of the stage. What cannot be delivered goes to a queue.
 */

import { LANE_COUNT } from "#core/database/changes/change-id.ts";
import { keys } from "#core/database/table/keys.ts";
import { SOURCE, UNREADABLE } from "#core/events/bus/event.ts";
import { type FeedParts, type FunctionParts, type MadeFunction, makeFunction } from "./functions.ts";
import { followMails, mailSet } from "./mail-events.ts";
import { ANY } from "./partitions.ts";
import { componentName, type FollowerName, followerNames } from "./plan.ts";

/** The feed of a stage. */
export interface Feed extends FeedParts {
  readonly followers: Readonly<Record<FollowerName, MadeFunction>>;
}

/** The longest that SQS keeps a message. */
const FAILURE_SECONDS = 1_209_600;

/** A stream keeps its records for a day: half of it remains to repair what a failure blocked. */
const TRIED_SECONDS = 43_200;

/** The delivery only wants to know in which tenants something is new. */
const BATCH_SIZES: Readonly<Record<FollowerName, number>> = { "change-events": 100, delivery: 1_000 };

/**
 * Calls for one shard at a time. A call of the delivery may wait 40 s for slow receivers, and others must not wait for
 * it; the events of the bus keep their order.
 */
const AT_ONCE: Readonly<Record<FollowerName, number>> = { "change-events": 1, delivery: 4 };

/** The next call of the schedule does what one missed. */
const ONCE = { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 };

/** Creates the bus, the queue, and the functions. */
export function feed(parts: FunctionParts): Feed {
  const name = `${$app.name}-${parts.stage.name}`;
  const bus = new aws.cloudwatch.EventBus("Changes", { name, description: `Changes of ${name}` });
  const failures = new aws.sqs.Queue("UndeliveredChanges", {
    name: `${name}-undelivered-changes`,
    messageRetentionSeconds: FAILURE_SECONDS,
    sqsManagedSseEnabled: true,
  });
  reportUnreadable(name, { bus, failures });
  // A shard of a stream has two readers at most. The delivery notes new mails for the function that sends them.
  const followers = Object.fromEntries(
    followerNames.map((each) => [each, follow(each, { ...parts, feed: { bus, failures } })]),
  ) as Record<FollowerName, MadeFunction>;
  repeat("Delivery", { ...followers.delivery, name, stage: parts.stage, what: "Deliveries of changes" });
  // Whether somebody waits for a mail is known by its schedule alone.
  const set = parts.secrets.mail?.provider === "ses" ? mailSet(name) : undefined;
  const mail = makeFunction("mail", { ...parts, ...(set && { mailSet: set }) });
  if (set) followMails(name, mail.lambda);
  repeat("Mail", { ...mail, name, stage: { ...parts.stage, isWatched: true }, what: "Mails" });
  return { bus, failures, followers };
}

/** What is called by a schedule. */
interface Repeated extends Pick<MadeFunction, "lambda"> {
  readonly name: string;
  readonly stage: FunctionParts["stage"];
  /** What is tried again. */
  readonly what: string;
}

/**
 * Calls a function for what is tried again later. In a stage that is not watched this is rare, so that it costs nothing
 * while it is not used: there what is new is the occasion.
 */
function repeat(component: "Delivery" | "Mail", { name, stage: { isWatched }, what, lambda }: Repeated): void {
  const rule = new aws.cloudwatch.EventRule(`${component}Schedule`, {
    name: `${name}-${component.toLowerCase()}`,
    description: `${what} that are tried again`,
    scheduleExpression: isWatched ? "rate(1 minute)" : "rate(15 minutes)",
  });
  new aws.lambda.Permission(`${component}Permission`, {
    action: "lambda:InvokeFunction",
    function: lambda.name,
    principal: "events.amazonaws.com",
    sourceArn: rule.arn,
  });
  new aws.cloudwatch.EventTarget(`${component}Target`, {
    rule: rule.name,
    arn: lambda.arn,
    input: "{}",
    retryPolicy: ONCE,
  });
  new aws.lambda.FunctionEventInvokeConfig(`${component}Once`, { functionName: lambda.name, ...ONCE });
}

/** Lets the stream call a function with the keys of new change records. */
function follow(name: FollowerName, parts: FunctionParts & { readonly feed: FeedParts }): MadeFunction {
  const made = makeFunction(name, parts);
  new aws.lambda.EventSourceMapping(`${componentName(name)}Stream`, {
    eventSourceArn: parts.table.nodes.table.streamArn,
    functionName: made.lambda.name,
    // With the first deployment too: what was written before the function existed.
    startingPosition: "TRIM_HORIZON",
    batchSize: BATCH_SIZES[name],
    maximumBatchingWindowInSeconds: 1,
    parallelizationFactor: AT_ONCE[name],
    filterCriteria: {
      filters: filtersOf[name]().map((each) => ({ pattern: JSON.stringify(each) })),
    },
    functionResponseTypes: ["ReportBatchItemFailures"],
    bisectBatchOnFunctionError: true,
    maximumRetryAttempts: -1,
    maximumRecordAgeInSeconds: TRIED_SECONDS,
    destinationConfig: { onFailure: { destinationArn: parts.feed.failures.arn } },
  });
  return made;
}

/**
 * New rows in the lanes of change records. Lambda's patterns have no wildcard within a text, so a value of a caller may
 * match too: the functions compare the whole key. Expired records are removed, and are no changes.
 */
function newRecords() {
  const lanes = Array.from({ length: LANE_COUNT }, (_, lane) => ({ suffix: `#LOG#${lane}` }));
  return { eventName: ["INSERT"], dynamodb: { Keys: { PK: { S: lanes } } } };
}

/** What each function is called for. */
const filtersOf: Readonly<Record<FollowerName, () => readonly object[]>> = {
  "change-events": () => [newRecords()],
  delivery: () => [newRecords(), endedSessions(), queuedMails()],
};

/** Mails that were queued, in a partition of each tenant. */
function queuedMails() {
  const suffix = keys.mails(ANY).slice(`T#${ANY}`.length);
  return { eventName: ["INSERT"], dynamodb: { Keys: { PK: { S: [{ suffix }] } } } };
}

/** Sessions that have ended, whose clients must be told: in a partition of each tenant. */
function endedSessions() {
  const suffix = keys.logouts(ANY).slice(`T#${ANY}`.length);
  return { eventName: ["INSERT"], dynamodb: { Keys: { PK: { S: [{ suffix }] } } } };
}

/** Trying a damaged record again cannot help, and must not hold up the others: its event goes to the queue. */
function reportUnreadable(name: string, { bus, failures }: FeedParts): void {
  const rule = new aws.cloudwatch.EventRule("UnreadableChanges", {
    name: `${name}-unreadable-changes`,
    description: "Changes whose record cannot be read",
    eventBusName: bus.name,
    eventPattern: JSON.stringify({ source: [SOURCE], "detail-type": [UNREADABLE] }),
  });
  new aws.cloudwatch.EventTarget("UnreadableChangesTarget", {
    rule: rule.name,
    eventBusName: bus.name,
    arn: failures.arn,
  });
  new aws.sqs.QueuePolicy("UndeliveredChangesPolicy", {
    queueUrl: failures.url,
    policy: $jsonStringify({
      Version: "2012-10-17",
      Statement: [
        {
          Effect: "Allow",
          Principal: { Service: "events.amazonaws.com" },
          Action: "sqs:SendMessage",
          Resource: failures.arn,
          Condition: { ArnEquals: { "aws:SourceArn": rule.arn } },
        },
      ],
    }),
  });
}
