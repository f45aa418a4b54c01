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
import { sealSignOut, signOutAddress } from "../flow/sso/tickets.ts";
import { type AnsweredLogout, chainAddress, readChain, startingChain } from "../logout/chain-store.ts";
import { leadTo } from "../pages/layout.ts";
import { pathOf } from "../pages/paths.ts";
import { endingSessions } from "../sessions/ending.ts";
import { readSession, removingClient, type SessionKey, type SessionWithClients } from "../sessions/session-store.ts";
import { issuerOf } from "./authn-request.ts";
import { endpointOf, type SamlContext, tenantOf } from "./context.ts";
import { answer, confirmed, goOn } from "./logout-chain.ts";
import { type LogoutAsked, readLogoutRequest, sentRequestOf } from "./logout-request.ts";
import type { Binding } from "./message.ts";
import { sessionsNamed } from "./names-store.ts";
import { type Headers, type Message, providerOf, type SamlParameters, verifiedRoot } from "./provider.ts";
import { sendSoapLogoutResponse } from "./send-logout.ts";
import { refuse } from "./tree.ts";
import { usingRequest } from "./used-requests-store.ts";

/** Sessions that one transaction ends: it has 100 writes, of which a session takes up to six. */
const SESSIONS_AT_ONCE = 15;

/** A logout request with its sender and the sessions that it means. */
interface MeantSessions {
  readonly application: Application;
  readonly asked: LogoutAsked;
  readonly meant: readonly SessionWithClients[];
}

/**
 * Takes a logout request through the browser. Four round trips before the browser goes on. Throws `request.invalid`,
 * which is shown to the person, for one that is not signed though the provider has a key, or not valid; for a request
 * of a provider without a key that does not name the session of this browser; and for one that was taken before.
 */
export async function takeLogoutRequest(
  message: Message,
  parameters: SamlParameters,
  binding: Exclude<Binding, "SOAP">,
  headers: Headers,
  context: SamlContext,
): Promise<PageResult> {
  const found = await meantBy(message, parameters, binding, context);
  const { application, asked, meant } = found;
  const answered: AnsweredLogout = {
    tenant: tenantOf(context),
    applicationId: application.id,
    id: asked.id,
    binding,
    ...(parameters.RelayState !== undefined && { relayState: parameters.RelayState }),
  };
  if (meant.length === 0) return answer({ application, answered, isPartial: false }, headers, context);
  const others = await Promise.all(meant.map((each) => othersIn(each, application, context)));
  // The only session that is meant is that of the browser which brings the request, with or without its cookies.
  const at = meant.length === 1 ? 0 : meant.findIndex((each) => isInBrowser(each, context));
  const { frames, visits } = others[at] ?? { frames: [], visits: [] };
  // What other browsers would have to do is not done.
  const isPartial = others.some((each, place) => place !== at && isPartialWithout(each));
  const ended = meant.map(({ session: { tenant, sid } }) => ({ tenant, sid }));
  const chain = { ended, waiting: visits, isPartial, frames, answered };
  const { handle, step } = startingChain(chain, context.now);
  await end(found, context, step);
  // The cookies of the sessions come with a GET of this site alone.
  return leadTo(pathOf(chainAddress(handle), tenantOf(context)), { isAfterForm: binding === "HTTP_POST" });
}

/** Takes a logout request by SOAP: no browser can be sent anywhere. Throws `request.invalid`. */
export async function takeSoapLogout(
  message: Message,
  parameters: Pick<SamlParameters, "spQualifier">,
  context: SamlContext,
): Promise<PageResult> {
  const found = await meantBy(message, parameters, "SOAP", context);
  const others = await Promise.all(found.meant.map((each) => othersIn(each, found.application, context)));
  await end(found, context);
  const isPartial = others.some(isPartialWithout);
  return sendSoapLogoutResponse(found.application, { inResponseTo: found.asked.id, isPartial }, context);
}

/** Takes the answer of a service provider that the browser has visited. Throws `request.invalid`. */
export async function takeLogoutResponse(
  message: Message,
  parameters: SamlParameters,
  binding: Exclude<Binding, "SOAP">,
  headers: Headers,
  context: SamlContext,
): Promise<PageResult> {
  const issuer = issuerOf(message.root, "LogoutResponse");
  const sent = sentRequestOf(message.root);
  const [application, read] = await Promise.all([
    providerOf(issuer, parameters, context),
    sent && readChain(context.table, sent.handle, context.now),
  ]);
  const isAwaited = read?.chain.asked === samlClientId(application.id) && read.chain.turn === sent?.turn;
  if (!read || !isAwaited) throw refuse("It answers no logout request that waits for an answer.");
  const isConfirmed = await confirmed(message, binding, application, context);
  return goOn({ ...read, chain: { ...read.chain, isPartial: read.chain.isPartial || !isConfirmed } }, headers, context);
}

/** Begins a logout here, where the settings of an application allow that: the person is asked. */
export async function beginLogout(
  { slo, spEntityID, returnTo, spQualifier }: SamlParameters,
  binding: Binding,
  context: SamlContext,
): Promise<PageResult> {
  if (slo !== "true") throw new Fault("request.invalid", "slo must be true.");
  const tenant = tenantOf(context);
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
  const request = { tenant, ...(returnTo !== undefined && { to: { redirectUri: returnTo } }) };
  const sealed = sealSignOut(context.tools.seal, request, context.now);
  if (sealed === undefined) throw new Fault("request.invalid", RETURNS);
  return leadTo(pathOf(signOutAddress(sealed), tenant), { isAfterForm: binding === "HTTP_POST" });
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
  const named = await sessionsNamed(table, { tenant, clientId: samlClientId(application.id), ...asked.name });
  const indexes = new Set(asked.indexes.length > 0 ? asked.indexes : named.keys());
  const possible = [...indexes].flatMap((index) => named.get(index) ?? []);
  const read = await Promise.all(possible.map((key: SessionKey) => readSession(table, key)));
  const meant = read.flatMap((found) => found ?? []);
  if (!isSigned && meant.some((each) => !isInBrowser(each, context))) throw unsigned();
  return { application, asked, meant };
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
function isPartialWithout({ frames, visits }: FrontChannels): boolean {
  return frames.length > 0 || visits.length > 0;
}

/** Ends the sessions. Who asked for that is not told of it. A request counts once. */
async function end(
  { application, asked, meant }: MeantSessions,
  context: SamlContext,
  ...more: readonly Step[]
): Promise<void> {
  const { table, now, tools } = context;
  const clientId = samlClientId(application.id);
  const limits = { sessionLimits: tools.settings.sessions, tokenLimits: tools.limits };
  for (let at = 0; at < meant.length; at += SESSIONS_AT_ONCE) {
    const some = meant.slice(at, at + SESSIONS_AT_ONCE);
    await table.write(
      ...endingSessions(some, limits, now),
      ...some.map(({ session: { tenant, user, sid } }) => removingClient({ tenant, userId: user.id, sid }, clientId)),
      ...(at === 0 ? [usingRequest({ clientId, id: asked.id }, now), ...more] : []),
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

const DISABLED = "Single logout is off for this application: its singleLogoutProfile.enabled is false.";
const NOT_HERE =
  "A logout of this application begins there: its singleLogoutProfile.idpInitiatedSingleLogout.enabled is false.";
const RETURNS =
  "returnTo needs spEntityID, and must be one of the returnToUrls of that application, character by character.";
const UNSIGNED =
  "The application has no certificate. So its logout request must come by redirect, from the browser of the session, " +
  "with the SessionIndex of its assertion. Register the certificate, and sign.";
