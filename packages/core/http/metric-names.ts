/**
 * The metrics that the functions write into their logs, for those who write them and those who watch them. Their one
 * dimension is the function's service: every metric of every operation would be paid for, so an operation is a field of the line.
 */

/** Where CloudWatch keeps the metrics. */
export const NAMESPACE = "IdentityAdminApi";

/** The name of the dimension. */
export const DIMENSION = "service";

/** Counts and times of requests. */
export type MetricName =
  | "Requests"
  /** Answered with a status from 500 on. */
  | "ServerErrors"
  /** Milliseconds. */
  | "Duration"
  | "RoundTrips"
  | "ReadUnits"
  | "WriteUnits"
  /** Requests that the authorizer refused. */
  | "Refusals"
  | "SignInFailures"
  /** Those of the failures that met a locked name. */
  | "LockedSignIns"
  /** Changes of a directory that failed halfway and could not be undone. */
  | "DirectoryUndoFailures"
  /** Days since the key that signs access tokens began to. */
  | "SigningKeyAge";
