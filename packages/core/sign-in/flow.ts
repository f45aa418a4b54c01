/**
 * The way of an authorization request to its code: it needs a session, then the consent of the user. What waits for the
 * user is in the form of a page (pending.ts); nothing is stored for it.
 */
import { scopeForGuest, shownClaim } from "../openid/guest-claims.ts";
import { signInScopes } from "../openid/scopes.ts";
import { inTenant, missingClaims } from "../openid/user-claims.ts";
import { type PageResult, SIGNED_IN } from "../operation/operation.ts";
import { Fault } from "../platform/faults.ts";
import { type Consent, covers } from "../sessions/consent-store.ts";
import type { Step } from "../table/table.ts";
import { digestOf } from "../tokens/opaque.ts";
import { answerCode, answerError, formTargetOf, leadTo, type Sending } from "./answers.ts";
import { AuthorizationError } from "./authorization-error.ts";
import { type AuthorizationRequest, problemOf } from "./authorization-request.ts";
import { type CodeRequest, furtherClaims, guestClaims, newCode, type TenantFacts } from "./code.ts";
import type { SignInContext } from "./context.ts";
import { type OpenedForm, pathOf } from "./forms.ts";
import { front, storingAnswer } from "./front-store.ts";
import { languages } from "./pages/messages.ts";
import { consentPage, type SignInForm, signInPage } from "./pages/pages.ts";
import { type Stage, sealPending } from "./pending.ts";
import { usingPushed } from "./pushed-store.ts";
import { isRegistered } from "./redirects.ts";
import { isStillAllowed } from "./response-types.ts";
import type { Current } from "./session.ts";

/** A request with everything that answers to it need. */
export interface Asked extends Sending, CodeRequest {
  readonly browser: string;
  readonly cookies: readonly string[];
  readonly session?: string | undefined;
}

/** What is known of the user of a request. */
export interface Known {
  readonly current: Current;
  readonly consent: Consent | undefined;
  readonly facts: TenantFacts;
}

/** Asks for consent where it is needed, and sends the code where it is not. `steps` store what has happened so far. */
export async function finish(
  sent: Asked,
  { current, consent, facts }: Known,
  steps: readonly Step[],
  context: SignInContext,
): Promise<PageResult> {
  const asked = forGuest(sent, current, facts);
  const { request, application, given } = asked;
  const mustAsk = request.prompts.includes("consent");
  const claims = given ?? furtherClaims(request, application, facts.known);
  // The administrators of an application decide for the users of their tenant, not for guests (decision 0134), and not
  // on access to the users' own accounts: it can change their passwords.
  const isOwnAccount = request.scopes.includes(SIGNED_IN);
  const skips = application.advancedConfigurations.skipLoginConsent && given === undefined && !isOwnAccount;
  const isAgreed = skips || covers(consent, request.scopes, claims);
  const refusal = refusalOf(asked, current, isAgreed);
  if (refusal) return refuse(refusal, asked, current, steps, context);
  if (isAgreed && !mustAsk) return issue(asked, current, facts, steps, context);
  if (request.prompts.includes("none")) {
    throw new AuthorizationError("consent_required", "The user has not agreed to the requested scopes.");
  }
  const { storing } = current;
  if (storing || steps.length > 0) await context.table.write(...steps, ...(storing ? [storing] : []));
  return askConsent(asked, current, facts, context);
}

/** Whether the user of a session is a guest of the application of a request. */
export function isGuestOf({ tenant }: AuthorizationRequest, { session }: Current): boolean {
  return session.tenant !== tenant;
}

/** A request as it counts for the user of a session: a guest gets scopes of OpenID Connect only, and agrees to more. */
function forGuest(asked: Asked, current: Current, { known }: TenantFacts): Asked {
  if (!isGuestOf(asked.request, current)) return asked;
  const request = { ...asked.request, scopes: signInScopes(asked.request.scopes, known) };
  return { ...asked, request, given: guestClaims(request, asked.application, known) };
}

/** Tells the client why the user of a session gets no code. */
export async function refuse(
  refusal: AuthorizationError,
  asked: Asked,
  current: Current,
  steps: readonly Step[],
  context: SignInContext,
): Promise<PageResult> {
  const { request } = asked;
  const all = [...steps, ...(current.storing ? [current.storing] : []), ...answering(request)];
  if (all.length > 0) await context.table.write(...all);
  return answerError(refusal, request.to, asked, context);
}

/**
 * Why the user of a session gets no code, although it agrees. What a guest has no value for, an application of another
 * tenant learns only after that.
 */
export function refusalOf(
  { request, application }: Asked,
  current: Current,
  isAgreed: boolean,
): AuthorizationError | undefined {
  const isGuest = isGuestOf(request, current);
  if (isGuest && request.resources.length > 0) {
    return new AuthorizationError("invalid_target", "A user of another tenant gets no token for a resource.");
  }
  if (isGuest && !isAgreed) return undefined;
  const missing = missingClaims({ user: current.user, tenant: current.session.tenant }, application);
  if (missing.length === 0) return undefined;
  const why = `The user has no value for a claim that the application requires: ${missing.join(", ")}.`;
  return new AuthorizationError("access_denied", why);
}

/** Stores a code and sends it, or lets the browser fetch an answer with tokens. One round trip. */
export async function issue(
  asked: Asked,
  current: Current,
  facts: TenantFacts,
  steps: readonly Step[],
  context: SignInContext,
): Promise<PageResult> {
  const { request, browser } = asked;
  const { text, code, noting, storing } = await newCode(asked, current, facts, context);
  const { types, to, tenant } = request;
  const before = [...steps, ...noting, ...answering(request)];
  if (!types) {
    await context.table.write(...before, storing);
    return answerCode(text, to, asked, context);
  }
  // The function that signs tokens sends such an answer: this one holds no key.
  const { ticket, step } = storingAnswer({ code, types, browser: digestOf(browser), ...front(to) });
  await context.table.write(...before, step);
  return leadTo(`${pathOf("/oauth2/answer", tenant)}?ticket=${ticket}`, asked);
}

/** The steps that use a pushed request up with its answer. They throw `request.invalid` for a second answer. */
export function answering({ pushed }: AuthorizationRequest): readonly Step[] {
  return pushed === undefined ? [] : [usingPushed(pushed, answeredBefore)];
}

function answeredBefore(): Fault {
  return new Fault("request.invalid", "This request was answered before. Go back to the application and start again.");
}

/** Asks for a user name and a password. */
export function askPassword(
  asked: Asked,
  context: SignInContext,
  more: Pick<SignInForm, "userName" | "problem"> = {},
): PageResult {
  const { request, application, client, language, browser, cookies } = asked;
  const waiting = { ...request, ...(client.settings.takesGuests && { takesGuests: true }) };
  return signInPage(
    {
      language,
      brand: context.tools.settings.brandOf(request.tenant),
      application: application.name,
      action: pathOf("/oauth2/sign-in", request.tenant),
      request: sealPending(context.tools.seal, "sign-in", { request: waiting, browser, nowMs: context.now }),
      ...more,
    },
    { cookies, formTarget: formTargetOf(request.to.redirectUri) },
  );
}

function askConsent(asked: Asked, current: Current, { known }: TenantFacts, context: SignInContext): PageResult {
  const { request, application, language, browser, cookies, given } = asked;
  const session = current.reference.digest;
  const ofSignIn = new Set(signInScopes(request.scopes, known));
  const scopes = request.scopes.map((name) => {
    const ofTenant = ofSignIn.has(name) ? known.find((each) => each.name === name) : undefined;
    const scope = given ? scopeForGuest(name, ofTenant) : ofTenant;
    if (name === SIGNED_IN) return { name: languages[language].consentOwnAccount, description: undefined };
    return { name: scope?.displayName ?? name, description: scope?.description };
  });
  const further = given?.map(shownClaim) ?? furtherClaims(request, application, known);
  const claims = further.map((name) => ({ name, description: undefined }));
  return consentPage(
    {
      language,
      brand: context.tools.settings.brandOf(request.tenant),
      application: application.name,
      action: pathOf("/oauth2/consent", request.tenant),
      request: sealPending(context.tools.seal, "consent", {
        request: { ...request, ...(given && { given }) },
        browser,
        session,
        nowMs: context.now,
      }),
      userName: inTenant(current.user.userName, {
        tenant: current.session.tenant,
        isGuest: isGuestOf(request, current),
      }),
      scopes: [...scopes, ...claims],
    },
    { cookies, formTarget: formTargetOf(request.to.redirectUri) },
  );
}

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
  const { tenant, applicationId, clientId, to } = request;
  const [application, client, owner] = await Promise.all([
    context.applications.find(tenant, applicationId),
    context.clients.find(clientId),
    context.tenants.find(tenant),
  ]);
  const registered = application?.inbound.oidc?.callbackURLs ?? [];
  const isSame = owner?.active && client?.tenant === tenant && client.applicationId === applicationId;
  const mayBeAnswered = application && !problemOf(application) && isStillAllowed(request.types, application);
  if (!mayBeAnswered || !isSame || !(await isRegistered(to.redirectUri, registered))) {
    throw new Fault("request.invalid", "The application was changed meanwhile. Go back to it and sign in again.");
  }
  const cookies = browser.setting;
  const brand = context.tools.settings.brandOf(tenant);
  const sending = { tenant, language, brand, cookies, isAfterForm: true };
  return { ...sending, request, application, client, browser: browser.text, session };
}
