/** Asks the user of a session to agree to what the client wants. */
import { type PageResult, SIGNED_IN } from "../../kernel/operation/operation.ts";
import { scopeForGuest, shownClaim } from "../openid/guest-claims.ts";
import { signInScopes } from "../openid/scopes.ts";
import { inTenant } from "../openid/user-claims.ts";
import { claimInWords, scopeInWords } from "../pages/consent-words.ts";
import { languages } from "../pages/messages.ts";
import { consentPage } from "../pages/pages.ts";
import { pathOf } from "../pages/paths.ts";
import { ACCOUNT_PATH } from "./account.ts";
import { formTargetOf } from "./answers.ts";
import { type Asked, isGuestOf } from "./asked.ts";
import { furtherClaims, type TenantFacts } from "./code.ts";
import type { SignInContext } from "./context.ts";
import { actionOf } from "./forms.ts";
import { sealPending } from "./pending.ts";
import type { Current } from "./session.ts";
import { withPages } from "./used-pages-store.ts";

/** Asks for consent. A guest is shown each claim that the application gets. */
export function askConsent(asked: Asked, current: Current, { known }: TenantFacts, context: SignInContext): PageResult {
  const { request, application, language, browser, cookies, given } = asked;
  const session = current.reference.digest;
  const ofSignIn = new Set(signInScopes(request.scopes, known));
  const scopes = request.scopes.map((name) => {
    const ofTenant = ofSignIn.has(name) ? known.find((each) => each.name === name) : undefined;
    if (name === SIGNED_IN) return { name: languages[language].consentOwnAccount };
    return scopeInWords(name, given ? scopeForGuest(name, ofTenant) : ofTenant, language);
  });
  const further = (given ?? furtherClaims(request, application, known)).map(shownClaim);
  const claims = further.map((name) => claimInWords(name, language));
  return consentPage(
    {
      language,
      brand: context.tools.settings.brandOf(request.tenant),
      application: application.name,
      action: actionOf("consent", request.tenant),
      request: sealPending(context.tools.seal, "consent", {
        request: { ...withPages(request), ...(given && { given }) },
        browser,
        session,
        nowMs: context.now,
      }),
      userName: inTenant(current.user.userName, {
        tenant: current.session.tenant,
        isGuest: isGuestOf(request, current),
      }),
      scopes: [...scopes, ...claims],
      account: pathOf(ACCOUNT_PATH, current.session.tenant),
    },
    { cookies, formTarget: formTargetOf(request.to.redirectUri) },
  );
}
