/** What the client throws for a call that DynamoDB refuses, or that gets no answer. */
import type { StoredItem } from "./values.ts";

/** Why one step of a transaction cancelled it; `None` for those that did not. */
export interface CancellationReason {
  readonly Code?: string;
  readonly Message?: string;
  /** The current item, where the step asked for it. */
  readonly Item?: StoredItem;
}

/** An error of DynamoDB. `name` is its type, such as `ThrottlingException`. */
export class DatabaseError extends Error {
  override readonly name: string;
  /** The status of the response; 0 where there was none. */
  readonly status: number;
  /** True where the clock was wrong: the next call is signed with the time of DynamoDB. */
  readonly isClockCorrected: boolean;
  constructor(name: string, message: string, status = 0, isClockCorrected = false) {
    super(message);
    this.name = name;
    this.status = status;
    this.isClockCorrected = isClockCorrected;
  }
}

/** A cancelled transaction, with a reason for each of its steps. */
export class TransactionCancelled extends DatabaseError {
  readonly reasons: readonly CancellationReason[];
  constructor(message: string, reasons: readonly CancellationReason[], status = 0) {
    super("TransactionCanceledException", message, status);
    this.reasons = reasons;
  }
}

/** A call without an answer in its time. */
export class CallTimeout extends Error {
  override readonly name = "TimeoutError";
}

/** A response that is not what DynamoDB sent: a page of a proxy, or damaged on its way. */
export class UnreadableResponse extends DatabaseError {
  constructor(message: string, status: number) {
    super("UnreadableResponse", message, status);
  }
}
