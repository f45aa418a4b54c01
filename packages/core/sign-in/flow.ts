/**
 * The way of an authorization request to its code: it needs a session, then the consent of the user. What waits for the
 * user is in the form of a page (pending.ts); nothing is stored for it.
 */
import type { OidcScope } from "../oidc-scopes/model.ts";
import type { PageResult } from "../operation/operation.ts";
import { Fault } from "../platform/faults.ts";
import { type Consent, covers } from "../sessions/consent-store.ts";
import type { Step } from "../table/table.ts";
import { answerCode, formTargetOf, type Sending } from "./answers.ts";
import { AuthorizationError, type AuthorizationRequest, problemOf } from "./authorization-request.ts";
import { type CodeRequest, newCode, signInScopes } from "./code.ts";
import type { SignInContext } from "./context.ts";
import { type OpenedForm, pathOf } from "./forms.ts";
import { consentPage, type SignInForm, signInPage } from "./pages/pages.ts";
import { sealPending } from "./pending.ts";
import { usingPushed } from "./pushed-store.ts";
import { isRegistered } from "./redirects.ts";
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
  readonly known: readonly OidcScope[];
}

/** Asks for consent where it is needed, and sends the code where it is not. `steps` store what has happened so far. */
export async function finish(
  asked: Asked,
  { current, consent, known }: Known,
  steps: readonly Step[],
  context: SignInContext,
): Promise<PageResult> {
  const { request, application } = asked;
  const { skipLoginConsent } = application.advancedConfigurations;
  const mustAsk = request.prompts.includes("consent");
  const isAgreed = skipLoginConsent || covers(consent, request.scopes);
  if (isAgreed && !mustAsk) return issue(asked, current, known, steps, context);
  if (request.prompts.includes("none")) {
    throw new AuthorizationError("consent_required", "The user has not agreed to the requested scopes.");
  }
  const { storing } = current;
  if (storing || steps.length > 0) await context.table.write(...steps, ...(storing ? [storing] : []));
  return askConsent(asked, current, known, context);
}

/** Stores a code and sends it. One round trip, and those of the claims. */
export async function issue(
  asked: Asked,
  current: Current,
  known: readonly OidcScope[],
  steps: readonly Step[],
  context: SignInContext,
): Promise<PageResult> {
  const { text, steps: ofCode } = await newCode(asked, current, known, context);
  await context.table.write(...steps, ...ofCode, ...answering(asked.request));
  return answerCode(text, asked.request.to, asked, context);
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
  const { request, application, language, browser, cookies } = asked;
  return signInPage(
    {
      language,
      application: application.name,
      action: pathOf("/oauth2/sign-in", request.tenant),
      request: sealPending(context.tools.seal, "sign-in", { request, browser, nowMs: context.now }),
      ...more,
    },
    { cookies, formTarget: formTargetOf(request.to.redirectUri) },
  );
}

function askConsent(asked: Asked, current: Current, known: readonly OidcScope[], context: SignInContext): PageResult {
  const { request, application, language, browser, cookies } = asked;
  const session = current.reference.digest;
  const ofSignIn = new Set(signInScopes(request.scopes, known));
  const scopes = request.scopes.map((name) => {
    const scope = ofSignIn.has(name) ? known.find((each) => each.name === name) : undefined;
    return { name: scope?.displayName ?? name, description: scope?.description };
  });
  return consentPage(
    {
      language,
      application: application.name,
      action: pathOf("/oauth2/consent", request.tenant),
      request: sealPending(context.tools.seal, "consent", { request, browser, session, nowMs: context.now }),
      userName: current.user.userName,
      scopes,
    },
    { cookies, formTarget: formTargetOf(request.to.redirectUri) },
  );
}

/** The request of a form. One round trip. Throws `request.invalid` where the application has changed meanwhile. */
export async function taken(
  { pending, browser, language }: OpenedForm<"sign-in" | "consent">,
  context: SignInContext,
): Promise<Asked> {
  const { request, session } = pending;
  const { tenant, applicationId, clientId, to } = request;
  const [application, client] = await Promise.all([
    context.applications.find(tenant, applicationId),
    context.clients.find(clientId),
  ]);
  const registered = application?.inbound.oidc?.callbackURLs ?? [];
  const isSame = client?.tenant === tenant && client.applicationId === applicationId;
  if (!application || !isSame || !(await isRegistered(to.redirectUri, registered)) || problemOf(application)) {
    throw new Fault("request.invalid", "The application was changed meanwhile. Go back to it and sign in again.");
  }
  const cookies = browser.setting;
  return { request, application, client, tenant, language, browser: browser.text, cookies, isAfterForm: true, session };
}
