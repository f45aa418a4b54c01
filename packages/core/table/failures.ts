/** Which failures of DynamoDB and of the network are transient, and the fault of those that last. */
import {
  DynamoDBServiceException,
  ProvisionedThroughputExceededException,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import { Fault } from "../platform/faults.ts";
import { DamagedRow } from "./row.ts";

const transientNames = new Set([
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
const transientReasons = new Set(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]);
const networkCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "ENOTFOUND",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

/** What the SDK adds to the errors of a call. */
interface SdkError extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number; readonly clockSkewCorrected?: boolean };
  readonly $response?: { readonly statusCode?: number };
}

/** Whether the same call may succeed in a moment. */
export function isTransient(error: unknown): boolean {
  return (
    error instanceof ProvisionedThroughputExceededException ||
    transientNames.has(nameOf(error)) ||
    networkCodes.has(codeOf(error)) ||
    isTransientResponse(error) ||
    (error instanceof TransactionCanceledException &&
      !(error.CancellationReasons ?? []).some((reason) => reason.Code === "ConditionalCheckFailed") &&
      (error.CancellationReasons ?? []).some((reason) => transientReasons.has(reason.Code ?? "")))
  );
}

/** The fault for a database that stays unreachable, throttled or in conflict up to the deadline. */
export function unavailable(cause: unknown): Fault {
  return new Fault("service.unavailable", "The service is busy. Try again in a moment.", { cause });
}

/** A 5xx, text that is not JSON, such as the error page of a proxy, or a refusal that the SDK has corrected for. */
function isTransientResponse(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { $metadata, $response } = error as SdkError;
  const status = $response?.statusCode ?? $metadata?.httpStatusCode ?? 0;
  // After a refusal for a wrong clock, the SDK signs the next attempt with the corrected time.
  return (
    status >= 500 || $metadata?.clockSkewCorrected === true || (error instanceof SyntaxError && $response !== undefined)
  );
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/**
 * Whether a row itself is the cause of an error, so that trying again cannot help: it is damaged, or would become
 * larger than an item may be.
 */
export function isOfRow(error: unknown): boolean {
  if (error instanceof DamagedRow) return true;
  if (!(error instanceof TransactionCanceledException)) return false;
  return (error.CancellationReasons ?? []).some((reason) => reason.Code === "ValidationError");
}

/** What DynamoDB throws for a request that it rejects whatever the table contains. */
export function invalidRequest(message: string): Error {
  return new DynamoDBServiceException({ name: "ValidationException", $fault: "client", $metadata: {}, message });
}
