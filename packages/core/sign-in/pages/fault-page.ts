/** A failure as a page: for operations that answer people. */

import type { Fault } from "../../kernel/faults.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { languageOf } from "./language.ts";
import { languages } from "./messages.ts";
import { noSuchPage } from "./no-such-page.ts";
import { errorPage, formAddressPage } from "./pages.ts";

/** The page of a failure. It says what the person can do; what a JSON answer would say is folded up. */
export async function faultPage(
  fault: Fault,
  { traceId, headers }: { readonly traceId: string; readonly headers: Readonly<Record<string, string | undefined>> },
): Promise<PageResult> {
  const { status, retryAfterSeconds } = fault.row;
  const retry: Readonly<Record<string, string>> = retryAfterSeconds ? { "retry-after": String(retryAfterSeconds) } : {};
  const language = languageOf(undefined, headers["accept-language"]);
  if (status === 404) return noSuchPage(language);
  if (status === 405) return formAddressPage({ language }, { status, headers: { ...fault.headers, vary: "accept" } });
  const answer = { language, status, traceId, headers: { ...retry, ...fault.headers } };
  const sentence = personal.find((name) => languages.en[name] === fault.description);
  if (sentence) return errorPage({ ...answer, sentence });
  if (status >= 500 && status !== 503) return errorPage({ ...answer, sentence: "errorHere" });
  const isBusy = status === 503 || status === 429;
  return errorPage({
    ...answer,
    sentence: isBusy ? "errorBusy" : "errorByApplication",
    detail: fault.description,
  });
}

/** The sentences that faults have for the person in the browser, by their English text. */
const personal = ["expired", "changedMeanwhile", "answeredBefore", "sessionEnded", "notSignedIn"] as const;
