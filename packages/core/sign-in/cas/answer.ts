/** The answer to a request after the sign-in: a ticket for the session of the user, or none. */
import { Fault } from "../../kernel/faults.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { mayUse, NO_ACCESS } from "../flow/access.ts";
import { formTargetOf } from "../flow/answers.ts";
import { changed } from "../flow/asked.ts";
import { findService } from "../flow/cas/service.ts";
import { localesIn } from "../flow/cookies.ts";
import { languageOf } from "../pages/language.ts";
import { leadTo } from "../pages/layout.ts";
import { formPostPage } from "../pages/pages.ts";
import { checkStill, openedAnswer, sessionOf, unknownTicket } from "../sso/still.ts";
import type { CasContext } from "./context.ts";
import { issuing } from "./issue.ts";

interface Headers {
  readonly "accept-language"?: string | undefined;
}

/**
 * Sends the browser to the service with a ticket, if the sign-in would end like this now. Two round trips, one more
 * where the application asks for an assignment. Throws `request.invalid` for a text that this service did not seal, is
 * older than a minute or was made in another browser, and where the person gets no ticket: a service that is told
 * nothing would ask again. One that asked with `gateway` is told by an address without a ticket.
 */
export async function sendTicket(answer: string, headers: Headers, context: CasContext): Promise<PageResult> {
  const ticket = openedAnswer(answer, context);
  const { request, refusal } = ticket;
  const { cas: asked, to } = request;
  if (!asked || asked.kind !== context.tools.casKind) throw unknownTicket();
  const [asker, signedIn] = await Promise.all([findService(request, context), sessionOf(ticket, context)]);
  if (!asker) throw changed();
  if (refusal && asked.isGateway) return leadTo(to.redirectUri, { isAfterForm: false });
  if (refusal) throw new Fault("request.invalid", refusal.message);
  if (!signedIn) throw unknownTicket();
  checkStill(ticket, signedIn, asker, context);
  const { current } = signedIn;
  if (!(await mayUse({ request, ...asker }, current, context))) throw new Fault("request.invalid", NO_ACCESS);
  const isFromNewLogin = current.session.startedMs >= asked.takenMs;
  const { text, steps } = await issuing({ kind: "service", request, asker, current, isFromNewLogin }, context);
  await context.table.write(...steps);
  if (to.mode === "form_post") {
    const language = languageOf(localesIn(context.cookies), headers["accept-language"]);
    const shown = { language, brand: context.tools.settings.brandOf(request.tenant) };
    return formPostPage(to.redirectUri, { ticket: text }, shown, { formTarget: formTargetOf(to.redirectUri) });
  }
  const joined = to.redirectUri.includes("?") ? "&" : "?";
  return leadTo(`${to.redirectUri}${joined}ticket=${text}`, { isAfterForm: false });
}
