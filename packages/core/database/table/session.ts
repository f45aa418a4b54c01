/** The calls of one request: metered, and repeated for transient reasons up to the deadline. */
import { elapsed } from "../../kernel/clock.ts";
import { retry } from "../../kernel/retry.ts";
import type { Metered } from "./client/calls.ts";
import type { DatabaseClient } from "./client/client.ts";
import { isTransient, unavailable } from "./failures.ts";
import type { Meter } from "./meter.ts";
import {
  isThrottling,
  type RetryBudget,
  THROTTLED_ATTEMPTS,
  THROTTLED_WAITS,
  throttledOf,
  Unprocessed,
} from "./throttling.ts";

const BACKOFF_FIRST_MS = 10;
const BACKOFF_MOST_MS = 400;

/** The table, and how long its calls are repeated. */
export interface Limits {
  readonly tableName: string;
  /** Milliseconds in which attempts of one call start; then it throws `service.unavailable`. */
  readonly deadlineMs: number;
  /**
   * The same for all calls of one request together, counted from when the table was opened for it. None by default.
   * No call starts later, so that a request which was answered does nothing more.
   */
  readonly requestDeadlineMs?: number;
  /**
   * What becomes of a call that is throttled. `refused`, the default: it is repeated within the budget of the
   * container, and throws `service.unavailable` then. `awaited`: it is repeated up to the deadline, for commands that
   * hold no function of an endpoint.
   */
  readonly throttling?: "refused" | "awaited";
}

/** What the calls of one request share. */
export interface Session {
  readonly client: DatabaseClient;
  /** Parameters of every call. */
  readonly common: { readonly TableName: string; readonly ReturnConsumedCapacity: "TOTAL" };
  /**
   * Repeats an attempt while it fails for transient reasons, up to the deadline, and within the budget where one of its
   * partitions is throttled. A transaction names the partition of each of its steps.
   */
  retrying<R>(partitions: readonly string[], attempt: () => Promise<R>): Promise<R>;
  /** Counts one call. A call that fails used a round trip too. */
  metered<R extends Metered>(kind: "read" | "write", send: () => Promise<R>): Promise<R>;
  /** One metered read of partitions, repeated in the same way. */
  read<R extends Metered>(partitions: readonly string[], send: () => Promise<R>): Promise<R>;
  /** The same for a write of one partition. */
  write<R extends Metered>(partition: string, send: () => Promise<R>): Promise<R>;
}

/** Opens the session of one request. The budget is that of its container. */
export function newSession(
  client: DatabaseClient,
  { tableName, deadlineMs, requestDeadlineMs = Number.POSITIVE_INFINITY, throttling = "refused" }: Limits,
  budget: RetryBudget,
  meter: Meter,
): Session {
  const openedMs = elapsed();
  const retrying: Session["retrying"] = (partitions, attempt) => {
    const untilMs = Math.min(elapsed() + deadlineMs, openedMs + requestDeadlineMs);
    const hasTime = (waitMs: number) => elapsed() + waitMs <= untilMs;
    const started = () => {
      if (elapsed() > untilMs) throw unavailable(new Error("the deadline passed before the call"));
      return attempt();
    };
    let repeats = 0;
    const mayRepeat = (cause: unknown): boolean => {
      repeats += 1;
      return repeats < THROTTLED_ATTEMPTS && budget.spend(throttledOf(cause, partitions));
    };
    const onThrottling = {
      ...THROTTLED_WAITS,
      isTransient: isThrottling,
      hasTime: (waitMs: number, cause: unknown) => hasTime(waitMs) && mayRepeat(cause),
      exhausted: unavailable,
    };
    const policy = {
      isTransient: (error: unknown) => error instanceof Unprocessed || isTransient(error),
      firstMs: BACKOFF_FIRST_MS,
      mostMs: BACKOFF_MOST_MS,
      hasTime,
      exhausted: unavailable,
    };
    return retry(policy, throttling === "awaited" ? started : () => retry(onThrottling, started));
  };
  const metered: Session["metered"] = async (kind, send) => {
    const end = meter.begin();
    let units = 0;
    try {
      const response = await send();
      units = unitsOf(response);
      return response;
    } finally {
      end(kind === "read" ? units : 0, kind === "write" ? units : 0);
    }
  };
  return {
    client,
    common: { TableName: tableName, ReturnConsumedCapacity: "TOTAL" },
    retrying,
    metered,
    read: (partitions, send) => retrying(partitions, () => metered("read", send)),
    write: (partition, send) => retrying([partition], () => metered("write", send)),
  };
}

/** The capacity units that a call used. */
export function unitsOf({ ConsumedCapacity }: Metered): number {
  return [ConsumedCapacity ?? []].flat().reduce((sum, part) => sum + (part.CapacityUnits ?? 0), 0);
}
