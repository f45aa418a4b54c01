/**
 * A budget for repeats of throttled calls (decision 0177). A partition that is throttled stays so for seconds or
 * minutes: a request that waits for it holds a function all that time, and the functions of an account are shared by
 * all tenants. So a container repeats few throttled calls, and fewer still of one partition.
 */
import { elapsed } from "../../kernel/clock.ts";
import { DatabaseError, TransactionCancelled } from "./client/errors.ts";

/** Attempts of one call that is throttled, with the first. */
export const THROTTLED_ATTEMPTS = 3;

/** The longest waits before the second attempt and the third, in milliseconds; each is random below. */
export const THROTTLED_WAITS = { firstMs: 50, mostMs: 100 } as const;

/** A bucket: repeats at once after a calm time, and repeats a second that it lets through for ever. */
interface Bucket {
  readonly most: number;
  readonly perSecond: number;
}

/** Of all calls of a container, and of those on one partition. */
export const BUDGET: Readonly<Record<"container" | "partition", Bucket>> = {
  container: { most: 20, perSecond: 5 },
  partition: { most: 4, perSecond: 1 },
};

/** Partitions that are remembered. One that is forgotten has a full bucket. */
const PARTITIONS_MAX = 1_000;

const throttlingNames = new Set([
  "ProvisionedThroughputExceededException",
  "ThrottlingException",
  "ThrottledException",
  "RequestLimitExceeded",
  "RequestThrottled",
]);
const throttlingReasons = new Set(["ThrottlingError", "ProvisionedThroughputExceeded"]);

/** Some keys of a batch were not read: their partitions are throttled, or the response would have over 16 MB. */
export class Unprocessed extends Error {
  readonly isThrottled: boolean;
  /** The partitions of those keys. */
  readonly partitions: readonly string[];
  constructor(isThrottled: boolean, partitions: readonly string[]) {
    super("some keys of a batch were not read");
    this.isThrottled = isThrottled;
    this.partitions = partitions;
  }
}

/** Whether a call failed because a partition, the table or the account has no capacity left at this moment. */
export function isThrottling(error: unknown): boolean {
  if (error instanceof Unprocessed) return error.isThrottled;
  if (!(error instanceof TransactionCancelled))
    return error instanceof DatabaseError && throttlingNames.has(error.name);
  const codes = error.reasons.map(({ Code = "" }) => Code);
  return !codes.includes("ConditionalCheckFailed") && codes.some((code) => throttlingReasons.has(code));
}

/** Of the partitions of a call, in the order of its steps, those that were throttled; all where that is not said. */
export function throttledOf(error: unknown, partitions: readonly string[]): ReadonlySet<string> {
  if (error instanceof Unprocessed) return new Set(error.partitions);
  const reasons = error instanceof TransactionCancelled ? error.reasons : [];
  const named = partitions.filter((_, at) => throttlingReasons.has(reasons[at]?.Code ?? ""));
  return new Set(named.length > 0 ? named : partitions);
}

/** Decides on the repeats of one container. */
export interface RetryBudget {
  /** Whether a call that was throttled at these partitions may be made once more. The repeat is counted then. */
  spend(partitions: Iterable<string>): boolean;
}

/** A full budget. `now` counts milliseconds. */
export function newRetryBudget(now: () => number = elapsed): RetryBudget {
  const container = newTokens(BUDGET.container, now);
  const byPartition = new Map<string, Tokens>();
  /** The bucket of a partition, which becomes the one that is forgotten last. */
  const tokensOf = (partition: string): Tokens => {
    const tokens = byPartition.get(partition) ?? newTokens(BUDGET.partition, now);
    byPartition.delete(partition);
    byPartition.set(partition, tokens);
    const [oldest] = byPartition.keys();
    if (byPartition.size > PARTITIONS_MAX && oldest !== undefined) byPartition.delete(oldest);
    return tokens;
  };
  return {
    spend(partitions) {
      const all = [container, ...Array.from(partitions, tokensOf)];
      if (!all.every((tokens) => tokens.has())) return false;
      for (const tokens of all) tokens.take();
      return true;
    },
  };
}

type Tokens = ReturnType<typeof newTokens>;

function newTokens({ most, perSecond }: Bucket, now: () => number) {
  let left = most;
  let atMs = now();
  return {
    has(): boolean {
      const nowMs = now();
      left = Math.min(most, left + (Math.max(0, nowMs - atMs) / 1_000) * perSecond);
      atMs = nowMs;
      return left >= 1;
    },
    take(): void {
      left -= 1;
    },
  };
}
