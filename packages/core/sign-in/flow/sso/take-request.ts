/** Takes a request that the function of single sign-on has read and verified (decision 0195). */
import { SUPER_TENANT } from "../../../kernel/domain/tenant.ts";
import { Fault } from "../../../kernel/faults.ts";
import type { PageResult } from "../../../kernel/operation/operation.ts";
import { languageOf } from "../../pages/language.ts";
import { arrive, candidatesFor } from "../arrive.ts";
import { type Asked, changed, isGuestOf } from "../asked.ts";
import { AuthorizationError } from "../authorization-error.ts";
import type { SignInContext } from "../context.ts";
import { browserText, localesIn } from "../cookies.ts";
import type { PageHeaders } from "../forms.ts";
import { tell } from "../issue.ts";
import { protocolOf } from "../protocols/protocols.ts";
import { stepsOf } from "../ways.ts";
import { openRequest } from "./tickets.ts";

/**
 * Answers from the session of the browser, or asks. One round trip before that. Throws `request.invalid` for a text
 * that is no such request, or that was made some minutes ago.
 */
export async function takeSsoRequest(text: string, headers: PageHeaders, context: SignInContext): Promise<PageResult> {
  const ticket = openRequest(context.tools.seal, text, context.now);
  if (ticket?.request.tenant !== (context.pathTenant ?? SUPER_TENANT)) throw new Fault("request.invalid", TOO_OLD);
  const { request, takesGuests } = ticket;
  const language = languageOf(localesIn(context.cookies), headers["accept-language"]);
  const [asker, candidates] = await Promise.all([
    protocolOf(request).find(request, language, context),
    candidatesFor(request, takesGuests, context),
  ]);
  if (!asker) throw changed();
  const browser = browserText(context.cookies);
  const asked: Asked = {
    ...asker,
    request,
    steps: stepsOf(asker.application, request, context.tools),
    tenant: request.tenant,
    language,
    brand: context.tools.settings.brandOf(request.tenant),
    isAfterForm: false,
    cookies: browser.setting,
    browser: browser.text,
  };
  const taken = candidates.filter(({ current }) => asker.client.settings.takesGuests || !isGuestOf(request, current));
  try {
    return await arrive(asked, taken, { known: [], everyoneId: undefined }, context);
  } catch (error) {
    if (error instanceof AuthorizationError) return tell(error, asked, context);
    throw error;
  }
}

const TOO_OLD = "This address is some minutes old, or was changed. Go back to the application and start again.";
