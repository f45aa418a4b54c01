/** The authorization endpoint: which client asks, where its answer may go, and what the browser must do first. */

import type { Application } from "../../applications/registry/model.ts";
import { Fault } from "../../kernel/faults.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { type IdTokenHint, readIdTokenHint } from "../../tokens/id-token-reader.ts";
import { issuerAt } from "../../tokens/jwt.ts";
import { languageOf } from "../pages/language.ts";
import { answerError } from "./answers.ts";
import { arrive, candidatesFor } from "./arrive.ts";
import type { Asked } from "./asked.ts";
import { AuthorizationError } from "./authorization-error.ts";
import { type AuthorizationRequest, type Requester, readAuthorizationRequest } from "./authorization-request.ts";
import { tenantFacts } from "./code.ts";
import type { SignInContext } from "./context.ts";
import { browserText, localesIn } from "./cookies.ts";
import type { PageHeaders } from "./forms.ts";
import { expectedSubject } from "./hints.ts";
import { one, type Parameters } from "./parameters.ts";
import { findPushed, isPushedName, pushedDigest } from "./pushed-store.ts";
import { parametersInObject } from "./request-object.ts";
import { modeOf } from "./response-types.ts";
import { returnAddressOf } from "./return-address.ts";
import { checkSector } from "./sectors.ts";
import { stepsOf } from "./ways.ts";

/**
 * Takes an authorization request. Throws `request.invalid`, which is shown to the person, where no answer may be sent.
 */
export async function authorize(
  parameters: Parameters,
  headers: PageHeaders,
  isAfterForm: boolean,
  context: SignInContext,
): Promise<PageResult> {
  const { requester, sent, client, candidates, facts, hint } = await requesterOf(parameters, context);
  const language = languageOf(
    localesIn(context.cookies, one(sent.parameters, "ui_locales")),
    headers["accept-language"],
  );
  const { tenant, application } = requester;
  const browser = browserText(context.cookies);
  const brand = context.tools.settings.brandOf(tenant);
  const sending = { tenant, language, brand, isAfterForm, cookies: browser.setting };
  let { to } = requester;
  try {
    to = { ...to, mode: modeOf(sent.parameters) };
    if (sent.problem) throw sent.problem;
    const request = requestOf(sent.parameters, hint, { ...requester, to });
    await checkSector(requester, context);
    const steps = stepsOf(application, request, context.tools);
    const asked: Asked = { ...sending, request, application, client, steps, browser: browser.text };
    return await arrive(asked, candidates, facts, context);
  } catch (error) {
    if (error instanceof AuthorizationError) return answerError(error, to, sending, context);
    throw error;
  }
}

/** The request that parameters ask for; its hint and its claims name one user at most. Throws `AuthorizationError`. */
function requestOf(parameters: Parameters, hint: IdTokenHint | undefined, requester: Requester): AuthorizationRequest {
  const expected = expectedSubject(one(parameters, "id_token_hint"), hint, requester);
  const request = readAuthorizationRequest(parameters, requester);
  if (expected === undefined) return request;
  if (request.expected !== undefined && expected !== request.expected) {
    throw new AuthorizationError("invalid_request", "id_token_hint and the claim sub name different users.");
  }
  return { ...request, expected };
}

/** The parameters that count, and how they came. */
interface Sent {
  readonly parameters: Parameters;
  readonly pushed?: string | undefined;
  readonly isSigned: boolean;
  /** Why a request object does not count. The parameters are those outside of it then. */
  readonly problem?: AuthorizationError;
}

/**
 * The client of a request, its address, and the session of the browser. Two round trips; one more for a hint in a
 * request object. Throws `request.invalid`, which is shown to the person: the browser must not be sent to an address
 * that is not registered.
 */
async function requesterOf(parameters: Parameters, context: SignInContext) {
  const clientId = one(parameters, "client_id");
  if (clientId === undefined) throw new Fault("request.invalid", "The parameter client_id is required.");
  const [client, given] = await Promise.all([
    context.clients.find(clientId),
    sentParameters(parameters, clientId, context),
  ]);
  if (!client || client.tenant !== (context.pathTenant ?? client.tenant)) {
    throw new Fault("request.invalid", "client_id: there is no such application here.");
  }
  const { tenant, applicationId } = client;
  const hintOf = (of: Parameters) => {
    const text = one(of, "id_token_hint");
    return text === undefined ? undefined : readIdTokenHint(context.table, text);
  };
  const [application, owner, candidates, facts, outerHint] = await Promise.all([
    context.applications.find(tenant, applicationId),
    context.tenants.find(tenant),
    candidatesFor(client, client.settings.takesGuests === true, context),
    tenantFacts(tenant, (one(given.parameters, "scope") ?? "").split(" "), context),
    hintOf(given.parameters),
  ]);
  if (!application?.inbound.oidc || !owner?.active) {
    throw new Fault("request.invalid", "client_id: there is no such application here.");
  }
  const sent = await withObject(given, { clientId, tenant, application }, context);
  const hint = sent === given ? outerHint : await hintOf(sent.parameters);
  const address = await returnAddressOf(sent.parameters, application.inbound.oidc.callbackURLs).catch((error) => {
    throw sent.problem && error instanceof Fault ? new Fault("request.invalid", sent.problem.message) : error;
  });
  const requester: Requester = {
    tenant,
    clientId,
    application,
    ...address,
    ...(sent.pushed !== undefined && { pushed: sent.pushed }),
    isSigned: sent.isSigned,
    origin: context.origin,
    sendsMail: context.tools.recovers,
  };
  return { requester, sent, client, candidates, facts, hint };
}

/**
 * The parameters of a request: those that were pushed, if it names a pushed request, whatever else it has (RFC 9126
 * section 4). At most one round trip. Throws `request.invalid`.
 */
async function sentParameters(parameters: Parameters, clientId: string, { table, now }: SignInContext): Promise<Sent> {
  const name = one(parameters, "request_uri");
  if (!isPushedName(name)) return { parameters, isSigned: false };
  const digest = pushedDigest(name);
  const found = digest === undefined ? undefined : await findPushed(table, digest, now);
  // The client in the row has the tenant in the row: client ids are unique.
  if (!found || found.clientId !== clientId) throw new Fault("request.invalid", UNKNOWN_REQUEST);
  // It was stored by this service, in this form.
  return { parameters: JSON.parse(found.parameters) as Parameters, pushed: digest, isSigned: found.isSigned };
}

const UNKNOWN_REQUEST =
  "request_uri is not valid: it is unknown, is older than a minute, was used, or belongs to another application. " +
  "Go back to the application and start again.";

/** The parameters in the request object of a request that has one. */
async function withObject(
  given: Sent,
  of: Readonly<Record<"clientId" | "tenant", string>> & { readonly application: Application },
  { tools, origin, now }: SignInContext,
): Promise<Sent> {
  if (given.pushed !== undefined || one(given.parameters, "request") === undefined) return given;
  const sender = { ...of, issuer: issuerAt(origin).issuerOf(of.tenant), nowMs: now };
  try {
    return { parameters: await parametersInObject(given.parameters, sender, tools.keySets), isSigned: true };
  } catch (problem) {
    if (problem instanceof AuthorizationError) return { ...given, problem };
    throw problem;
  }
}
