/** Access of the person who is signed in to the application that asks (decision 0170). */
import type { PageResult } from "../../kernel/operation/operation.ts";
import { type AccessStores, hasAccess } from "../authentication/access.ts";
import { inTenant } from "../openid/user-claims.ts";
import { noAccessPage } from "../pages/no-access-page.ts";
import { formTargetOf } from "./answers.ts";
import { type Asked, isGuestOf } from "./asked.ts";
import type { SignInContext } from "./context.ts";
import { actionOf } from "./forms.ts";
import { sealPending } from "./pending.ts";
import type { Current } from "./session.ts";
import { withPages } from "./used-pages-store.ts";

/** What the client is told. */
export const NO_ACCESS = "The user has no access to this application.";

/**
 * Whether the user of a session may use the application. No round trip where it asks for no assignment. Guests may not:
 * they cannot be assigned.
 */
export async function mayUse(
  { request, application }: Pick<Asked, "request" | "application">,
  current: Current,
  context: AccessStores,
) {
  if (!application.advancedConfigurations.enableAuthorization) return true;
  if (isGuestOf(request, current)) return false;
  return hasAccess(context, { tenant: request.tenant, applicationId: application.id, user: current.user });
}

/** Says that the person has no access, and whom to ask; from there it goes back to the client. */
export function sayNoAccess(asked: Asked, current: Current, context: SignInContext): PageResult {
  const { request, application, language, browser, cookies } = asked;
  const brand = context.tools.settings.brandOf(request.tenant);
  return noAccessPage(
    {
      language,
      brand,
      application: application.name,
      tenant: brand.name ?? request.tenant,
      // The form of consent that can only be refused: who allows it is asked for access again.
      action: actionOf("consent", request.tenant),
      request: sealPending(context.tools.seal, "consent", {
        request: { ...withPages(request), lacksAccess: true },
        browser,
        session: current.reference.digest,
        nowMs: context.now,
      }),
      userName: inTenant(current.user.userName, {
        tenant: current.session.tenant,
        isGuest: isGuestOf(request, current),
      }),
    },
    { cookies, formTarget: formTargetOf(request.to.redirectUri) },
  );
}
