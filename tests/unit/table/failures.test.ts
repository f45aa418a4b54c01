/** Which failures of DynamoDB and of the network are retried. The table retries: its client makes one attempt. */
import { expect, test } from "vitest";
import { DatabaseError, TransactionCancelled, UnreadableResponse } from "#core/database/table/client/errors.ts";
import { isTransient } from "#core/database/table/failures.ts";

const failure = (fields: object): Error => Object.assign(new Error("a failure"), fields);
const cancelled = (...codes: string[]): Error =>
  new TransactionCancelled(
    "cancelled",
    codes.map((Code) => ({ Code })),
    400,
  );

test.each<[string, Error]>([
  ["a throttled call", failure({ name: "ThrottlingException" })],
  ["a silent database", failure({ name: "TimeoutError" })],
  ["a connection that is cut", failure({ code: "ECONNRESET" })],
  ["a host that cannot be reached", failure({ code: "EHOSTUNREACH" })],
  ["a 5xx with an unknown name", new DatabaseError("Odd", "", 502)],
  ["the error page of a proxy", new UnreadableResponse("<", 200)],
  ["a wrong clock that the client has corrected", new DatabaseError("InvalidSignatureException", "", 400, true)],
  ["a transaction in conflict", cancelled("None", "TransactionConflict")],
])("%s is retried", (_, error) => expect(isTransient(error)).toBe(true));

test.each<[string, unknown]>([
  ["a failed condition, even next to a conflict", cancelled("ConditionalCheckFailed", "TransactionConflict")],
  ["a call that is not allowed", new DatabaseError("AccessDeniedException", "", 400)],
  ["an invalid call", new DatabaseError("ValidationException", "", 400)],
  ["a defect of ours", new SyntaxError("not JSON")],
  ["a thrown text", "ECONNRESET"],
])("%s is not retried", (_, error) => expect(isTransient(error)).toBe(false));
