/** The way of the browser through a sign-out: from one service provider to the next, and to where it ends. */
import type { Application } from "../../applications/registry/model.ts";
import { isStale } from "../../database/table/stale.ts";
import { Fault } from "../../kernel/faults.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { localesIn, removingBrowserText, removingSessionCookie } from "../flow/cookies.ts";
import { visitedService } from "../flow/front-channel.ts";
import { requestKeysOf } from "../flow/saml/keys.ts";
import { referencesIn } from "../flow/session.ts";
import {
  chainAddress,
  chainNamed,
  type EndedSession,
  type LogoutChain,
  movingChain,
  type ReadChain,
  readChain,
} from "../logout/chain-store.ts";
import { languageOf } from "../pages/language.ts";
import { pageHeaders } from "../pages/layout.ts";
import { signedOutPage } from "../pages/pages.ts";
import { pathOf } from "../pages/paths.ts";
import { readCommon } from "./authn-request.ts";
import { endpointOf, type SamlContext, tenantOf } from "./context.ts";
import { idOfTurn, isConfirmed } from "./logout-request.ts";
import type { Binding } from "./message.ts";
import { type Headers, type Message, verifiedRoot } from "./provider.ts";
import { sendLogoutRequest, sendLogoutResponse } from "./send-logout.ts";
import { childOf, textOf } from "./tree.ts";

/**
 * Goes on from an address of this site. Only a browser with the cookie of one of the sessions that have ended visits
 * the participants: it alone sees their names of the user. Another one that began the sign-out gets its end. Four
 * round trips at most. Throws `request.invalid` for a sign-out that is over, or is none.
 */
export async function continueLogout(text: string, headers: Headers, context: SamlContext): Promise<PageResult> {
  const named = chainNamed(text);
  const read = named && (await readChain(context.table, named.digest, context.now));
  if (!named || !read) throw over();
  const cookies = referencesIn(context);
  const { ended, waiting, frames, asked, isPartial } = read.chain;
  const own = ended.filter((each) => cookies.some(({ sid, digest }) => sid === each.sid && digest === each.digest));
  const isOwn = ({ sid }: { readonly sid: string }) => own.some((each) => each.sid === sid);
  // A browser that comes back without an answer brings none any more; what other browsers would have to do is not done.
  const isUndone = asked !== undefined || ![...waiting, ...frames].every(isOwn);
  const chain = {
    ...read.chain,
    asked: undefined,
    isPartial: isPartial || isUndone,
    waiting: waiting.filter(isOwn),
    frames: frames.filter(isOwn),
  };
  if (own.length > 0) return goOn({ ...read, chain }, own, headers, context);
  return named.isHandle ? finish({ ...read, chain }, own, headers, context) : signedOutPage(shownTo(headers, context));
}

/** Opens pages, then sends the browser to the next participant, or to where the sign-out ends. */
async function goOn(
  read: ReadChain,
  own: readonly EndedSession[],
  headers: Headers,
  context: SamlContext,
): Promise<PageResult> {
  const { chain, digest } = read;
  if (chain.frames.length > 0) {
    const hasNext = chain.waiting.length > 0 || chain.answered !== undefined || chain.location !== undefined;
    await moveChain(read, { ...chain, frames: [] }, context);
    const location = pathOf(chainAddress(digest), tenantOf(context));
    const frames = chain.frames.map(({ address }) => address);
    return signedOutPage({ ...shownTo(headers, context), frames, ...(hasNext && { location }) });
  }
  const [next, ...waiting] = chain.waiting;
  if (!next) return finish(read, own, headers, context);
  const application = await context.applications.find(next.tenant, next.applicationId);
  const service = application?.inbound.saml && visitedService(application.inbound.saml);
  // It was removed meanwhile, or is told by SOAP now.
  if (!application || !service || !next.saml) {
    return goOn({ ...read, chain: { ...chain, waiting, isPartial: true } }, own, headers, context);
  }
  const turn = chain.turn + 1;
  await moveChain(read, { ...chain, waiting, turn, asked: next }, context);
  const told = { application, tenant: next.tenant, id: idOfTurn(digest, turn), name: next.saml, service };
  return sendLogoutRequest(told, headers, context);
}

/** Where the sign-out ends: what it was asked with is answered once, and the browser forgets the sessions. */
async function finish(
  read: ReadChain,
  own: readonly EndedSession[],
  headers: Headers,
  context: SamlContext,
): Promise<PageResult> {
  const { answered, location, ...chain } = read.chain;
  await moveChain(read, { ...chain, waiting: [], frames: [] }, context);
  // A page that was left open must not sign the person in again.
  const cookies =
    own.length === 0 ? [] : [...own.map(({ tenant }) => removingSessionCookie(tenant)), removingBrowserText()];
  const application = answered && (await context.applications.find(answered.tenant, answered.applicationId));
  const isAnswered = answered !== undefined && application?.inbound.saml !== undefined;
  const page = isAnswered
    ? await answer({ application, answered, isPartial: chain.isPartial }, headers, context)
    : location === undefined
      ? signedOutPage(shownTo(headers, context))
      : { status: 303, headers: { ...pageHeaders(), location } };
  return { ...page, cookies };
}

/** The answer to who asked for the sign-out; where that has no address for answers, a page for the person. */
export async function answer(
  of: Parameters<typeof sendLogoutResponse>[0],
  headers: Headers,
  context: SamlContext,
): Promise<PageResult> {
  return (await sendLogoutResponse(of, headers, context)) ?? signedOutPage(shownTo(headers, context));
}

function shownTo(headers: Headers, { cookies, tools, ...of }: SamlContext) {
  const language = languageOf(localesIn(cookies), headers["accept-language"]);
  return { language, brand: tools.settings.brandOf(tenantOf(of)) };
}

/** Whether a service provider has confirmed its logout, and it counts. */
export async function confirmed(
  message: Message,
  binding: Binding,
  application: Application,
  context: SamlContext,
): Promise<boolean> {
  const keys = requestKeysOf(application);
  const isSigned = keys.length > 0;
  try {
    const root = await verifiedRoot(message, binding, isSigned ? keys : undefined, context);
    const issuer = childOf(root, "assertion", "Issuer");
    if (issuer && textOf(issuer) !== application.inbound.saml?.issuer) return false;
    readCommon(root, { destination: endpointOf(tenantOf(context), context), isSigned, nowMs: context.now });
    return isConfirmed(root);
  } catch (error) {
    // The session has ended here. An answer that does not count is told to the person by no page, but as PartialLogout.
    if (error instanceof Fault) return false;
    throw error;
  }
}

/** Notes how far a chain is. Throws `request.invalid` where another request has moved it on. */
export async function moveChain(read: ReadChain, chain: LogoutChain, { table, now }: SamlContext): Promise<void> {
  try {
    await table.write(movingChain(read, chain, now));
  } catch (error) {
    throw isStale(error) ? over() : error;
  }
}

function over(): Fault {
  return new Fault(
    "request.invalid",
    "This sign-out has gone on in another page, or is over. You are signed out here.",
  );
}
