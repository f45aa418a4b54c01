/** Sends messages of logout: through the browser by redirect or form, or in an envelope. */

import { canTakeForms } from "../../applications/protocols/answer-addresses.ts";
import type { LogoutService } from "../../applications/protocols/saml-imported.ts";
import { logoutServicesOf } from "../../applications/protocols/saml-imported.ts";
import type { Application } from "../../applications/registry/model.ts";
import type { Canonical } from "../../kernel/canonical-xml.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import type { SamlName } from "../../tokens/logout-model.ts";
import { formTargetOf } from "../flow/answers.ts";
import { localesIn } from "../flow/cookies.ts";
import { samlOf } from "../flow/saml/claims.ts";
import type { AnsweredLogout } from "../logout/chain-store.ts";
import { languageOf } from "../pages/language.ts";
import { pageHeaders } from "../pages/layout.ts";
import { formPostPage } from "../pages/pages.ts";
import { type SamlContext, tenantOf } from "./context.ts";
import { type LogoutMessage, logoutRequest, logoutResponse, soapOf } from "./logout-message.ts";
import type { Headers } from "./provider.ts";
import { redirectAddress } from "./redirect.ts";
import { issuerFor, newId, signerFor } from "./send.ts";
import type { Signer } from "./sign.ts";
import { soapAnswer } from "./soap.ts";

/** A service provider that is told. */
interface Told {
  readonly application: Application;
  readonly tenant: string;
  readonly id: string;
  readonly name: SamlName;
}

/** Sends the browser to a service provider with a logout request. No round trip while the keys are known. */
export async function sendLogoutRequest(
  { service, ...told }: Told & { readonly service: LogoutService },
  headers: Headers,
  context: SamlContext,
): Promise<PageResult> {
  const { application, tenant, id, name } = told;
  const message = messageTo(service.location, id, application, tenant, context);
  const compose = (signer?: Signer) => logoutRequest(message, name, samlOf(application.inbound).issuer, signer);
  const sent = { to: service.location, binding: service.binding, parameter: "SAMLRequest", compose } as const;
  return send(sent, { application, tenant }, headers, context);
}

/** A logout request in an envelope, for a service provider that is told without a browser. */
export async function soapLogoutRequest(told: Told & { readonly to: string }, context: SamlContext): Promise<string> {
  const { application, tenant, id, name, to } = told;
  const message = messageTo(to, id, application, tenant, context);
  const signer = await signerFor(application, tenant, context);
  return soapOf(logoutRequest(message, name, samlOf(application.inbound).issuer, signer));
}

/**
 * Sends the browser back to the service provider that asked, by the binding that its request came by; `undefined` where
 * it has no address for that.
 */
export async function sendLogoutResponse(
  of: { readonly application: Application; readonly answered: AnsweredLogout; readonly isPartial: boolean },
  headers: Headers,
  context: SamlContext,
): Promise<PageResult | undefined> {
  const { application, answered, isPartial } = of;
  const to = responseAddress(application, answered.binding === "HTTP_POST" ? "HTTP-POST" : "HTTP-Redirect");
  if (!to || !canTakeForms(to.location)) return undefined;
  const message = messageTo(to.location, newId(), application, answered.tenant, context);
  const compose = (signer?: Signer) => logoutResponse(message, { inResponseTo: answered.id, isPartial }, signer);
  const sent = { to: to.location, binding: to.binding, parameter: "SAMLResponse", compose } as const;
  return send({ ...sent, relayState: answered.relayState }, { application, tenant: answered.tenant }, headers, context);
}

/** Answers a logout request by SOAP. */
export async function sendSoapLogoutResponse(
  application: Application,
  said: Parameters<typeof logoutResponse>[1],
  context: SamlContext,
): Promise<PageResult> {
  const tenant = tenantOf(context);
  const message = { ...messageTo("", newId(), application, tenant, context), destination: undefined };
  const response = logoutResponse(message, said, await signerFor(application, tenant, context));
  return soapAnswer(response);
}

/** Where answers go: to the service of the binding, or else to the first one that a browser can be sent to. */
function responseAddress({ inbound }: Application, binding: "HTTP-POST" | "HTTP-Redirect") {
  const saml = samlOf(inbound);
  const services = logoutServicesOf(saml).filter((each) => each.binding !== "SOAP" && each.binding !== "HTTP-Artifact");
  const found = services.find((each) => each.binding === binding) ?? services[0];
  if (found) return { location: found.responseLocation, binding: found.binding };
  // The settings name requests by SOAP, and this address for answers.
  const { logoutResponseUrl } = saml.singleLogoutProfile;
  return logoutResponseUrl ? { location: logoutResponseUrl, binding } : undefined;
}

function messageTo(
  destination: string,
  id: string,
  application: Application,
  tenant: string,
  context: SamlContext,
): LogoutMessage {
  return { id, issuer: issuerFor(application, tenant, context), destination, nowMs: context.now };
}

/** A message that a browser carries. */
interface Sent {
  readonly to: string;
  readonly binding: string;
  readonly parameter: "SAMLRequest" | "SAMLResponse";
  readonly compose: (signer?: Signer) => Canonical;
  readonly relayState?: string | undefined;
}

async function send(
  { to, binding, parameter, compose, relayState }: Sent,
  { application, tenant }: Pick<Told, "application" | "tenant">,
  headers: Headers,
  context: SamlContext,
): Promise<PageResult> {
  const signer = await signerFor(application, tenant, context);
  if (binding === "HTTP-Redirect") {
    const location = redirectAddress(to, parameter, compose(), relayState, signer);
    return { status: 303, headers: { ...pageHeaders(), location } };
  }
  const fields = {
    [parameter]: Buffer.from(compose(signer), "utf8").toString("base64"),
    ...(relayState !== undefined && { RelayState: relayState }),
  };
  const language = languageOf(localesIn(context.cookies), headers["accept-language"]);
  const shown = { language, brand: context.tools.settings.brandOf(tenantOf(context)) };
  return formPostPage(to, fields, shown, { cookies: [], formTarget: formTargetOf(to) });
}
