/** The end of a sign-in: answers as the protocol of the request does. */
import type { Step } from "../../database/table/table.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { answering, storingSession } from "./answering.ts";
import type { Asked } from "./asked.ts";
import type { AuthorizationError } from "./authorization-error.ts";
import type { TenantFacts } from "./code.ts";
import type { SignInContext } from "./context.ts";
import { protocolOf } from "./protocols/protocols.ts";
import type { Current } from "./session.ts";

/** Answers as the protocol of the request does. One round trip at most. */
export function issue(
  asked: Asked,
  current: Current,
  facts: TenantFacts,
  steps: readonly Step[],
  context: SignInContext,
): Promise<PageResult> {
  return protocolOf(asked.request).answer(asked, current, facts, steps, context);
}

/** Tells the client why the user of a session gets no answer. */
export async function refuse(
  refusal: AuthorizationError,
  asked: Asked,
  current: Current,
  steps: readonly Step[],
  context: SignInContext,
): Promise<PageResult> {
  await storingSession(current, [...answering(asked.request, context.now), ...steps], context);
  return tell(refusal, asked, context);
}

/** Tells the client why there is no answer. */
export async function tell(
  error: AuthorizationError,
  asked: Parameters<ReturnType<typeof protocolOf>["tell"]>[1],
  context: SignInContext,
): Promise<PageResult> {
  return protocolOf(asked.request).tell(error, asked, context);
}
