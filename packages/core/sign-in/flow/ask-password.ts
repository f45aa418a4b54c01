/** Asks for a user name and a password: the page that a sign-in begins with. */
import type { PageResult } from "../../kernel/operation/operation.ts";
import { type SignInForm, signInPage } from "../pages/pages.ts";
import { pathOf, recoveryPaths } from "../pages/paths.ts";
import { formTargetOf } from "./answers.ts";
import type { Asked } from "./asked.ts";
import type { SignInContext } from "./context.ts";
import { actionOf } from "./forms.ts";
import { sealPending } from "./pending.ts";
import { withPages } from "./used-pages-store.ts";

/** Asks for a user name and a password. */
export function askPassword(
  asked: Asked,
  context: SignInContext,
  more: Pick<SignInForm, "userName" | "problem"> = {},
): PageResult {
  const { request, application, client, language, browser, cookies } = asked;
  const waiting = { ...withPages(request), ...(client.settings.takesGuests && { takesGuests: true }) };
  return signInPage(
    {
      language,
      brand: context.tools.settings.brandOf(request.tenant),
      application: application.name,
      identifiers: context.tools.settings.identifiers,
      action: actionOf("sign-in", request.tenant),
      request: sealPending(context.tools.seal, "sign-in", { request: waiting, browser, nowMs: context.now }),
      ...(context.tools.recovers && { forgot: pathOf(recoveryPaths.forgot, request.tenant) }),
      ...(context.tools.registers(request.tenant) && { register: pathOf(recoveryPaths.register, request.tenant) }),
      ...more,
    },
    { cookies, formTarget: formTargetOf(request.to.redirectUri) },
  );
}
