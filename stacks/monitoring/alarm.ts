/** What an alarm is, and how the metrics of several functions become one value. */
import { type Metric, ofFunction, ofService, ofUndelivered, type Watched, type WatchedFunction } from "./names.ts";

/** An alarm on a value that is computed from metrics. */
export interface Alarm<Name = string> {
  readonly name: string;
  /** What is wrong. */
  readonly problem: string;
  /** What the operator reads or does first. */
  readonly action: string;
  readonly metrics: Readonly<Record<string, Metric<Name | string>>>;
  /** The value, over the ids of the metrics. */
  readonly value: string;
  /** The alarm is raised above this value; below it if `isBelow` is set. */
  readonly threshold: number;
  readonly isBelow?: true;
  readonly periodSeconds: number;
  /** The number of breaching periods, of the last number of periods. */
  readonly of: readonly [breaching: number, periods: number];
  /**
   * What a period without data means where it is not well. Only a metric that is always written breaches by its
   * absence; without traffic there are no requests, and no errors either.
   */
  readonly missing?: "breaching" | "ignore";
  /**
   * True where callers do not get what they ask for, or soon will not: such alarms go to the topic that wakes somebody,
   * the others to one for working hours.
   */
  readonly isUrgent?: true;
  /** True for what no deployment causes. All other alarms stop a shift of traffic to new versions (decision 0071). */
  readonly isUnrelated?: true;
}

/** CloudWatch's limit of metrics in one alarm. */
export const METRICS_MAX = 10;

/**
 * An alarm on a metric of functions, in as many alarms as CloudWatch's limit of metrics demands: the second has the
 * name of the first and a 2.
 */
export function inGroups<Name>(
  name: string,
  functions: readonly WatchedFunction<Name>[],
  metric: "Errors" | "Throttles",
  alarm: Omit<Alarm<Name>, "name" | "metrics" | "value">,
): readonly Alarm<Name>[] {
  const groups = Math.max(1, Math.ceil(functions.length / METRICS_MAX));
  return Array.from({ length: groups }, (_, at) => {
    const some = functions.slice(at * METRICS_MAX, (at + 1) * METRICS_MAX);
    const metrics = byId(
      metric.toLowerCase(),
      some.map((each) => ofFunction(each, metric)),
    );
    return { ...alarm, name: at === 0 ? name : `${name}${at + 1}`, metrics, value: sumOf(metrics) };
  });
}

/** Metrics with ids. */
export function byId<Name>(prefix: string, metrics: readonly Metric<Name>[]): Record<string, Metric<Name>> {
  return Object.fromEntries(metrics.map((metric, index) => [`${prefix}${index}`, metric]));
}

/** A function without calls has no value, and a sum with `+` would have none either. */
export function sumOf(metrics: object): string {
  return `SUM(FILL([${Object.keys(metrics).join(", ")}], 0))`;
}

/** Milliseconds that a change may wait for the functions that follow the table. */
const BEHIND_MS = 300_000;

/** Percent of the deliveries of a quarter of an hour. */
const FAILED_MAX = 90;

/** Percent of the mails of a day. AWS may stop them at twice as many that come back, or five times the complaints. */
const BOUNCED_MAX = 5;
const COMPLAINED_MAX = 0.1;
const DAY_SECONDS = 86_400;

/** The alarms on mails that came back, and on complaints (decision 0188). */
export function mailAlarms<Name>(watched: Watched<Name>): readonly Alarm<Name>[] {
  const sent = ofService(watched, "mail", "EventsDelivered");
  const daily = { periodSeconds: DAY_SECONDS, of: [1, 1], isUnrelated: true } as const;
  return [
    {
      name: "MailsComeBack",
      problem: `More than ${BOUNCED_MAX} % of the mails of a day came back for good. At 10 % AWS may stop all mails.`,
      action:
        'Count "address marked" in the log of the function mail by tenant: many of one are a list of old addresses.',
      metrics: { bounced: ofService(watched, "mail", "MailsBounced"), sent },
      value: "IF(bounced >= 5, 100 * bounced / sent, 0)",
      threshold: BOUNCED_MAX,
      ...daily,
    },
    {
      name: "MailsAreUnwanted",
      problem: `More than ${COMPLAINED_MAX} % of the mails of a day were taken for spam. At 0.5 % AWS may stop all mails.`,
      action: 'Count "address marked" in the log of the function mail by tenant: somebody enters addresses of others.',
      metrics: { complained: ofService(watched, "mail", "MailsComplained"), sent },
      value: "IF(complained >= 2, 100 * complained / sent, 0)",
      threshold: COMPLAINED_MAX,
      ...daily,
    },
  ];
}

/** The alarms on what follows the changes of the table (decision 0090). */
export function feedAlarms<Name>(watched: Watched<Name>): readonly Alarm<Name>[] {
  const ages = byId(
    "age",
    watched.followers.map((each) => ofFunction(each, "IteratorAge", "Maximum")),
  );
  const defects = byId(
    "defects",
    (["delivery", "mail"] as const).map((each) => ofService(watched, each, "DeliveryDefects")),
  );
  return [
    {
      name: "FeedFallsBehind",
      problem: `Changes wait for longer than ${BEHIND_MS / 60_000} minutes before they become events.`,
      action: "Read the log of the function whose iterator age grows on the dashboard.",
      metrics: ages,
      value: `MAX(FILL([${Object.keys(ages).join(", ")}], 0))`,
      threshold: BEHIND_MS,
      periodSeconds: 60,
      of: [3, 5],
      isUrgent: true,
    },
    {
      name: "DeliveryDefects",
      problem:
        "The delivery to webhooks, streams and clients, or of mails, ends with an error of its own, or of the table.",
      action: 'Read "delivery defect" in the logs of delivery and mail: it names the cause. It is tried again.',
      metrics: defects,
      value: sumOf(defects),
      threshold: 0,
      periodSeconds: 300,
      of: [2, 2],
    },
    {
      name: "DeliveriesFail",
      problem: `More than ${FAILED_MAX} % of the deliveries fail: no receiver is reached.`,
      action:
        'Read "delivery failed" in the log of the function delivery. If all failures are alike, it is our network.',
      metrics: {
        failures: ofService(watched, "delivery", "DeliveryFailures"),
        delivered: ofService(watched, "delivery", "EventsDelivered"),
      },
      value: "IF(failures >= 20, 100 * failures / (failures + delivered), 0)",
      threshold: FAILED_MAX,
      periodSeconds: 900,
      of: [1, 1],
    },
    {
      name: "ReceiversPaused",
      problem: "A receiver was paused after a day of failures: it gets no more events until somebody resumes it.",
      action: 'Read "receiver paused" in the log of the function delivery: it names the tenant. Tell the tenant.',
      metrics: { paused: ofService(watched, "delivery", "ReceiversPaused") },
      value: "paused",
      threshold: 0,
      periodSeconds: 300,
      of: [1, 1],
      isUnrelated: true,
    },
    {
      name: "UndeliveredChanges",
      problem: "Changes were not delivered: they are in the queue of undelivered changes.",
      action: "Read a message of the queue: it names the function and the time. No change is lost.",
      metrics: { messages: ofUndelivered(watched) },
      value: "messages",
      threshold: 0,
      periodSeconds: 60,
      of: [1, 1],
    },
  ];
}
