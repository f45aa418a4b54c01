/**
 * Takes messages of logout (SAML Profiles 2.0 section 4.4; decision 0200). A logout request ends the sessions that it
 * means at once; then the browser visits the other participants, which the chain of the sign-out remembers.
 */
import type { Application } from "../../applications/registry/model.ts";
import type { Step } from "../../database/table/table.ts";
import { Fault } from "../../kernel/faults.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { issuerAt } from "../../tokens/jwt.ts";
import { type FrontChannels, frontChannelsOf } from "../flow/front-channel.ts";
import { samlOf } from "../flow/saml/claims.ts";
import { requestKeysOf } from "../flow/saml/keys.ts";
import { samlClientId } from "../flow/saml/provider.ts";
import { referencesIn } from "../flow/session.ts";
import { type AnsweredLogout, chainAddress, readChain, startingChain, VISITS_MAX } from "../logout/chain-store.ts";
import { leadTo } from "../pages/layout.ts";
import { pathOf } from "../pages/paths.ts";
import { endingSessions } from "../sessions/ending.ts";
import { readSession, removingClient, type SessionWithClients } from "../sessions/session-store.ts";
import { leadToSignOut } from "../sso/lead-on.ts";
import { issuerOf } from "./authn-request.ts";
import { endpointOf, type SamlContext, tenantOf } from "./context.ts";
import { answer, confirmed, moveChain } from "./logout-chain.ts";
import { type LogoutAsked, readLogoutRequest, sentRequestOf } from "./logout-request.ts";
import type { Binding } from "./message.ts";
import { endingName, type NamedSession, ofFormat, sessionsNamed } from "./names-store.ts";
import { type Headers, type Message, providerOf, type SamlParameters, verifiedRoot } from "./provider.ts";
import { sendSoapLogoutResponse } from "./send-logout.ts";
import { namespaces, refuse } from "./tree.ts";
import { usingRequest } from "./used-requests-store.ts";

/** Sessions that one transaction ends: it has 100 writes, of which a session takes up to seven. */
const SESSIONS_AT_ONCE = 12;
/** Characters of a RelayState in an address: it comes back in a header. */
const RELAY_STATE_MAX = 4_096;

/** A logout request with its sender and the sessions that it means. */
interface MeantSessions {
  readonly application: Application;
  readonly asked: LogoutAsked;
  readonly meant: readonly SessionWithClients[];
  /** The names of the request that stand for sessions, ended ones included. */
  readonly named: readonly NamedSession[];
  /** The digest of the sign-out that a request of the same name has begun. */
  readonly before: string | undefined;
}

/**
 * Takes a logout request through the browser. Six round trips at most before the browser goes on. Throws
 * `request.invalid`, which is shown to the person, for one that is not signed though the provider has a key, or not
 * valid; for a request of a provider without a key that does not name the session of this browser; and for one that was
 * taken before.
 */
export async function takeLogoutRequest(
  message: Message,
  parameters: SamlParameters,
  binding: Exclude<Binding, "SOAP">,
  headers: Headers,
  context: SamlContext,
): Promise<PageResult> {
  const { RelayState: relayState = "" } = parameters;
  if (Buffer.byteLength(encodeURIComponent(relayState.toWellFormed())) > RELAY_STATE_MAX) throw refuse(LONG);
  const found = await meantBy(message, parameters, binding, context);
  const { application, asked, meant, before } = found;
  const isAfterForm = binding === "HTTP_POST";
  const answered: AnsweredLogout = {
    tenant: tenantOf(context),
    applicationId: application.id,
    id: asked.id,
    binding,
    ...(parameters.RelayState !== undefined && { relayState: parameters.RelayState }),
  };
  if (meant.length === 0) {
    // A request that is sent again goes on with the sign-out that it has begun, while that is not over.
    const chain = before === undefined ? undefined : await readChain(context.table, before, context.now);
    if (chain?.chain.answered) return leadTo(pathOf(chainAddress(chain.digest), tenantOf(context)), { isAfterForm });
    // One that names a session by its index ends no later one. One that does not could, if it were sent again.
    if (asked.indexes.length === 0) await end(found, undefined, context);
    return answer({ application, answered, isPartial: false }, headers, context);
  }
  const others = await Promise.all(meant.map((each) => othersIn(each, application, context)));
  const waiting = others.flatMap(({ visits }) => visits);
  const { handle, digest, step } = startingChain(
    {
      ended: meant.map(({ session: { tenant, sid }, digest: of }) => ({ tenant, sid, digest: of })),
      waiting: waiting.slice(0, VISITS_MAX),
      isPartial: waiting.length > VISITS_MAX || others.some((each) => each.isPartial),
      frames: others.flatMap(({ frames }) => frames).slice(0, VISITS_MAX),
      answered,
    },
    context.now,
  );
  await end(found, { digest, step }, context);
  // The cookies of the sessions come with a GET of this site alone: then it shows which of them is that of the browser.
  return leadTo(pathOf(chainAddress(handle), tenantOf(context)), { isAfterForm });
}

/** Takes a logout request by SOAP: no browser can be sent anywhere. Throws `request.invalid`. */
export async function takeSoapLogout(
  message: Message,
  parameters: Pick<SamlParameters, "spQualifier">,
  context: SamlContext,
): Promise<PageResult> {
  const found = await meantBy(message, parameters, "SOAP", context);
  const others = await Promise.all(found.meant.map((each) => othersIn(each, found.application, context)));
  await end(found, undefined, context);
  const isPartial = others.some(isPartialWithout);
  return sendSoapLogoutResponse(found.application, { inResponseTo: found.asked.id, isPartial }, context);
}

/** Takes the answer of a service provider that the browser has visited. Throws `request.invalid`. */
export async function takeLogoutResponse(
  message: Message,
  binding: Exclude<Binding, "SOAP">,
  context: SamlContext,
): Promise<PageResult> {
  const { namespace, name } = message.root;
  const sent = namespace === namespaces.protocol && name === "LogoutResponse" ? sentRequestOf(message.root) : undefined;
  const read = sent && (await readChain(context.table, sent.digest, context.now));
  const asked = read?.chain.turn === sent?.turn ? read?.chain.asked : undefined;
  if (!read || !asked) throw refuse("It is no answer to a logout request that waits for one.");
  const application = await context.applications.find(asked.tenant, asked.applicationId);
  const isConfirmed = application !== undefined && (await confirmed(message, binding, application, context));
  const { asked: _, ...chain } = read.chain;
  await moveChain(read, { ...chain, isPartial: chain.isPartial || !isConfirmed }, context);
  // Only the browser with the cookie of a session that has ended may see whom it visits next.
  return leadTo(pathOf(chainAddress(read.digest), tenantOf(context)), { isAfterForm: binding === "HTTP_POST" });
}

/** Begins a logout here, where the settings of an application allow that: the person is asked. */
export async function beginLogout(
  { slo, spEntityID, returnTo, spQualifier }: SamlParameters,
  binding: Binding,
  context: SamlContext,
): Promise<PageResult> {
  if (slo !== "true") throw new Fault("request.invalid", "slo must be true.");
  if (returnTo !== undefined && spEntityID === undefined) throw new Fault("request.invalid", RETURNS);
  if (spEntityID !== undefined) {
    const { enabled, idpInitiatedSingleLogout } = samlOf(
      (await providerOf(spEntityID, { spQualifier }, context)).inbound,
    ).singleLogoutProfile;
    if (!enabled || !idpInitiatedSingleLogout.enabled) throw new Fault("request.invalid", NOT_HERE);
    if (returnTo !== undefined && !idpInitiatedSingleLogout.returnToUrls.includes(returnTo)) {
      throw new Fault("request.invalid", RETURNS);
    }
  }
  return leadToSignOut(returnTo, { isAfterForm: binding === "HTTP_POST", carried: "returnTo" }, context);
}

/** The sessions that a request means, after its checks. Throws `request.invalid`. */
async function meantBy(
  message: Message,
  parameters: Pick<SamlParameters, "spQualifier">,
  binding: Binding,
  context: SamlContext,
): Promise<MeantSessions> {
  const { table, now: nowMs } = context;
  const application = await providerOf(issuerOf(message.root, "LogoutRequest"), parameters, context);
  const saml = samlOf(application.inbound);
  if (!saml.singleLogoutProfile.enabled) throw new Fault("request.invalid", DISABLED);
  const keys = requestKeysOf(application);
  const isSigned = keys.length > 0;
  const root = await verifiedRoot(message, binding, isSigned ? keys : undefined, context);
  if (issuerOf(root, "LogoutRequest") !== saml.issuer)
    throw refuse("Its Issuer is another one than its signature covers.");
  const tenant = tenantOf(context);
  const asked = readLogoutRequest(root, { destination: endpointOf(tenant, context), isSigned, nowMs });
  // Without a key anybody can write a request: the browser and the index say that it is about this session.
  if (!isSigned && (binding !== "HTTP_REDIRECT" || asked.indexes.length === 0)) throw unsigned();
  const of = { tenant, clientId: samlClientId(application.id), value: asked.name.value };
  const named = ofFormat(await sessionsNamed(table, of, asked.indexes), asked.name.format);
  const before = named.find(({ chain }) => chain !== undefined)?.chain;
  const read = await Promise.all(named.map((key) => readSession(table, key)));
  const meant = read.flatMap((found) => found ?? []);
  if (!isSigned && meant.some((each) => !isInBrowser(each, context))) throw unsigned();
  return { application, asked, meant, named, before };
}

/** What the browser does for the other participants of a session. */
async function othersIn(
  found: SessionWithClients,
  application: Application,
  { origin, applications }: SamlContext,
): Promise<FrontChannels> {
  const others = found.clients.filter(({ clientId }) => clientId !== samlClientId(application.id));
  return frontChannelsOf({ ...found, clients: others }, { issuerOf: issuerAt(origin).issuerOf, applications });
}

/** Whether a participant is not told where the browser of a session does nothing. */
function isPartialWithout({ frames, visits, isPartial }: FrontChannels): boolean {
  return isPartial || frames.length > 0 || visits.length > 0;
}

/**
 * Ends the sessions. Who asked for that is not told of it. A request counts once: the last transaction uses it up, so
 * that one which was interrupted can be sent again.
 */
async function end(
  { application, asked, meant, named }: MeantSessions,
  chain: { readonly digest: string; readonly step: Step } | undefined,
  context: SamlContext,
): Promise<void> {
  const { table, now, tools } = context;
  const clientId = samlClientId(application.id);
  const of = { tenant: tenantOf(context), clientId, value: asked.name.value };
  const limits = { sessionLimits: tools.settings.sessions, tokenLimits: tools.limits };
  const last = [usingRequest({ clientId, id: asked.id }, now), ...(chain ? [chain.step] : [])];
  for (let at = 0; at < Math.max(meant.length, 1); at += SESSIONS_AT_ONCE) {
    const some = meant.slice(at, at + SESSIONS_AT_ONCE);
    await table.write(
      ...endingSessions(some, limits, now),
      ...some.map(({ session: { tenant, user, sid } }) => removingClient({ tenant, userId: user.id, sid }, clientId)),
      ...named
        .filter(({ sid }) => some.some(({ session }) => session.sid === sid))
        .map((each) => endingName(of, each, chain?.digest, now)),
      ...(at + SESSIONS_AT_ONCE >= meant.length ? last : []),
    );
  }
}

/** Whether the cookies of a request are those of a session, with its secret. */
function isInBrowser({ session, digest }: SessionWithClients, context: SamlContext): boolean {
  return referencesIn(context).some((each) => each.sid === session.sid && each.digest === digest);
}

function unsigned(): Fault {
  return new Fault("request.invalid", UNSIGNED);
}

const LONG = `The RelayState is longer than ${RELAY_STATE_MAX} characters in an address.`;
const DISABLED = "Single logout is off for this application: its singleLogoutProfile.enabled is false.";
const NOT_HERE =
  "A logout of this application begins there: its singleLogoutProfile.idpInitiatedSingleLogout.enabled is false.";
const RETURNS =
  "returnTo needs spEntityID, and must be one of the returnToUrls of that application, character by character.";
const UNSIGNED =
  "The application has no certificate. So its logout request must come by redirect, from the browser of the session, " +
  "with the SessionIndex of its assertion. Register the certificate, and sign.";
