/** What the pages after the password have in common: their sealed form, and how they are answered. */
import { qualifiedName } from "../identities/users/model.ts";
import { inTenant } from "../openid/user-claims.ts";
import { formTargetOf } from "./answers.ts";
import type { SignInContext } from "./context.ts";
import { type ProvenRequest, provenBy, type Standing } from "./factors.ts";
import type { Asked } from "./flow.ts";
import { pathOf } from "./forms.ts";
import { sealPending } from "./pending.ts";

const paths = {
  code: "/oauth2/code",
  setup: "/oauth2/code-setup",
  saved: "/oauth2/codes-saved",
  passkey: "/oauth2/passkey",
  "passkey-setup": "/oauth2/passkey-setup",
  "new-password": "/oauth2/new-password",
} as const;

/** What the page of a stage needs, with its sealed form. `more`: what the form has besides what is proven. */
export function sealed(
  stage: keyof typeof paths,
  asked: Asked,
  standing: Standing,
  { tools: { seal, settings }, now: nowMs }: SignInContext,
  more: Pick<ProvenRequest, "setup" | "challenge"> = {},
) {
  const { request: wanted, application, language, browser } = asked;
  const { tenant } = wanted;
  const request: ProvenRequest = { tenant, asked: wanted, proven: provenBy(standing, tenant), ...more };
  return {
    language,
    brand: settings.brandOf(tenant),
    application: application.name,
    userName: inTenant(qualifiedName(standing.user), { tenant: standing.home, isGuest: standing.home !== tenant }),
    action: pathOf(paths[stage], tenant),
    request: sealPending(seal, stage, { request, browser, session: standing.session?.reference.digest, nowMs }),
  };
}

/** How a page on the way to the application is answered. */
export function optionsOf({ cookies, request }: Asked) {
  return { cookies, formTarget: formTargetOf(request.to.redirectUri) };
}
