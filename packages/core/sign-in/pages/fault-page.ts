/** A failure as a page: for operations that answer people. */
import type { PageResult } from "../../operation/operation.ts";
import type { Fault } from "../../platform/faults.ts";
import { languageOf } from "./messages.ts";
import { errorPage } from "./pages.ts";

/** The page of a failure. It says what a JSON answer would say. */
export function faultPage(
  fault: Fault,
  { traceId, headers }: { readonly traceId: string; readonly headers: Readonly<Record<string, string | undefined>> },
): PageResult {
  const { status, retryAfterSeconds } = fault.row;
  const retry: Readonly<Record<string, string>> = retryAfterSeconds ? { "retry-after": String(retryAfterSeconds) } : {};
  const detail = status < 500 || status === 503 ? fault.description : fault.publicMessage;
  const language = languageOf(undefined, headers["accept-language"]);
  return errorPage({ language, status, detail, traceId, headers: { ...retry, ...fault.headers } });
}
