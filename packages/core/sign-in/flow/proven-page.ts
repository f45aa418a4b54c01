/** What the pages after the password have in common: their sealed form, and how they are answered. */
import { qualifiedName } from "../../directory/users/model.ts";
import { inTenant } from "../openid/user-claims.ts";
import { formTargetOf } from "./answers.ts";
import type { Asked } from "./asked.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { SignInContext } from "./context.ts";
import { type ProvenRequest, provenBy, type Standing } from "./factors.ts";
import { actionOf } from "./forms.ts";
import { type ProvenStage, sealPending } from "./pending.ts";
import { withPages } from "./used-pages-store.ts";

/** What the page of a stage needs, with its sealed form. `more`: what the form has besides what is proven. */
export function sealed(
  stage: ProvenStage,
  asked: Asked,
  standing: Standing,
  { tools: { seal, settings }, now: nowMs }: SignInContext,
  more: Pick<ProvenRequest, "setup" | "challenge"> = {},
) {
  const { application, language, browser } = asked;
  const { tenant } = asked.request;
  const pages = pagesOf(asked.request);
  const request: ProvenRequest = { tenant, asked: pages, proven: provenBy(standing, tenant), ...more };
  return {
    language,
    brand: settings.brandOf(tenant),
    application: application.name,
    userName: userNameOf(standing, tenant),
    action: actionOf(stage, tenant),
    request: sealPending(seal, stage, { request, browser, session: standing.session?.reference.digest, nowMs }),
  };
}

/** The name of somebody, as pages of a tenant show it and take it. */
export function userNameOf({ user, home }: Standing, tenant: string): string {
  return inTenant(qualifiedName(user), { tenant: home, isGuest: home !== tenant });
}

/** A request with its pages: those that follow one another are those of one sign-in. */
export function pagesOf(request: AuthorizationRequest): AuthorizationRequest {
  return request.pages === undefined ? withPages(request) : request;
}

/** How a page on the way to the application is answered. */
export function optionsOf({ cookies, request }: Asked) {
  return { cookies, formTarget: formTargetOf(request.to.redirectUri) };
}
