/** The log and the metrics of the synthetic check: one line per check, and one more for a check that failed. */
import { newLogger, newMeasures } from "./lines.ts";
import type { MetricName } from "./metric-names.ts";

/** The steps of a check, in their order. */
export type CheckStep = "token" | "write" | "read";

/** Why a check failed. It contains no secret and nothing of a response but its status and correlation id. */
export interface CheckFailure {
  readonly step: CheckStep;
  /**
   * `unreachable`: no connection, or it broke; `slow`: no response in time; `status`: another status than 200;
   * `answer`: 200 with another content than the expected one.
   */
  readonly reason: "unreachable" | "slow" | "status" | "answer";
  readonly status?: number;
  readonly traceId?: string;
  /** The code of a network error, such as `ECONNREFUSED`. */
  readonly code?: string;
}

/** One check. */
export interface CheckRecord {
  /** Milliseconds of each step that was begun. */
  readonly durations: Readonly<Partial<Record<CheckStep, number>>>;
  readonly failure?: CheckFailure;
  /** Days until the first authority of client certificates expires. */
  readonly authorityDaysLeft?: number;
}

/** Reports a check. */
export type CheckReport = (record: CheckRecord) => void;

const SERVICE = "canary";

const durationNames = {
  token: "TokenDuration",
  write: "WriteDuration",
  read: "ReadDuration",
} as const satisfies Readonly<Record<CheckStep, MetricName>>;

/** The reporter of a container. */
export function newCheckReport(): CheckReport {
  const logger = newLogger(SERVICE);
  const { count, milliseconds, publish } = newMeasures(SERVICE);
  return ({ durations, failure, authorityDaysLeft }) => {
    count("CheckSuccess", failure ? 0 : 1);
    for (const [step, duration] of Object.entries(durations) as [CheckStep, number][]) {
      milliseconds(durationNames[step], Math.round(duration * 1000) / 1000);
    }
    if (authorityDaysLeft !== undefined) count("AuthorityDaysLeft", authorityDaysLeft);
    publish();
    if (failure) logger.error("synthetic check failed", { ...failure });
  };
}
