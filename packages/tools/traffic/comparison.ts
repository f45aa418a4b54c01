/** Whether a new version of a function fails more often than the one before it (decision 0175). Pure. */

/** What a version has answered. */
export interface Sample {
  readonly requests: number;
  /** Responses with a status from 500 on, and calls that ended without a response. */
  readonly errors: number;
}

/** With fewer requests, errors of a version are seen only if nearly all fail. */
export const SAMPLE_MIN = 20;
/** A single failure, or two, may be a broken connection. */
const ERRORS_MIN = 3;
/** The share of errors that no version is blamed for: there may be as many at any time. */
const TOLERATED = 0.005;
/**
 * How improbable a distribution of errors must be. A shift looks at some fifteen functions up to a hundred times, so
 * that one in a thousand would take back healthy versions.
 */
const IMPROBABLE = 1e-5;

/**
 * Whether the new version has more of all errors than chance gives it (Fisher's exact test): if both versions were
 * alike, its errors would be a random part of all requests. So a function that was hardly called proves little.
 */
export function isWorse(fresh: Sample, old: Sample): boolean {
  if (fresh.errors < ERRORS_MIN) return false;
  // Metrics of one moment come at different times: no version has more errors than requests.
  const requests = Math.max(fresh.requests, fresh.errors);
  if (fresh.errors <= requests * TOLERATED) return false;
  const all = requests + Math.max(old.requests, old.errors);
  return atLeast(fresh.errors, { requests, all, errors: fresh.errors + old.errors }) < IMPROBABLE;
}

interface Draw {
  /** Those of the new version. */
  readonly requests: number;
  /** Those of both. */
  readonly all: number;
  /** Those of both. */
  readonly errors: number;
}

/** The probability that the new version has so many of all errors, or more (hypergeometric). */
function atLeast(least: number, { requests, all, errors }: Draw): number {
  if (least * all <= requests * errors) return 1;
  const rest = all - errors - requests;
  // Above the mean the terms fall: each is the one before it, times a factor below one.
  let term = Math.exp(
    logOfChoices(errors, least) + logOfChoices(all - errors, requests - least) - logOfChoices(all, requests),
  );
  let sum = 0;
  for (let count = least; count <= Math.min(errors, requests) && term > sum * Number.EPSILON; count += 1) {
    sum += term;
    term *= ((errors - count) * (requests - count)) / ((count + 1) * (rest + count + 1));
  }
  return sum;
}

/** The logarithm of the number of ways to choose some of several. */
function logOfChoices(several: number, some: number): number {
  const fewer = Math.min(some, several - some);
  let log = 0;
  for (let at = 0; at < fewer; at += 1) log += Math.log((several - at) / (fewer - at));
  return log;
}
