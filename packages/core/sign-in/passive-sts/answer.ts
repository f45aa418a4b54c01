/** The answer to a request after the sign-in: a token about the user of the session, once. */
import { SAFE } from "../../applications/protocols/saml-algorithms.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { mayUse, NO_ACCESS } from "../flow/access.ts";
import { formTargetOf } from "../flow/answers.ts";
import { changed } from "../flow/asked.ts";
import type { AuthorizationRequest } from "../flow/authorization-request.ts";
import { localesIn } from "../flow/cookies.ts";
import { findRelyingParty, passiveStsOf } from "../flow/passive-sts/relying-party.ts";
import type { Asker } from "../flow/protocols/protocol.ts";
import { type Current, notingCode } from "../flow/session.ts";
import { requestedAttributes } from "../flow/sso/attributes.ts";
import { languageOf } from "../pages/language.ts";
import { languages } from "../pages/messages.ts";
import { formPostPage } from "../pages/pages.ts";
import { sessionIndexOf } from "../saml/answer.ts";
import { entityIdOf, type SamlContext } from "../saml/context.ts";
import { newId } from "../saml/send.ts";
import { ANSWERABLE_MS, usingRequest } from "../saml/used-requests-store.ts";
import { claimedIn, subjectName, valuesOf } from "../sso/claimed.ts";
import { checkStill, openedAnswer, sessionOf, unknownTicket } from "../sso/still.ts";
import { provenMethod } from "./methods.ts";
import { refuse } from "./parameters.ts";
import { wresultOf } from "./response.ts";
import type { Token } from "./token.ts";

interface Headers {
  readonly "accept-language"?: string | undefined;
}

/**
 * Sends what came of a request, if the sign-in would end like this now. Two round trips, one more where the application
 * asks for an assignment, two more for the groups and roles of the user. Throws `request.invalid`, which is shown to
 * the person, for a refusal, and for a text that this service did not seal, is older than a minute, was made in another
 * browser, or whose request was answered.
 */
export async function sendAnswer(text: string, headers: Headers, context: SamlContext): Promise<PageResult> {
  const ticket = openedAnswer(text, context);
  const { request, refusal } = ticket;
  const { passiveSts: asked } = request;
  if (!asked || context.now >= asked.takenMs + ANSWERABLE_MS) throw unknownTicket();
  // The protocol has no answer for that: the person is told, who gave it up or was refused.
  if (refusal) throw refuse(refusal.code === "access_denied" ? languages.en.notSignedIn : refusal.message);
  const [asker, signedIn] = await Promise.all([findRelyingParty(request, context), sessionOf(ticket, context)]);
  if (!asker) throw changed();
  if (!signedIn) throw unknownTicket();
  const { current } = signedIn;
  checkStill(ticket, signedIn, asker, context);
  const method = provenMethod(asked, current.session.methods);
  if (method === undefined) throw refuse("The sign-in is not of the method that wauth names.");
  const [hasAccess, told] = await Promise.all([
    mayUse({ request, ...asker }, current, context),
    toldOf(request, current, asker, context),
  ]);
  if (!hasAccess) throw refuse(NO_ACCESS);
  const { tenant, clientId, to } = request;
  const { table, tools, now } = context;
  const token: Token = {
    ...told,
    realm: passiveStsOf(asker.application.inbound).realm,
    issuer: entityIdOf(tenant, context),
    method,
    address: to.redirectUri,
    authnMs: current.session.authSeconds * 1_000,
    sessionIndex: sessionIndexOf(current.session.sid, clientId),
    sessionEndsMs: current.session.endsAtSeconds * 1_000,
    nowMs: now,
    newId,
  };
  const signer = { ...(await tools.keys.signer(table, tenant, now)), algorithm: SAFE.signature, digest: SAFE.digest };
  const page = post(request, wresultOf(asked, token, signer), headers, context);
  const isGuest = current.session.tenant !== tenant;
  const noted = {
    clientId,
    applicationId: request.applicationId,
    subject: told.name,
    ...(isGuest && { tenant }),
  };
  // It stands in the table before it leaves. The use of the session was noted by the function of sign-in.
  await table.write(
    usingRequest({ clientId, id: asked.id }, now),
    ...notingCode({ ...current, storing: undefined }, noted),
  );
  return page;
}

/** What the token says of the user of a session. Two round trips at most. */
async function toldOf(
  request: AuthorizationRequest,
  current: Current,
  { application }: Asker,
  context: SamlContext,
): Promise<Pick<Token, "name" | "attributes">> {
  const attributes = requestedAttributes(application.claimConfiguration);
  const uris = attributes.map(({ uri }) => uri);
  const claimed = await claimedIn(current, request, application, uris, context);
  return { name: subjectName(claimed, application), attributes: valuesOf(attributes, claimed, application) };
}

function post(
  { tenant, to: { redirectUri, state } }: AuthorizationRequest,
  wresult: string,
  headers: Headers,
  { cookies, tools }: SamlContext,
): PageResult {
  const fields = { wa: "wsignin1.0", wresult, ...(state !== undefined && { wctx: state }) };
  const language = languageOf(localesIn(cookies), headers["accept-language"]);
  const shown = { language, brand: tools.settings.brandOf(tenant) };
  return formPostPage(redirectUri, fields, shown, { cookies: [], formTarget: formTargetOf(redirectUri) });
}
