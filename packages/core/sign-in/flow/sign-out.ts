/**
 * Signs people out (OpenID Connect RP-Initiated Logout 1.0). An application that shows the ID token of the session ends
 * it at once; for any other request the person is asked, so that a foreign page cannot sign people out.
 */
import type { Step } from "../../database/table/table.ts";
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import { Fault } from "../../kernel/faults.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { clientOfHint, readIdTokenHint, sessionOfHint } from "../../tokens/id-token-reader.ts";
import { issuerAt } from "../../tokens/jwt.ts";
import { chainAddress, startingChain, VISITS_MAX } from "../logout/chain-store.ts";
import { inTenant } from "../openid/user-claims.ts";
import { type Language, languageOf } from "../pages/language.ts";
import { leadTo, pageHeaders } from "../pages/layout.ts";
import { signedOutPage, signOutPage } from "../pages/pages.ts";
import { pathOf } from "../pages/paths.ts";
import { endingSessions } from "../sessions/ending.ts";
import { readOwnSession, type SessionReference, type SessionWithClients } from "../sessions/session-store.ts";
import { formTargetOf } from "./answers.ts";
import type { SignInContext } from "./context.ts";
import { browserText, localesIn, removingBrowserText, removingSessionCookie } from "./cookies.ts";
import { opened, type PageHeaders } from "./forms.ts";
import { frontChannelsOf } from "./front-channel.ts";
import { isHintOf } from "./hints.ts";
import { one, type Parameters } from "./parameters.ts";
import { sealPending } from "./pending.ts";
import { isRegistered, registeredAddress } from "./redirects.ts";
import { endLimitsOf, otherReferences, referenceIn } from "./session.ts";
import type { SignOutRequest } from "./sign-out-request.ts";
import { openSignOut } from "./sso/tickets.ts";

/** Characters of `state`, encoded for an address: it comes back in a header. */
const STATE_MAX = 4_096;

/**
 * Takes a request to sign out: at most three round trips, the write of the end included. Throws `request.invalid`,
 * which is shown to the person, for a hint of another issuer or client, and for an address that is not registered.
 */
export async function endSession(
  parameters: Parameters,
  headers: PageHeaders,
  isForm: boolean,
  context: SignInContext,
): Promise<PageResult> {
  const language = languageOf(localesIn(context.cookies, one(parameters, "ui_locales")), headers["accept-language"]);
  const text = one(parameters, "id_token_hint");
  const { client, clientId } = await clientOf(parameters, text, context);
  const tenant = client?.tenant ?? context.pathTenant ?? SUPER_TENANT;
  const asked = one(parameters, "post_logout_redirect_uri");
  const [hint, application, found] = await Promise.all([
    text === undefined ? undefined : readIdTokenHint(context.table, text),
    client && asked !== undefined ? context.applications.find(tenant, client.applicationId) : undefined,
    meantSession(tenant, (each) => text !== undefined && each.sid === sessionOfHint(text), context),
  ]);
  const session = found?.session;
  if (text !== undefined && !isHintOf(hint, { tenant, clientId, origin: context.origin }))
    throw new Fault("request.invalid", FOREIGN_HINT);
  if (asked !== undefined && !client) throw new Fault("request.invalid", NO_CLIENT);
  const registered = application?.inbound.oidc?.callbackURLs ?? [];
  const redirectUri = asked === undefined ? undefined : await registeredAddress(asked, registered);
  if (asked !== undefined && redirectUri === undefined) throw new Fault("request.invalid", UNREGISTERED);
  const state = one(parameters, "state");
  if (state !== undefined && encodeURIComponent(state.toWellFormed()).length > STATE_MAX) {
    throw new Fault("request.invalid", `state is longer than ${STATE_MAX} characters in an address.`);
  }
  const request: SignOutRequest = {
    tenant,
    ...(redirectUri !== undefined &&
      client && { to: { clientId: client.clientId, redirectUri, ...(state !== undefined && { state }) } }),
  };
  const isCertain = session !== undefined && hint?.sid === session.sid;
  if (isCertain && found) return end(request, found, { language, isAfterForm: isForm }, context);
  // A form of another site comes without the cookie, so that it does not tell whether there is a session.
  if (!session && !isForm) return leave(request, { language, isAfterForm: isForm });
  return ask(request, language, askedSession(found, tenant), context);
}

/**
 * The session of the browser that a sign-out in a tenant means: the one that a test picks; otherwise that of the
 * tenant, or else the first one whose user is a guest of an application of the tenant. One round trip.
 */
async function meantSession(
  tenant: string,
  picks: (reference: SessionReference) => boolean,
  context: SignInContext,
): Promise<SessionWithClients | undefined> {
  const own = referenceIn(context, tenant);
  const others = otherReferences(context, tenant);
  const picked = [...(own ? [own] : []), ...others].find(picks);
  const possible = picked ? [picked] : own ? [own] : others;
  const found = await Promise.all(possible.map((each) => readOwnSession(context.table, each)));
  return found.find((each) => each && isAt(tenant, each));
}

/** Whether the user of a session is one of a tenant, or a guest of an application of it. */
function isAt(tenant: string, { session, clients }: SessionWithClients): boolean {
  return session.tenant === tenant || clients.some((each) => each.tenant === tenant);
}

/**
 * Takes a request to sign out by another protocol than OpenID Connect, which the function of single sign-on has read:
 * the person is asked. One round trip. Throws `request.invalid` for a text that is no such request, or is too old.
 */
export async function takeSsoSignOut(text: string, headers: PageHeaders, context: SignInContext): Promise<PageResult> {
  const request = openSignOut(context.tools.seal, text, context.now);
  const tenant = context.pathTenant ?? SUPER_TENANT;
  if (request?.tenant !== tenant) throw new Fault("request.invalid", TOO_OLD);
  const language = languageOf(localesIn(context.cookies), headers["accept-language"]);
  const found = await meantSession(tenant, () => false, context);
  return found
    ? ask(request, language, askedSession(found, tenant), context)
    : leave(request, { language, isAfterForm: false });
}

/** The session that a page asks about. */
function askedSession(found: SessionWithClients | undefined, tenant: string): AskedSession {
  if (!found) return { session: undefined, userName: undefined };
  const { user, tenant: home } = found.session;
  return { session: found.digest, userName: inTenant(user.userName, { tenant: home, isGuest: home !== tenant }) };
}

interface AskedSession {
  /** The digest of its secret. */
  readonly session: string | undefined;
  readonly userName: string | undefined;
}

/** Takes the form of the page that asks. At most three round trips. Throws `request.invalid` as other forms do. */
export async function confirmSignOut(text: string, headers: PageHeaders, context: SignInContext): Promise<PageResult> {
  const { pending, language } = opened("sign-out", text, headers, context);
  const { tenant, to } = pending.request;
  const [found, isStillRegistered] = await Promise.all([
    meantSession(tenant, ({ digest }) => digest === pending.session, context),
    to ? isStillOf(to, tenant, context) : true,
  ]);
  const request = isStillRegistered ? pending.request : { tenant };
  // Another user has signed in since the page was shown.
  if (found && pending.session !== undefined && pending.session !== found.digest) {
    return ask(request, language, askedSession(found, tenant), context);
  }
  const sending = { language, isAfterForm: true };
  if (found) return end(request, found, sending, context);
  return leave(request, sending, { cookies: referenceIn(context, tenant) ? [removingSessionCookie(tenant)] : [] });
}

/** How the person is answered. */
interface Sending {
  readonly language: Language;
  readonly isAfterForm: boolean;
}

async function end(
  request: SignOutRequest,
  ended: SessionWithClients,
  sending: Sending,
  context: SignInContext,
): Promise<PageResult> {
  const { table, now, origin, applications } = context;
  const { tenant, sid } = ended.session;
  const ending = (...more: Step[]) => table.write(...endingSessions([ended], endLimitsOf(context), now), ...more);
  const parts = { issuerOf: issuerAt(origin).issuerOf, applications };
  // A page that was left open must not sign the person in again.
  const cookies = [removingSessionCookie(tenant), removingBrowserText()];
  // The chain of those that the browser visits is stored with the end.
  const hasProviders = ended.clients.some(({ saml }) => saml);
  const [{ frames, visits, isPartial }] = await Promise.all([
    frontChannelsOf(ended, parts),
    hasProviders ? undefined : ending(),
  ]);
  if (visits.length === 0) {
    if (hasProviders) await ending();
    return leave(request, sending, { cookies, frames: frames.map(({ address }) => address) });
  }
  // The function of single sign-on signs what the service providers are told. Until the end the cookie of the session
  // shows it that the browser is the one that was signed in.
  const location = request.to && locationOf(request.to);
  const { handle, step } = startingChain(
    {
      ended: [{ tenant, sid, digest: ended.digest }],
      waiting: visits.slice(0, VISITS_MAX),
      isPartial: isPartial || visits.length > VISITS_MAX,
      frames,
      ...(location !== undefined && { location }),
    },
    now,
  );
  await ending(step);
  return leadTo(pathOf(chainAddress(handle), request.tenant), sending);
}

/** What becomes of the browser besides the answer. */
interface Leaving {
  readonly cookies?: readonly string[];
  /** Pages of applications that must be opened (OpenID Connect Front-Channel Logout 1.0). */
  readonly frames?: readonly string[];
}

/**
 * Sends the browser back to the application, or says that it is signed out. Where other applications have pages to be
 * opened, the browser opens them first, and goes to the application some seconds later.
 */
function leave(
  { to }: SignOutRequest,
  { language, isAfterForm }: Sending,
  { cookies = [], frames = [] }: Leaving = {},
): PageResult {
  if (!to) return signedOutPage({ language, frames }, { cookies });
  const location = locationOf(to);
  if (frames.length > 0) return signedOutPage({ language, frames, location }, { cookies });
  return { status: isAfterForm ? 303 : 302, headers: { ...pageHeaders(), location }, cookies };
}

/** The address of the application, with the state of its request. */
function locationOf({ redirectUri, state }: NonNullable<SignOutRequest["to"]>): string {
  const query = state === undefined ? "" : new URLSearchParams({ state }).toString();
  const joined = query === "" ? "" : redirectUri.includes("?") ? "&" : "?";
  return `${redirectUri}${joined}${query}`;
}

function ask(
  request: SignOutRequest,
  language: Language,
  { session, userName }: AskedSession,
  context: SignInContext,
): PageResult {
  const { tools, cookies, now: nowMs } = context;
  const browser = browserText(cookies);
  return signOutPage(
    {
      language,
      action: pathOf("/oauth2/sign-out", request.tenant),
      request: sealPending(tools.seal, "sign-out", { request, browser: browser.text, session, nowMs }),
      userName,
    },
    { cookies: browser.setting, ...(request.to && { formTarget: formTargetOf(request.to.redirectUri) }) },
  );
}

/** The client of a request: the parameter names it, or else the ID token. One round trip, none where neither does. */
async function clientOf(parameters: Parameters, hint: string | undefined, { clients, pathTenant }: SignInContext) {
  const named = one(parameters, "client_id");
  const clientId = named ?? (hint === undefined ? undefined : clientOfHint(hint));
  if (clientId === undefined) return { client: undefined, clientId };
  const client = await clients.find(clientId);
  if (!client || client.tenant !== (pathTenant ?? client.tenant)) {
    throw new Fault("request.invalid", named === undefined ? FOREIGN_HINT : UNKNOWN_CLIENT);
  }
  return { client, clientId };
}

/** Whether the address of a form is one of the application's now. */
async function isStillOf(
  { clientId, redirectUri }: NonNullable<SignOutRequest["to"]>,
  tenant: string,
  { clients, applications }: SignInContext,
): Promise<boolean> {
  if (clientId === undefined) return true;
  const client = await clients.find(clientId);
  if (client?.tenant !== tenant) return false;
  const application = await applications.find(tenant, client.applicationId);
  return isRegistered(redirectUri, application?.inbound.oidc?.callbackURLs ?? []);
}

const TOO_OLD = "This address is some minutes old, or was changed. Go back to the application and sign out again.";
const FOREIGN_HINT =
  "id_token_hint is not an ID token that this service issued to the client. Send the ID token of the sign-in.";
const UNKNOWN_CLIENT = "client_id: there is no such application here.";
const NO_CLIENT = "post_logout_redirect_uri needs id_token_hint or client_id, which name the application.";
const UNREGISTERED =
  "post_logout_redirect_uri is not one of the callbackURLs of the application: it must be the same, character by character.";
