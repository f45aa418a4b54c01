/** Which failures of DynamoDB and of the network are retried. The table retries alone: the SDK makes one attempt. */
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { isTransient } from "#core/table/failures.ts";

const failure = (fields: object): Error => Object.assign(new Error("a failure"), fields);
const cancelled = (...codes: string[]): Error =>
  new TransactionCanceledException({
    message: "cancelled",
    $metadata: {},
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

test.each<[string, Error]>([
  ["a throttled call", failure({ name: "ThrottlingException" })],
  ["a silent database", failure({ name: "TimeoutError" })],
  ["a connection that is cut", failure({ code: "ECONNRESET" })],
  ["a host that cannot be reached", failure({ code: "EHOSTUNREACH" })],
  ["a 5xx with an unknown name", failure({ name: "Odd", $metadata: { httpStatusCode: 502 } })],
  ["the error page of a proxy", Object.assign(new SyntaxError("<"), { $response: { statusCode: 200 } })],
  [
    "a wrong clock that the SDK has corrected",
    failure({ $metadata: { httpStatusCode: 400, clockSkewCorrected: true } }),
  ],
  ["a transaction in conflict", cancelled("None", "TransactionConflict")],
])("%s is retried", (_, error) => expect(isTransient(error)).toBe(true));

test.each<[string, unknown]>([
  ["a failed condition, even next to a conflict", cancelled("ConditionalCheckFailed", "TransactionConflict")],
  ["a call that is not allowed", failure({ name: "AccessDeniedException", $metadata: { httpStatusCode: 400 } })],
  ["an invalid call", failure({ name: "ValidationException", $metadata: { httpStatusCode: 400 } })],
  ["a defect of ours", new SyntaxError("not JSON")],
  ["a thrown text", "ECONNRESET"],
])("%s is not retried", (_, error) => expect(isTransient(error)).toBe(false));
