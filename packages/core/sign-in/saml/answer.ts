/** The answer to a request after the sign-in: an assertion about the user of the session, or a refusal. */
import { createHash } from "node:crypto";
import type { Step } from "../../database/table/table.ts";
import { Fault } from "../../kernel/faults.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { digestOf } from "../../tokens/opaque.ts";
import { changed } from "../flow/asked.ts";
import type { AuthorizationRequest } from "../flow/authorization-request.ts";
import { browserText } from "../flow/cookies.ts";
import type { Asker } from "../flow/protocols/protocol.ts";
import { type AskedAttribute, attributesOf, nameIdFormats, samlOf } from "../flow/saml/claims.ts";
import { findProvider } from "../flow/saml/provider.ts";
import { type AnswerTicket, openAnswer } from "../flow/saml/tickets.ts";
import { type Current, currentSession, guestSession, notingCode, referenceOf } from "../flow/session.ts";
import { claimedUser, namedNeeds } from "../openid/memberships.ts";
import { type ClaimedUser, consentName, isPresent, localValue, uriOf } from "../openid/user-claims.ts";
import { entityIdOf, type SamlContext, tenantOf } from "./context.ts";
import { answeredClass, classOf } from "./contexts.ts";
import { nameIdOf } from "./name-id.ts";
import type { Asserted } from "./response.ts";
import { newId, sendAssertion, sendRefusal } from "./send.ts";
import { refusalOfSignIn, SamlRefusal, status } from "./status.ts";
import { usingRequest } from "./used-requests-store.ts";

interface Headers {
  readonly "accept-language"?: string | undefined;
}

/**
 * Sends what came of a request. Two round trips, two more for the groups and roles of the user. Throws
 * `request.invalid` for a text that is none of this service, is older than a minute, was made in another browser, or
 * whose request was answered.
 */
export async function sendAnswer(text: string, headers: Headers, context: SamlContext): Promise<PageResult> {
  const ticket = openAnswer(context.tools.seal, text, context.now);
  const isOfBrowser = ticket?.browser === digestOf(browserText(context.cookies).text);
  if (!ticket || !isOfBrowser || ticket.request.tenant !== tenantOf(context)) throw unknownTicket();
  const { request, refusal } = ticket;
  const [asker, current] = await Promise.all([findProvider(request, context), sessionOf(ticket, context)]);
  if (!asker) throw changed();
  const asked = request.saml ?? {};
  const answered = { application: asker.application, to: request.to, id: asked.id };
  try {
    if (refusal) throw refusalOfSignIn(refusal);
    if (!current) throw unknownTicket();
    const { asserted, steps } = await assertedOf(ticket, current, asker, context);
    const using =
      asked.id === undefined ? [] : [usingRequest({ clientId: request.clientId, id: asked.id }, context.now)];
    const all = [...using, ...steps];
    // It stands in the table before it leaves: so a request has one assertion at most.
    const [page] = await Promise.all([
      sendAssertion(asserted, answered, headers, context),
      all.length > 0 ? context.table.write(...all) : undefined,
    ]);
    return page;
  } catch (error) {
    if (error instanceof SamlRefusal) return sendRefusal(error, answered, headers, context);
    throw error;
  }
}

/** The session of a ticket, if the browser has it, it counts now, and the application takes its user. */
async function sessionOf({ session, request }: AnswerTicket, context: SamlContext): Promise<Current | undefined> {
  const reference = referenceOf(context, session);
  if (session === undefined || !reference) return undefined;
  const find = reference.tenant === request.tenant ? currentSession : guestSession;
  return find(reference, request.clientId, context);
}

/** What is asserted of the user of a session, and the steps that note it there. */
async function assertedOf(
  { request, given }: AnswerTicket,
  current: Current,
  { application, client }: Asker,
  context: SamlContext,
): Promise<{ readonly asserted: Asserted; readonly steps: readonly Step[] }> {
  const { tenant, saml: asked = {} } = request;
  const { session, user } = current;
  const home = session.tenant;
  const isGuest = home !== tenant;
  if (isGuest && !client.settings.takesGuests) throw changed();
  const attributes = attributesOf(asked, application);
  const { subject } = application.claimConfiguration;
  const needs = namedNeeds([...attributes.map(({ uri }) => uri), uriOf(subject.claim ?? {})]);
  const of = { user, tenant: home, isGuest, ...(isGuest && { given: given ?? [] }), needs };
  const claimed = await claimedUser(of, application.id, context);
  const nameId = await nameIdOf(asked, claimed, application, entityIdOf(tenant, context), {
    newId,
    pairwise: () => pairwiseFor(request, samlOf(application.inbound).issuer, current, context),
  });
  if (asked.subject !== undefined && asked.subject !== nameId.value) {
    throw new SamlRefusal(status.responder, status.principal, "Another user signed in than the request names.");
  }
  const answered = answeredClass(asked.contexts, classOf(session.methods));
  if (answered === undefined) {
    throw new SamlRefusal(status.responder, status.authnContext, "The sign-in is of no requested class.");
  }
  const saml = samlOf(application.inbound);
  const { audiences, recipients } = saml.singleSignOnProfile.assertion;
  const sessionIndex = sessionIndexOf(session.sid, request.clientId);
  const noted = {
    clientId: request.clientId,
    applicationId: application.id,
    // A name for one answer would make each of them a change of the session.
    subject: nameId.format === nameIdFormats.transient ? sessionIndex : nameId.value,
    ...(isGuest && { tenant }),
  };
  return {
    asserted: {
      nameId,
      audiences: [...new Set([saml.issuer, ...audiences])],
      recipients,
      authnMs: session.authSeconds * 1_000,
      sessionIndex,
      sessionEndsMs: session.endsAtSeconds * 1_000,
      context: answered,
      attributes: valuesOf(attributes, claimed, application),
      nameFormat: saml.attributeProfile.nameFormat,
    },
    // Its use was noted by the function of sign-in.
    steps: notingCode({ ...current, storing: undefined }, noted),
  };
}

/** The name of a session for a service provider: two of them cannot compare it. */
export function sessionIndexOf(sid: string, clientId: string): string {
  return `_${createHash("sha256")
    .update(JSON.stringify([sid, clientId]), "utf8")
    .digest("hex")
    .slice(0, 40)}`;
}

/** A name that stays while the service provider has its issuer, whatever application it is registered with. */
function pairwiseFor(
  request: AuthorizationRequest,
  issuer: string,
  { session, user }: Current,
  { table, tools }: SamlContext,
) {
  const home = session.tenant;
  return tools.pairwise.of(table, {
    tenant: request.tenant,
    sector: `saml ${issuer}`,
    userId: user.id,
    ...(home !== request.tenant && { home }),
  });
}

/** The attributes that the user has values for. A guest gives what it has agreed to. */
function valuesOf(
  attributes: readonly AskedAttribute[],
  claimed: ClaimedUser,
  { claimConfiguration }: Asker["application"],
): Asserted["attributes"] {
  const { isGuest, given } = claimed;
  return attributes.flatMap(({ name, uri }) => {
    if (isGuest && given?.includes(consentName(uri)) !== true) return [];
    const value = localValue(uri, claimed, claimConfiguration.role);
    if (!isPresent(value)) return [];
    return [{ name, values: (Array.isArray(value) ? value : [value]).map(shown) }];
  });
}

function shown(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function unknownTicket(): Fault {
  return new Fault(
    "request.invalid",
    "This address is too old, was opened in another browser, or its session has ended. " +
      "Go back to the application and start again.",
  );
}
