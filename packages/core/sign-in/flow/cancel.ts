/** Ends a sign-in that its person gives up: the client hears of it, and nothing is given (decision 0187). */
import type { PageResult } from "../../kernel/operation/operation.ts";
import { answering } from "./answering.ts";
import { askPassword } from "./ask-password.ts";
import { AuthorizationError } from "./authorization-error.ts";
import type { SignInContext } from "./context.ts";
import { opened, type PageHeaders } from "./forms.ts";
import { tell } from "./issue.ts";
import type { MailedStage, ProvenStage } from "./pending.ts";
import { takenRequest } from "./taken.ts";
import { PagesUsed } from "./used-pages-store.ts";

/**
 * Sends `access_denied` to the client of a form. Where something is proven, its pages are used up: they no longer
 * lead to a session. From the own account it leads back there. Throws `request.invalid` for a form that does not
 * count.
 */
export async function cancel(
  stage: ProvenStage | MailedStage | "sign-in",
  text: string,
  headers: PageHeaders,
  context: SignInContext,
): Promise<PageResult> {
  const form = opened(stage, text, headers, context);
  const { request } = form.pending;
  const wanted = "asked" in request ? request.asked : request;
  const asked = await takenRequest(wanted, form, context);
  const steps = "asked" in request ? answering(wanted, context.now) : [];
  try {
    if (steps.length > 0) await context.table.write(...steps);
  } catch (error) {
    if (error instanceof PagesUsed) return askPassword(asked, context, { problem: "used" });
    throw error;
  }
  return tell(CANCELLED, asked, context);
}

const CANCELLED = new AuthorizationError("access_denied", "The user cancelled the sign-in.");
