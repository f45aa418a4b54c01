/**
 * The handlers of sign-in. An authorization request is checked, then it needs a session, then the consent of the user,
 * and then it gets a code. What waits for the user is in the form of a page (pending.ts); nothing is stored for it.
 */
import { usable } from "../auth/basic.ts";
import { nameIn, type OnRefused, type RefusalReason } from "../auth/sign-in.ts";
import type { OidcScope } from "../oidc-scopes/model.ts";
import type { Handlers, PageResult } from "../operation/operation.ts";
import { Fault } from "../platform/faults.ts";
import type { Step } from "../table/table.ts";
import { readIdTokenHint } from "../tokens/id-token-reader.ts";
import { revocationStore, subjects } from "../tokens/revocation-store.ts";
import { answerCode, answerError, formTargetOf, type Sending } from "./answers.ts";
import {
  AuthorizationError,
  type AuthorizationRequest,
  modeOf,
  one,
  type Parameters,
  problemOf,
  type Requester,
  readAuthorizationRequest,
} from "./authorization-request.ts";
import { type CodeRequest, newCode, signInScopes } from "./code.ts";
import { type Consent, covers, findConsent, storingConsent } from "./consent-store.ts";
import type { SignInContext, SignInContextStores } from "./context.ts";
import type { signInOperations } from "./contract.ts";
import { browserText } from "./cookies.ts";
import { type OpenedForm, opened, type PageHeaders, pathOf } from "./forms.ts";
import { expectedSubject, isExpected } from "./hints.ts";
import { languageOf } from "./pages/messages.ts";
import { consentPage, type SignInForm, signInPage } from "./pages/pages.ts";
import { sealPending } from "./pending.ts";
import { isRegistered, onlyAddress } from "./redirects.ts";
import { type Current, currentSession, notingUse, referenceIn, startSession } from "./session.ts";
import { confirmSignOut, endSession } from "./sign-out.ts";
import { getUserInfo } from "./user-info.ts";

export const signInHandlers: Handlers<typeof signInOperations, SignInContextStores> = {
  authorize: ({ query, headers }, context) => begin(query, headers, false, context),
  authorizeByForm: ({ body, headers }, context) => begin(body, headers, true, context),

  async signIn({ body, headers }, context) {
    const form = opened("sign-in", body.request, headers, context);
    const { request } = form.pending;
    const credential = usable(body.username ?? "", body.password ?? "");
    if (!credential?.username || !credential.password) {
      return askPassword(await taken(form, context), context, { userName: body.username, problem: "incomplete" });
    }
    const name = nameIn(request.tenant, credential.username);
    let reason: RefusalReason | undefined;
    const { tools, traceId, sourceIp } = context;
    const log = tools.refusals({ traceId, sourceIp, operation: "signIn" });
    const attempt = { readings: [name], password: credential.password, sourceIp };
    const onRefused: OnRefused = (of, why) => {
      reason = why;
      log(of, why);
    };
    const [asked, found, known] = await Promise.all([
      taken(form, context),
      tools.signIn(attempt, context, onRefused),
      context.oidcScopes.all(request.tenant),
    ]);
    const refuse = () => {
      const problem = reason === "locked" ? "locked" : "wrong";
      return askPassword(asked, context, { userName: body.username, problem });
    };
    if (!found) return refuse();
    const { user } = found;
    if (!isExpected(user, request, asked.application)) {
      const other = new AuthorizationError("login_required", "Another user signed in than the client expects.");
      return answerError(other, request.to, asked, context);
    }
    const [[userFromMs = 0], consent] = await Promise.all([
      revocationStore(context.table).validFrom(request.tenant, [subjects.user(user.id)]),
      findConsent(context.table, request.tenant, user.id, asked.application.id),
    ]);
    // The account changed during the request: the password may have been verified before that.
    if (userFromMs > context.now && !(await tools.signIn(attempt, context, onRefused))) return refuse();
    const { current, steps, cookie } = startSession(request.tenant, user, userFromMs, context);
    const signedIn = { ...asked, cookies: [...asked.cookies, cookie] };
    return finish(signedIn, { current, consent, known }, steps, context);
  },

  async giveConsent({ body, headers }, context) {
    const form = opened("consent", body.request, headers, context);
    const { request } = form.pending;
    const { tenant, scopes, applicationId } = request;
    const userId = referenceIn(context, tenant)?.userId;
    const [asked, current, known, before] = await Promise.all([
      taken(form, context),
      currentSession(tenant, context),
      context.oidcScopes.all(tenant),
      userId === undefined ? undefined : findConsent(context.table, tenant, userId, applicationId),
    ]);
    // The session ended meanwhile, or is not the one that was asked.
    if (!current || current.reference.digest !== asked.session) return askPassword(asked, context);
    if (body.answer !== "allow") {
      return answerError(
        new AuthorizationError("access_denied", "The user did not agree."),
        request.to,
        asked,
        context,
      );
    }
    const given = { scopes, givenMs: context.now };
    const step = storingConsent({ tenant, userId: current.user.id, applicationId }, before, given);
    return issue(asked, current, known, [step], context);
  },

  endSession: ({ query, headers }, context) => endSession(query, headers, false, context),
  endSessionByForm: ({ body, headers }, context) => endSession(body, headers, true, context),
  signOut: ({ body, headers }, context) => confirmSignOut(body.request, headers, context),

  getUserInfo: ({ headers }, context) => getUserInfo(headers, context),
  getUserInfoByPost: ({ headers }, context) => getUserInfo(headers, context),
};

/** A request with everything that answers to it need. */
interface Asked extends Sending, CodeRequest {
  readonly browser: string;
  readonly cookies: readonly string[];
  readonly session?: string | undefined;
}

/** What is known of the user of a request. */
interface Known {
  readonly current: Current;
  readonly consent: Consent | undefined;
  readonly known: readonly OidcScope[];
}

async function begin(
  parameters: Parameters,
  headers: PageHeaders,
  isAfterForm: boolean,
  context: SignInContext,
): Promise<PageResult> {
  const language = languageOf(one(parameters, "ui_locales"), headers["accept-language"]);
  const { requester, client, current, known, consent, hint } = await requesterOf(parameters, context);
  const { tenant, application, to } = requester;
  const browser = browserText(context.cookies);
  const sending = { tenant, language, isAfterForm, cookies: browser.setting };
  try {
    const mode = modeOf(parameters);
    const expected = expectedSubject(one(parameters, "id_token_hint"), hint, requester);
    const read = readAuthorizationRequest(parameters, { ...requester, to: { ...to, mode } });
    const request = { ...read, ...(expected !== undefined && { expected }) };
    const asked: Asked = { ...sending, request, application, client, browser: browser.text };
    const usableSession = current && suits(current, request, application, context.now) ? current : undefined;
    if (!usableSession || request.prompts.some((prompt) => prompt === "login" || prompt === "select_account")) {
      if (request.prompts.includes("none")) {
        throw new AuthorizationError("login_required", "The user is not signed in, or must sign in again.");
      }
      return askPassword(asked, context, { userName: request.loginHint });
    }
    return await finish(
      asked,
      { current: usableSession, consent, known },
      notingUse(usableSession, context.now),
      context,
    );
  } catch (error) {
    if (error instanceof AuthorizationError) return answerError(error, to, sending, context);
    throw error;
  }
}

/** Whether the user entered the password recently enough, and is the one that the client expects. */
function suits(
  { session, user }: Current,
  request: AuthorizationRequest,
  application: Requester["application"],
  nowMs: number,
): boolean {
  const { maxAgeSeconds } = request;
  const isRecent = maxAgeSeconds === undefined || nowMs / 1_000 - session.authSeconds <= maxAgeSeconds;
  return isRecent && isExpected(user, request, application);
}

/** Asks for consent where it is needed, and sends the code where it is not. `steps` store what has happened so far. */
async function finish(
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
  if (steps.length > 0) await context.table.write(...steps);
  return askConsent(asked, current, known, context);
}

async function issue(
  asked: Asked,
  current: Current,
  known: readonly OidcScope[],
  steps: readonly Step[],
  context: SignInContext,
): Promise<PageResult> {
  const { text, step } = await newCode(asked, current, known, context);
  await context.table.write(...steps, step);
  return answerCode(text, asked.request.to, asked, context);
}

function askPassword(
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
async function taken(
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

/** Characters of `state`, encoded for an address. */
const STATE_MAX = 4_096;

/**
 * The client of a request, its address, and the session of the browser. Two round trips. Throws `request.invalid`,
 * which is shown to the person: the browser must not be sent to an address that is not registered.
 */
async function requesterOf(parameters: Parameters, context: SignInContext) {
  const clientId = one(parameters, "client_id");
  if (clientId === undefined) throw new Fault("request.invalid", "The parameter client_id is required.");
  const client = await context.clients.find(clientId);
  if (!client || client.tenant !== (context.pathTenant ?? client.tenant)) {
    throw new Fault("request.invalid", "client_id: there is no such application here.");
  }
  const { tenant, applicationId } = client;
  const userId = referenceIn(context, tenant)?.userId;
  const hintText = one(parameters, "id_token_hint");
  const [application, owner, current, known, consent, hint] = await Promise.all([
    context.applications.find(tenant, applicationId),
    context.tenants.find(tenant),
    currentSession(tenant, context),
    context.oidcScopes.all(tenant),
    userId === undefined ? undefined : findConsent(context.table, tenant, userId, applicationId),
    hintText === undefined ? undefined : readIdTokenHint(context.table, hintText),
  ]);
  if (!application?.inbound.oidc || !owner?.active) {
    throw new Fault("request.invalid", "client_id: there is no such application here.");
  }
  const { callbackURLs } = application.inbound.oidc;
  const sent = one(parameters, "redirect_uri");
  const redirectUri = sent ?? onlyAddress(callbackURLs);
  if (redirectUri === undefined) throw new Fault("request.invalid", "The parameter redirect_uri is required.");
  if (!(await isRegistered(redirectUri, callbackURLs))) {
    throw new Fault(
      "request.invalid",
      "redirect_uri is not one of the callbackURLs of the application: it must be the same, character by character.",
    );
  }
  const state = one(parameters, "state");
  // It comes back in an address, and the gateway sends at most 10,240 bytes of headers.
  if (state !== undefined && encodeURIComponent(state.toWellFormed()).length > STATE_MAX) {
    throw new Fault("request.invalid", `state is longer than ${STATE_MAX} characters in an address.`);
  }
  const requester: Requester = {
    tenant,
    clientId,
    application,
    to: { redirectUri, mode: "query", ...(state !== undefined && { state }) },
    isRedirectSent: sent !== undefined,
    origin: context.origin,
  };
  return { requester, client, current, known, consent, hint };
}
