/** The form of the page that asks for consent. */
import { mustChangePassword } from "../identities/users/model.ts";
import type { PageResult } from "../operation/operation.ts";
import { findConsent, storingConsent } from "../sessions/consent-store.ts";
import { whileStale } from "../table/stale.ts";
import { answerError } from "./answers.ts";
import { AuthorizationError } from "./authorization-error.ts";
import { furtherClaims, guestClaims, type TenantFacts, tenantFacts } from "./code.ts";
import type { SignInContext } from "./context.ts";
import { lackingFactors, standingIn } from "./factors.ts";
import { type Asked, answering, askPassword, issue, refusalOf, refuse, taken } from "./flow.ts";
import { type OpenedForm, opened, type PageHeaders } from "./forms.ts";
import type { ConsentRequest } from "./pending.ts";
import { currentSession, guestSession, referenceOf } from "./session.ts";

/** What the form contains. */
export interface ConsentAnswer {
  readonly request: string;
  readonly answer?: "allow" | "deny" | undefined;
}

/**
 * Stores the consent and sends a code, or sends the refusal. Throws `request.invalid` for a form that does not count.
 */
export async function takeConsent(
  body: ConsentAnswer,
  headers: PageHeaders,
  context: SignInContext,
): Promise<PageResult> {
  const form = opened("consent", body.request, headers, context);
  // A consent that was taken back meanwhile must not come back with this one.
  return whileStale(() => answerConsent(form, body.answer, context));
}

/** Reads everything as it is now, and answers. */
async function answerConsent(
  form: OpenedForm<"consent">,
  answer: ConsentAnswer["answer"],
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
  if (answer !== "allow") {
    const steps = answering(request);
    if (steps.length > 0) await context.table.write(...steps);
    return answerError(new AuthorizationError("access_denied", "The user did not agree."), request.to, asked, context);
  }
  // The account or the application may ask for more than before: the form proves nothing but the consent.
  const standing = standingIn(current);
  if (mustChangePassword(current.user) || lackingFactors(asked, standing.methods)) {
    return askPassword(asked, context);
  }
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

/** What a guest gives who agrees to a page: what the page named, whatever the application was changed to since. */
function givenByGuest({ application }: Asked, request: ConsentRequest, { known }: TenantFacts): readonly string[] {
  const named = new Set(request.given);
  return guestClaims(request, application, known).filter((name) => named.has(name));
}
