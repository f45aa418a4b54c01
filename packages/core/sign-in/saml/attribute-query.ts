/**
 * What an AttributeQuery is told of a user (SAML Core 2.0 section 3.3.2.3): of one whom the service provider knows by
 * the name that it was given in a session that still counts, and what it would be told at a sign-in now.
 */
import type { Application } from "../../applications/registry/model.ts";
import type { SamlAsked } from "../flow/saml/asked.ts";
import { nameIdFormats, samlOf } from "../flow/saml/claims.ts";
import { samlClient, samlClientId } from "../flow/saml/provider.ts";
import { type Current, currentSession, guestSession } from "../flow/session.ts";
import { findConsent } from "../sessions/consent-store.ts";
import { readSession, type SessionKey } from "../sessions/session-store.ts";
import { isAllowed } from "../sso/still.ts";
import { sessionIndexOf, toldOf } from "./answer.ts";
import { type SamlContext, tenantOf } from "./context.ts";
import { classOf } from "./contexts.ts";
import { nameOf } from "./logout-request.ts";
import { sessionsNamed } from "./names-store.ts";
import type { Asserted } from "./response.ts";
import { issuerFor } from "./send.ts";
import { SamlRefusal, status } from "./status.ts";
import { requestOf } from "./take-request.ts";
import { childOf, childrenOf, refuse, textOf, type XmlNode } from "./tree.ts";

/** An attribute of a query, with the only values that are asked for. */
interface WantedAttribute {
  readonly name: string;
  readonly values: readonly string[];
}

/** The answer. Throws `SamlRefusal` where there is none, and `request.invalid` for a query without a NameID. */
export async function attributesAsked(
  root: XmlNode,
  application: Application,
  context: SamlContext,
): Promise<Asserted> {
  const subject = childOf(root, "assertion", "Subject");
  if (!subject) throw refuse("It has no Subject.");
  const name = nameOf(subject);
  const wanted = childrenOf(root, "assertion", "Attribute").map((each) => ({
    name: each.attributes.get("Name") ?? "",
    values: childrenOf(each, "assertion", "AttributeValue").map(textOf),
  }));
  const current = await sessionOfName(name, application, context);
  const tenant = tenantOf(context);
  const { issuer, singleSignOnProfile, attributeProfile } = samlOf(application.inbound);
  // A query asks for attributes by itself, as a request does by this index.
  const attributeIndex = singleSignOnProfile.attributeConsumingServiceIndex;
  const asked = { takenMs: context.now, nameIdFormat: name.format, attributeIndex };
  await checkNow(asked, current, application, context);
  const { session } = current;
  const isQualified = name.format === nameIdFormats.persistent || name.format === nameIdFormats.transient;
  return {
    nameId: {
      ...name,
      ...(isQualified && { qualifiers: { by: issuerFor(application, tenant, context), for: issuer } }),
    },
    audiences: [...new Set([issuer, ...singleSignOnProfile.assertion.audiences])],
    recipients: [],
    authnMs: session.authSeconds * 1_000,
    sessionIndex: sessionIndexOf(session.sid, samlClientId(application.id)),
    sessionEndsMs: session.endsAtSeconds * 1_000,
    context: classOf(session.methods),
    attributes: await valuesAsked(wanted, asked, current, application, context),
    nameFormat: attributeProfile.nameFormat,
  };
}

/** The latest session of the user whom a name stands for now. */
async function sessionOfName(
  name: { readonly format: string; readonly value: string },
  application: Application,
  context: SamlContext,
): Promise<Current> {
  const clientId = samlClientId(application.id);
  const tenant = tenantOf(context);
  const noted = await sessionsNamed(context.table, { tenant, clientId, value: name.value }, []);
  const named = noted.filter(({ format }) => format === name.format);
  const found = await Promise.all(named.map((key) => countedSession(key, clientId, context)));
  const counted = found.filter((each) => each !== undefined);
  const [latest] = counted.toSorted((one, other) => other.session.authSeconds - one.session.authSeconds);
  const users = new Set(counted.map(({ session, user }) => JSON.stringify([session.tenant, user.id])));
  // An address can have been that of another user a moment ago.
  if (!latest || users.size > 1) throw new SamlRefusal(status.responder, status.principal, UNKNOWN);
  return latest;
}

/** A session, if it counts now. Two round trips. */
async function countedSession(key: SessionKey, clientId: string, context: SamlContext): Promise<Current | undefined> {
  const read = await readSession(context.table, key);
  if (!read) return undefined;
  const { userStore } = read.session.user;
  const find = key.tenant === tenantOf(context) ? currentSession : guestSession;
  return find({ ...key, userStore, digest: read.digest }, clientId, context);
}

/** Throws where a sign-in would not end with an answer now: what the person has agreed to is all that is told. */
async function checkNow(
  asked: SamlAsked,
  current: Current,
  application: Application,
  context: SamlContext,
): Promise<void> {
  const request = requestOf(application, { redirectUri: "", mode: "form_post" }, asked, context);
  const { session, user } = current;
  const consent = await findConsent(context.table, session.tenant, user.id, application.id);
  const asker = { application, client: samlClient(application, tenantOf(context)) };
  if (await isAllowed(request, asker, { current, consent }, context)) return;
  throw new SamlRefusal(status.responder, status.denied, CHANGED);
}

async function valuesAsked(
  wanted: readonly WantedAttribute[],
  asked: SamlAsked,
  current: Current,
  application: Application,
  context: SamlContext,
): Promise<Asserted["attributes"]> {
  const { values } = await toldOf(current, asked, application, context);
  const told = values.flatMap((each) => {
    if (wanted.length === 0) return [each];
    const match = wanted.find(({ name }) => name === each.name);
    if (!match) return [];
    const some = match.values.length === 0 ? each.values : each.values.filter((value) => match.values.includes(value));
    return some.length === 0 ? [] : [{ ...each, values: some }];
  });
  if (told.length === 0) throw new SamlRefusal(status.responder, status.attribute, NOTHING);
  return told;
}

const UNKNOWN = "No user who is signed in to this service provider has this name.";
const CHANGED = "The user would not be signed in to this service provider now without being asked something.";
const NOTHING = "The user has no value for these attributes, or this service provider may not read them.";
