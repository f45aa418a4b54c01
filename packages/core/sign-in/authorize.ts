/** The authorization endpoint: which client asks, where its answer may go, and what the browser must do first. */

import { findTotp } from "../identities/credentials/totp-store.ts";
import { mustChangePassword } from "../identities/users/model.ts";
import type { PageResult } from "../operation/operation.ts";
import { Fault } from "../platform/faults.ts";
import { findConsent } from "../sessions/consent-store.ts";
import { readIdTokenHint } from "../tokens/id-token-reader.ts";
import { answerError } from "./answers.ts";
import {
  AuthorizationError,
  type AuthorizationRequest,
  modeOf,
  one,
  type Parameters,
  type Requester,
  readAuthorizationRequest,
} from "./authorization-request.ts";
import type { SignInContext } from "./context.ts";
import { browserText } from "./cookies.ts";
import { needsCode, standingIn } from "./factors.ts";
import { type Asked, askPassword } from "./flow.ts";
import type { PageHeaders } from "./forms.ts";
import { expectedSubject, isExpected } from "./hints.ts";
import { languageOf } from "./pages/messages.ts";
import { proceed } from "./proceed.ts";
import { isRegistered, onlyAddress } from "./redirects.ts";
import { type Current, currentSession, referenceIn } from "./session.ts";

/**
 * Takes an authorization request. Throws `request.invalid`, which is shown to the person, where no answer may be sent.
 */
export async function authorize(
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
    if (expected !== undefined && read.expected !== undefined && expected !== read.expected) {
      throw new AuthorizationError("invalid_request", "id_token_hint and the claim sub name different users.");
    }
    const request = { ...read, ...(expected !== undefined && { expected }) };
    const asked: Asked = { ...sending, request, application, client, browser: browser.text };
    const usableSession = current && suits(current, request, application, context.now) ? current : undefined;
    if (!usableSession || request.prompts.some((prompt) => prompt === "login" || prompt === "select_account")) {
      if (request.prompts.includes("none")) {
        throw new AuthorizationError("login_required", "The user is not signed in, or must sign in again.");
      }
      return askPassword(asked, context, { userName: request.loginHint });
    }
    const standing = standingIn(usableSession);
    const isCodeLeft = needsCode(asked) && !standing.methods.includes("otp");
    if (isCodeLeft && request.prompts.includes("none")) {
      throw new AuthorizationError("interaction_required", "The user must enter a one-time code.");
    }
    const totp = isCodeLeft ? await findTotp(context.table, tenant, usableSession.user.id) : undefined;
    return await proceed(asked, standing, { totp, consent, known }, [], context);
  } catch (error) {
    if (error instanceof AuthorizationError) return answerError(error, to, sending, context);
    throw error;
  }
}

/** Whether the user entered the password recently enough, may keep it, and is the one that the client expects. */
function suits(
  { session, user }: Current,
  request: AuthorizationRequest,
  application: Requester["application"],
  nowMs: number,
): boolean {
  const { maxAgeSeconds } = request;
  const isRecent = maxAgeSeconds === undefined || nowMs / 1_000 - session.authSeconds <= maxAgeSeconds;
  return isRecent && !mustChangePassword(user) && isExpected(user, request, application);
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
