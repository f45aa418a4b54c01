/** Which failures of DynamoDB and of the network are transient, and the fault of those that last. */
import { Fault } from "../../kernel/faults.ts";
import { DatabaseError, TransactionCancelled, UnreadableResponse } from "./client/errors.ts";
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

/** Whether the same call may succeed in a moment. */
export function isTransient(error: unknown): boolean {
  return (
    transientNames.has(nameOf(error)) ||
    networkCodes.has(codeOf(error)) ||
    isTransientResponse(error) ||
    (error instanceof TransactionCancelled &&
      !error.reasons.some((reason) => reason.Code === "ConditionalCheckFailed") &&
      error.reasons.some((reason) => transientReasons.has(reason.Code ?? "")))
  );
}

/** The fault for a database that stays unreachable, throttled or in conflict up to the deadline. */
export function unavailable(cause: unknown): Fault {
  return new Fault("service.unavailable", "The service is busy. Try again in a moment.", { cause });
}

/** A 5xx, what is not JSON, such as the error page of a proxy, or a refusal that the client has corrected for. */
function isTransientResponse(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  // After a refusal for a wrong clock, the client signs the next attempt with the corrected time.
  return error.status >= 500 || error.isClockCorrected || error instanceof UnreadableResponse;
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
  return error instanceof TransactionCancelled && error.reasons.some((reason) => reason.Code === "ValidationError");
}

/** What DynamoDB throws for a request that it rejects whatever the table contains. */
export function invalidRequest(message: string): Error {
  return new DatabaseError("ValidationException", message);
}
