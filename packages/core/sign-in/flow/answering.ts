/** The last write of a sign-in: it stores the answer with the session, and uses the request up. */
import type { Step } from "../../database/table/table.ts";
import { Fault } from "../../kernel/faults.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { SignInContext } from "./context.ts";
import { usingPushed } from "./pushed-store.ts";
import type { Current } from "./session.ts";
import { usingPages } from "./used-pages-store.ts";

/** Applies steps together with what is to be stored of the session. No round trip where there is nothing to store. */
export async function storingSession(
  { storing }: Pick<Current, "storing">,
  steps: readonly Step[],
  { table }: SignInContext,
): Promise<void> {
  const all = [...steps, ...(storing ? [storing] : [])];
  if (all.length > 0) await table.write(...all);
}

/**
 * The steps that use a request up with its answer: its pages, and a pushed request. For a second answer they throw
 * `PagesUsed`, or `request.invalid`.
 */
export function answering(request: AuthorizationRequest, nowMs: number): readonly Step[] {
  const { pushed } = request;
  return [...(pushed === undefined ? [] : [usingPushed(pushed, answeredBefore)]), ...usingPages(request, nowMs)];
}

/** What a second answer throws where the person cannot go on from here. */
export function answeredBefore(): Fault {
  return new Fault("request.invalid", "This request was answered before. Go back to the application and start again.");
}
