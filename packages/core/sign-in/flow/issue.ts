/** The last write of a sign-in: it stores the code with the session, and uses the request up. */
import type { Step } from "../../database/table/table.ts";
import { Fault } from "../../kernel/faults.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { digestOf } from "../../tokens/opaque.ts";
import { leadTo } from "../pages/layout.ts";
import { pathOf } from "../pages/paths.ts";
import { pathOfVisit } from "./account.ts";
import { answerCode, answerError } from "./answers.ts";
import type { Asked } from "./asked.ts";
import type { AuthorizationError } from "./authorization-error.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { newCode, type TenantFacts } from "./code.ts";
import type { SignInContext } from "./context.ts";
import { front, storingAnswer } from "./front-store.ts";
import { usingPushed } from "./pushed-store.ts";
import type { Current } from "./session.ts";
import { usingPages } from "./used-pages-store.ts";

/**
 * Stores a code and sends it, or lets the browser fetch an answer with tokens. The pages of the own account get the
 * session alone. One round trip.
 */
export async function issue(
  asked: Asked,
  current: Current,
  facts: TenantFacts,
  steps: readonly Step[],
  context: SignInContext,
): Promise<PageResult> {
  const { request, browser } = asked;
  if (request.account) {
    const all = [...answering(request, context.now), ...steps, ...(current.storing ? [current.storing] : [])];
    if (all.length > 0) await context.table.write(...all);
    return leadTo(pathOf(pathOfVisit(request.account), request.tenant), asked);
  }
  const { text, code, noting, storing } = await newCode(asked, current, facts, context);
  const { types, to, tenant } = request;
  const before = [...answering(request, context.now), ...steps, ...noting];
  if (!types) {
    await context.table.write(...before, storing);
    return answerCode(text, to, asked, context);
  }
  // The function that signs tokens sends such an answer: this one holds no key.
  const { ticket, step } = storingAnswer({ code, types, browser: digestOf(browser), ...front(to) });
  await context.table.write(...before, step);
  return leadTo(`${pathOf("/oauth2/answer", tenant)}?ticket=${ticket}`, asked);
}

/** Tells the client why the user of a session gets no code. */
export async function refuse(
  refusal: AuthorizationError,
  asked: Asked,
  current: Current,
  steps: readonly Step[],
  context: SignInContext,
): Promise<PageResult> {
  const { request } = asked;
  const all = [...answering(request, context.now), ...steps, ...(current.storing ? [current.storing] : [])];
  if (all.length > 0) await context.table.write(...all);
  return answerError(refusal, request.to, asked, context);
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
