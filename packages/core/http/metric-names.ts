/**
 * The metrics that the functions write into their logs. Their only dimension is the service: each metric of each
 * operation would cost extra, so the operation is a field of the line instead. Errors alone are counted for each
 * version too.
 */

/** The variable with the CloudWatch namespace of the metrics. Powertools reads it. */
export const NAMESPACE_VARIABLE = "POWERTOOLS_METRICS_NAMESPACE";

/** The CloudWatch namespace of a stage's metrics. Stages of one account do not share metrics. */
export function namespaceOf(stage: string): string {
  return `IdentityAdminApi/${stage}`;
}

/** The name of the dimension. */
export const DIMENSION = "service";

/** The second dimension of the errors of one version of a function. */
export const VERSION_DIMENSION = "version";

export type MetricName =
  | "Requests"
  /** Responses with a status from 500 on, and requests with logged errors. */
  | "ServerErrors"
  /** Milliseconds. */
  | "Duration"
  | "RoundTrips"
  | "ReadUnits"
  | "WriteUnits"
  /** Requests that the authorizer refused. */
  | "Refusals"
  | "SignInFailures"
  /** Sign-in failures of a locked name. */
  | "LockedSignIns"
  /** Changes of a directory that failed halfway and could not be undone. */
  | "DirectoryUndoFailures"
  /** Days since the key that signs access tokens started to sign. */
  | "SigningKeyAge"
  /** Messages that receivers accepted, and deliveries to a receiver that stopped at a failure. */
  | "EventsDelivered"
  | "DeliveryFailures"
  /** Mails that came back for good, and those that their readers took for spam. */
  | "MailsBounced"
  | "MailsComplained"
  /** Receivers that were paused. */
  | "ReceiversPaused"
  /** Failures of the service itself. */
  | "DeliveryDefects"
  /** Milliseconds since the oldest change that was not delivered when a delivery stopped. */
  | "DeliveryLag"
  /** Of the synthetic check: 1, or 0 for a check that failed. */
  | "CheckSuccess"
  /** Milliseconds of its steps. */
  | "TokenDuration"
  | "WriteDuration"
  | "ReadDuration"
  /** Days until the first authority of client certificates expires. */
  | "AuthorityDaysLeft";
