/** Which failures of DynamoDB and of the network pass by themselves. */
import { ProvisionedThroughputExceededException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";

const passing = new Set([
  "ProvisionedThroughputExceededException",
  "ThrottlingException",
  "ThrottledException",
  "RequestLimitExceeded",
  "RequestThrottled",
  "InternalServerError",
  "InternalFailure",
  "ServiceUnavailable",
  "TransactionConflictException",
  "TransactionInProgressException",
  "TimeoutError",
  "ReplicatedWriteConflictException",
]);
const passingReasons = new Set(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]);
const networkCodes = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EAI_AGAIN", "ENOTFOUND"]);

/** Whether the same call may succeed in a moment. */
export function isPassing(error: unknown): boolean {
  return (
    error instanceof ProvisionedThroughputExceededException ||
    passing.has(nameOf(error)) ||
    networkCodes.has(codeOf(error)) ||
    (error instanceof TransactionCanceledException &&
      !(error.CancellationReasons ?? []).some((reason) => reason.Code === "ConditionalCheckFailed") &&
      (error.CancellationReasons ?? []).some((reason) => passingReasons.has(reason.Code ?? "")))
  );
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
