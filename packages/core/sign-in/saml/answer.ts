/** The answer to a request after the sign-in: an assertion about the user of the session, or a refusal. */
import { createHash } from "node:crypto";
import type { Step } from "../../database/table/table.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { mayUse, NO_ACCESS } from "../flow/access.ts";
import { changed } from "../flow/asked.ts";
import type { AuthorizationRequest } from "../flow/authorization-request.ts";
import type { Asker } from "../flow/protocols/protocol.ts";
import type { SamlAsked } from "../flow/saml/asked.ts";
import { attributesOf, nameIdFormats, samlOf } from "../flow/saml/claims.ts";
import { findProvider } from "../flow/saml/provider.ts";
import { type Current, notingCode } from "../flow/session.ts";
import type { ClaimedUser } from "../openid/user-claims.ts";
import { claimedIn, valuesOf } from "../sso/claimed.ts";
import { checkStill, openedAnswer, sessionOf, unknownTicket } from "../sso/still.ts";
import { entityIdOf, type SamlContext, tenantOf } from "./context.ts";
import { answeredClass, classOf } from "./contexts.ts";
import { nameIdOf } from "./name-id.ts";
import { addingName } from "./names-store.ts";
import type { Asserted } from "./response.ts";
import { newId, sendAssertion, sendRefusal } from "./send.ts";
import { refusalOfSignIn, SamlRefusal, status } from "./status.ts";
import { ANSWERABLE_MS, usingRequest } from "./used-requests-store.ts";

interface Headers {
  readonly "accept-language"?: string | undefined;
}

/**
 * Sends what came of a request, if the sign-in would end like this now. Two round trips, one more where the application
 * asks for an assignment, two more for the groups and roles of the user. Throws `request.invalid` for a text that is
 * none of this service, is older than a minute, was made in another browser, or whose request was answered.
 */
export async function sendAnswer(text: string, headers: Headers, context: SamlContext): Promise<PageResult> {
  const ticket = openedAnswer(text, context);
  const { request, refusal } = ticket;
  const { saml: asked } = request;
  const id = asked?.id ?? asked?.begun;
  if (!asked || id === undefined || context.now >= asked.takenMs + ANSWERABLE_MS) throw unknownTicket();
  const [asker, signedIn] = await Promise.all([findProvider(request, context), sessionOf(ticket, context)]);
  if (!asker) throw changed();
  const { bindings } = samlOf(asker.application.inbound).singleSignOnProfile;
  const { isByArtifact } = asked;
  if (isByArtifact && !bindings.includes("ARTIFACT")) throw changed();
  const answered = { application: asker.application, to: request.to, id: asked.id, isByArtifact };
  try {
    if (refusal) throw refusalOfSignIn(refusal);
    if (!signedIn) throw unknownTicket();
    checkStill(ticket, signedIn, asker, context);
    const [hasAccess, { asserted, steps }] = await Promise.all([
      mayUse({ request, ...asker }, signedIn.current, context),
      assertedOf(request, asked, signedIn.current, asker, context),
    ]);
    if (!hasAccess) throw new SamlRefusal(status.responder, status.denied, NO_ACCESS);
    const sent = await sendAssertion(asserted, answered, headers, context);
    // It stands in the table before it leaves: so a request has one assertion at most, and none that cannot be made.
    const using = usingRequest({ clientId: request.clientId, id }, context.now);
    await context.table.write(using, ...steps, ...sent.steps);
    noteEnded(asker.application, context);
    return sent.page;
  } catch (error) {
    if (error instanceof SamlRefusal) return sendRefusal(error, answered, headers, context);
    throw error;
  }
}

/** Metadata that has ended stops no sign-in: its owner may have forgotten it, and people could not work. */
function noteEnded({ id: resource, inbound }: Asker["application"], { note, now, ...of }: SamlContext): void {
  const { validUntil } = samlOf(inbound).imported ?? {};
  if (validUntil === undefined || Date.parse(validUntil) > now) return;
  note?.({ event: "saml-metadata-ended", tenant: tenantOf(of), resource });
}

/** What is asserted of the user of a session, and the steps that note it there. */
async function assertedOf(
  request: AuthorizationRequest,
  asked: SamlAsked,
  current: Current,
  { application }: Asker,
  context: SamlContext,
): Promise<{ readonly asserted: Asserted; readonly steps: readonly Step[] }> {
  const { tenant } = request;
  const { session } = current;
  const home = session.tenant;
  const isGuest = home !== tenant;
  const { claimed, values } = await toldOf(current, asked, application, context);
  const known = current.client?.saml;
  // The name of this side in all messages to the provider.
  const issuer = samlOf(application.inbound).idpEntityIdAlias || entityIdOf(tenant, context);
  const nameId = await nameIdOf(asked, claimed, application, issuer, {
    // A session has one, so that its end can be told.
    transient: () => (known?.format === nameIdFormats.transient ? known.value : newId()),
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
  const { clientId } = request;
  const { format, value } = nameId;
  const name = { format, value, index: sessionIndex, endsAtSeconds: session.endsAtSeconds };
  const noting = notingCode(
    // Its use was noted by the function of sign-in.
    { ...current, storing: undefined },
    {
      clientId,
      applicationId: application.id,
      subject: value,
      saml: name,
      ...(isGuest && { tenant }),
    },
  );
  return {
    asserted: {
      nameId,
      audiences: [...new Set([saml.issuer, ...audiences])],
      recipients,
      authnMs: session.authSeconds * 1_000,
      sessionIndex,
      sessionEndsMs: session.endsAtSeconds * 1_000,
      context: answered,
      attributes: values,
      nameFormat: saml.attributeProfile.nameFormat,
    },
    steps: noting.length === 0 ? [] : [...noting, addingName({ tenant, clientId, value }, name, session)],
  };
}

/** The user of a session with its claims, and the values of the attributes that an answer has. */
export async function toldOf(
  current: Current,
  asked: SamlAsked,
  application: Asker["application"],
  context: SamlContext,
): Promise<{ readonly claimed: ClaimedUser; readonly values: Asserted["attributes"] }> {
  const attributes = attributesOf(asked, application);
  const uris = attributes.map(({ uri }) => uri);
  const claimed = await claimedIn(current, { tenant: tenantOf(context), saml: asked }, application, uris, context);
  return { claimed, values: valuesOf(attributes, claimed, application) };
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
