/** The request of a form, with its application as that is now. */
import { type Asked, changed } from "./asked.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { SignInContext } from "./context.ts";
import type { OpenedForm } from "./forms.ts";
import type { Stage } from "./pending.ts";
import { protocolOf } from "./protocols/protocols.ts";
import { stepsOf } from "./ways.ts";

/**
 * The request of a form. One round trip. Throws `request.invalid` where the application has changed meanwhile, or its
 * tenant is not active any more.
 */
export function taken(form: OpenedForm<"sign-in" | "consent">, context: SignInContext): Promise<Asked> {
  return takenRequest(form.pending.request, form, context);
}

/** The same of a form that has the request among other things. */
export async function takenRequest(
  request: AuthorizationRequest,
  { pending: { session }, browser, language }: OpenedForm<Stage>,
  context: SignInContext,
): Promise<Asked> {
  const asker = await protocolOf(request).find(request, language, context);
  if (!asker) throw changed();
  const sending = sendingOf(request.tenant, { browser, language }, context);
  const steps = stepsOf(asker.application, request, context.tools);
  return { ...sending, request, ...asker, steps, browser: browser.text, session };
}

function sendingOf(
  tenant: string,
  { browser, language }: Pick<OpenedForm<Stage>, "browser" | "language">,
  { tools }: SignInContext,
) {
  return { tenant, language, brand: tools.settings.brandOf(tenant), cookies: browser.setting, isAfterForm: true };
}
