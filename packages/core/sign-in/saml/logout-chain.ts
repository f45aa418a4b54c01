/** The way of the browser through a sign-out: from one service provider to the next, and to where it ends. */
import type { Application } from "../../applications/registry/model.ts";
import { isStale } from "../../database/table/stale.ts";
import { Fault } from "../../kernel/faults.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { localesIn, removingBrowserText, removingSessionCookie } from "../flow/cookies.ts";
import { visitedService } from "../flow/front-channel.ts";
import { requestKeysOf } from "../flow/saml/keys.ts";
import { referencesIn } from "../flow/session.ts";
import { chainAddress, type LogoutChain, movingChain, type ReadChain, readChain } from "../logout/chain-store.ts";
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

/**
 * Goes on from an address of this site, with the cookies of the browser: those of the ended sessions are removed. Three
 * round trips at most. Throws `request.invalid` for a sign-out that is over, or is none.
 */
export async function continueLogout(handle: string, headers: Headers, context: SamlContext): Promise<PageResult> {
  const read = await readChain(context.table, handle, context.now);
  if (!read) throw over();
  const { chain } = read;
  const ended = new Set(chain.ended.map(({ sid }) => sid));
  const forgotten = referencesIn(context).filter(({ sid }) => ended.has(sid));
  // A page that was left open must not sign the person in again.
  const cookies =
    forgotten.length === 0
      ? []
      : [...forgotten.map(({ tenant }) => removingSessionCookie(tenant)), removingBrowserText()];
  // A browser that comes back without an answer brings none any more.
  const isPartial = chain.isPartial || chain.asked !== undefined;
  const page = await goOn({ ...read, chain: { ...chain, isPartial } }, headers, context);
  return { ...page, cookies: [...(page.cookies ?? []), ...cookies] };
}

/** Sends the browser to the next participant, or to where the sign-out ends. Two round trips, one more at the end. */
export async function goOn(read: ReadChain, headers: Headers, context: SamlContext): Promise<PageResult> {
  const { asked: _, ...chain } = read.chain;
  const [next, ...waiting] = chain.waiting;
  if (!next) return finish({ ...read, chain }, headers, context);
  const application = await context.applications.find(next.tenant, next.applicationId);
  const service = application?.inbound.saml && visitedService(application.inbound.saml);
  // It was removed meanwhile, or is told by SOAP now.
  if (!application || !service || !next.saml) {
    return goOn({ ...read, chain: { ...chain, waiting, isPartial: true } }, headers, context);
  }
  const turn = chain.turn + 1;
  await move(read, { ...chain, waiting, turn, asked: next.clientId }, context);
  return sendLogoutRequest(
    { application, tenant: next.tenant, id: idOfTurn(read.handle, turn), name: next.saml, service },
    headers,
    context,
  );
}

/** The last pages: those that other clients open, then what the sign-out was asked with. */
async function finish(read: ReadChain, headers: Headers, context: SamlContext): Promise<PageResult> {
  const { chain } = read;
  const { frames, answered, location } = chain;
  const shown = shownTo(headers, context);
  if (frames.length > 0) {
    const hasNext = answered !== undefined || location !== undefined;
    await move(read, { ...chain, frames: [] }, context);
    const next = pathOf(chainAddress(read.handle), tenantOf(context));
    return signedOutPage({ ...shown, frames, ...(hasNext && { location: next }) });
  }
  if (answered) {
    const application = await context.applications.find(answered.tenant, answered.applicationId);
    if (application?.inbound.saml) {
      return answer({ application, answered, isPartial: chain.isPartial }, headers, context);
    }
  }
  if (location === undefined) return signedOutPage(shown);
  return { status: 303, headers: { ...pageHeaders(), location } };
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
    readCommon(root, { destination: endpointOf(tenantOf(context), context), isSigned, nowMs: context.now });
    return isConfirmed(root);
  } catch (error) {
    // The session has ended here. An answer that does not count is told to the person by no page, but as PartialLogout.
    if (error instanceof Fault) return false;
    throw error;
  }
}

async function move(read: ReadChain, chain: LogoutChain, { table, now }: SamlContext): Promise<void> {
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
