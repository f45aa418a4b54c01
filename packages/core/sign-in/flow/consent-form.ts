/** The form of the page that asks for consent. */

import { whileStale } from "../../database/table/stale.ts";
import { mustChangePassword } from "../../directory/users/model.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import type { Language } from "../pages/language.ts";
import { findConsent, storingConsent } from "../sessions/consent-store.ts";
import { mayUse, NO_ACCESS, sayNoAccess } from "./access.ts";
import { answeredBefore, answering } from "./answering.ts";
import { askConsent } from "./ask-consent.ts";
import { askPassword } from "./ask-password.ts";
import type { Asked, Known } from "./asked.ts";
import { AuthorizationError } from "./authorization-error.ts";
import { furtherClaims, guestClaims, type TenantFacts, tenantFacts } from "./code.ts";
import type { SignInContext } from "./context.ts";
import { standingIn } from "./factors.ts";
import { inLanguage, type OpenedForm, opened, type PageHeaders } from "./forms.ts";
import { issue, refuse, tell } from "./issue.ts";
import type { ConsentRequest } from "./pending.ts";
import { currentSession, guestSession, referenceOf } from "./session.ts";
import { refusalOf } from "./steps.ts";
import { taken } from "./taken.ts";
import { PagesUsed } from "./used-pages-store.ts";
import { lackingWays } from "./ways.ts";

/** What the form contains. */
export interface ConsentAnswer {
  readonly request: string;
  readonly answer?: "allow" | "deny" | "other" | undefined;
  /** The button of another language. */
  readonly language?: Language | undefined;
}

/**
 * Stores the consent and sends a code, or sends the refusal. Throws `request.invalid` for a form that does not count.
 */
export async function takeConsent(
  body: ConsentAnswer,
  headers: PageHeaders,
  context: SignInContext,
): Promise<PageResult> {
  const sent = opened("consent", body.request, headers, context);
  const form = body.language ? inLanguage(sent, body.language) : sent;
  // A consent that was taken back meanwhile must not come back with this one.
  return whileStale(() => answerConsent(form, body, context)).catch((error: unknown) => {
    throw error instanceof PagesUsed ? answeredBefore() : error;
  });
}

/** Reads everything as it is now, and answers. */
async function answerConsent(
  form: OpenedForm<"consent">,
  { answer, language }: ConsentAnswer,
  context: SignInContext,
): Promise<PageResult> {
  const { request } = form.pending;
  const { tenant, clientId, scopes, applicationId } = request;
  const reference = referenceOf(context, form.pending.session);
  const isGuest = reference !== undefined && reference.tenant !== tenant;
  const [asked, current, facts, before] = await Promise.all([
    taken(form, context),
    reference && (isGuest ? guestSession : currentSession)(reference, clientId, context),
    tenantFacts(tenant, scopes, context),
    reference && findConsent(context.table, reference.tenant, reference.userId, applicationId),
  ]);
  // The session ended meanwhile, is not the one that was asked, or is of a guest whom the application takes no more.
  if (!current || (isGuest && !asked.client.settings.takesGuests)) return askPassword(asked, context);
  if (answer === "other") return askPassword(asked, context);
  if (language) return shownAgain(asked, { current, facts }, request, context);
  if (answer !== "allow") {
    const steps = answering(request, context.now);
    if (steps.length > 0) await context.table.write(...steps);
    const why = request.lacksAccess ? NO_ACCESS : "The user did not agree.";
    return tell(new AuthorizationError("access_denied", why), asked, context);
  }
  // The account or the application may ask for more than before: the form proves nothing but the consent.
  const standing = standingIn(current);
  if (mustChangePassword(current.user) || lackingWays(asked.steps, standing.methods)) {
    return askPassword(asked, context);
  }
  // Lost since the page was shown, or never had: that page can only be refused.
  if (request.lacksAccess || !(await mayUse(asked, current, context))) return sayNoAccess(asked, current, context);
  const given = isGuest ? givenByGuest(asked, request, facts) : undefined;
  const agreed = { ...asked, ...(given && { given }) };
  const claims = given ?? furtherClaims(request, asked.application, facts.known);
  const owner = { tenant: current.session.tenant, userId: current.user.id, applicationId };
  const consent = { ...(isGuest && { tenant }), scopes, claims, givenMs: context.now };
  const step = storingConsent(owner, before, consent);
  const refusal = refusalOf(agreed, current, true);
  if (refusal) return refuse(refusal, agreed, current, [step], context);
  return issue(agreed, current, facts, [step], context);
}

/** The page that the form is from, in the language of `asked`. */
function shownAgain(
  asked: Asked,
  { current, facts }: Pick<Known, "current" | "facts">,
  { lacksAccess, given }: ConsentRequest,
  context: SignInContext,
): PageResult {
  if (lacksAccess) return sayNoAccess(asked, current, context);
  return askConsent({ ...asked, ...(given && { given }) }, current, facts, context);
}

/** What a guest gives who agrees to a page: what the page named, whatever the application was changed to since. */
function givenByGuest({ application }: Asked, request: ConsentRequest, { known }: TenantFacts): readonly string[] {
  const named = new Set(request.given);
  return guestClaims(request, application, known).filter((name) => named.has(name));
}
