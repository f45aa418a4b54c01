/**
 * Whether a sign-in would end like this now: what the function of sign-in decided up to a minute ago is decided again
 * when the answer leaves, in every protocol of the function of single sign-on (decision 0195).
 */

import { mustChangePassword } from "../../directory/users/model.ts";
import { Fault } from "../../kernel/faults.ts";
import { digestOf } from "../../tokens/opaque.ts";
import { mayUse } from "../flow/access.ts";
import { changed, isGuestOf } from "../flow/asked.ts";
import type { AuthorizationRequest } from "../flow/authorization-request.ts";
import { browserText } from "../flow/cookies.ts";
import { standingIn } from "../flow/factors.ts";
import type { Asker } from "../flow/protocols/protocol.ts";
import { type Current, currentSession, guestSession, referenceOf } from "../flow/session.ts";
import { shownClaims } from "../flow/sso/claims.ts";
import { type AnswerTicket, openAnswer } from "../flow/sso/tickets.ts";
import { lackingWays, stepsOf } from "../flow/ways.ts";
import { missingClaims } from "../openid/user-claims.ts";
import { type Consent, covers, findConsent, skipsConsent } from "../sessions/consent-store.ts";
import { type SsoContext, tenantOf } from "./context.ts";

/** A session with what its user has agreed to. */
export interface SignedIn {
  readonly current: Current;
  readonly consent: Consent | undefined;
}

/**
 * Opens what the browser brings from the sign-in. Throws `request.invalid` for a text that this service did not seal,
 * is older than a minute, or was made in another browser or tenant.
 */
export function openedAnswer(text: string, context: SsoContext): AnswerTicket {
  const ticket = openAnswer(context.tools.seal, text, context.now);
  const isOfBrowser = ticket?.browser === digestOf(browserText(context.cookies).text);
  if (!ticket || !isOfBrowser || ticket.request.tenant !== tenantOf(context)) throw unknownTicket();
  return ticket;
}

/** The session of a ticket, if the browser has it and it counts now. One round trip. */
export async function sessionOf(
  { session, request }: AnswerTicket,
  context: SsoContext,
): Promise<SignedIn | undefined> {
  const reference = referenceOf(context, session);
  if (session === undefined || !reference) return undefined;
  const find = reference.tenant === request.tenant ? currentSession : guestSession;
  const [current, consent] = await Promise.all([
    find(reference, request.clientId, context),
    findConsent(context.table, reference.tenant, reference.userId, request.applicationId),
  ]);
  return current && { current, consent };
}

/** Throws where the sign-in would not end like this now: it was decided up to a minute ago, by another function. */
export function checkStill(
  { request }: Pick<AnswerTicket, "request">,
  { current, consent }: SignedIn,
  { application, client }: Asker,
  { sendsMail }: SsoContext,
): void {
  const isGuest = isGuestOf(request, current);
  const steps = stepsOf(application, request, { recovers: sendsMail });
  const claims = shownClaims(request, application, isGuest) ?? [];
  const isAgreed = skipsConsent(application, isGuest) || covers(consent, request.scopes, claims);
  const isProven = !mustChangePassword(current.user) && !lackingWays(steps, standingIn(current).methods);
  const lacks = missingClaims({ user: current.user, tenant: current.session.tenant }, application).length > 0;
  const isTaken = !isGuest || client.settings.takesGuests;
  if (!isAgreed || !isProven || lacks || !isTaken) throw changed();
}

/**
 * Whether the user of a session could sign in to an application now, as it is now, without a page. No round trip, one
 * where the application asks for an assignment.
 */
export async function isAllowed(
  request: AuthorizationRequest,
  asker: Asker,
  signedIn: SignedIn,
  context: SsoContext,
): Promise<boolean> {
  try {
    checkStill({ request }, signedIn, asker, context);
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
  return mayUse({ request, ...asker }, signedIn.current, context);
}

/** What is thrown for a text that is no answer of this browser now. */
export function unknownTicket(): Fault {
  return new Fault(
    "request.invalid",
    "This address is too old, was opened in another browser, or its session has ended. " +
      "Go back to the application and start again.",
  );
}
