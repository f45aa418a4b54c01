/** From a request of a service provider, or one that this side begins, to the page or session that answers it. */
import type { Application } from "../../applications/registry/model.ts";
import { Fault } from "../../kernel/faults.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import type { AuthorizationRequest } from "../flow/authorization-request.ts";
import { samlOf } from "../flow/saml/claims.ts";
import { requestKeysOf } from "../flow/saml/keys.ts";
import { isConsumer, samlClientId, samlProblemOf } from "../flow/saml/provider.ts";
import { FACTORS_CLASS } from "../openid/id-token.ts";
import { leadToSignIn } from "../sso/lead-on.ts";
import { goesByArtifact, issuerOf, readAsked, readHead } from "./authn-request.ts";
import { endpointOf, type SamlContext, tenantOf } from "./context.ts";
import { answeredClass, FACTORS, needsFactors } from "./contexts.ts";
import type { Binding } from "./message.ts";
import {
  type Headers,
  type Message,
  providerOf,
  type SamlParameters,
  unknownProvider,
  verifiedRoot,
} from "./provider.ts";
import { newId, sendRefusal } from "./send.ts";
import { SamlRefusal, status } from "./status.ts";

/**
 * Takes a request. Two round trips; one more where the service provider is told that it asks for something else than
 * there is. Throws `request.invalid`, which is shown to the person, where no answer may be sent.
 */
export async function takeRequest(
  message: Message,
  parameters: SamlParameters,
  binding: Binding,
  headers: Headers,
  context: SamlContext,
): Promise<PageResult> {
  const { root: unverified } = message;
  const application = await providerOf(issuerOf(unverified, "AuthnRequest"), parameters, context);
  const saml = samlOf(application.inbound);
  if (!saml.singleSignOnProfile.bindings.includes(binding)) {
    throw new Fault(
      "request.invalid",
      `The singleSignOnProfile.bindings of the application do not include ${binding}.`,
    );
  }
  const keys = saml.requestValidation.enableSignatureValidation ? requestKeysOf(application) : undefined;
  const root = await verifiedRoot(message, binding, keys, context);
  if (issuerOf(root, "AuthnRequest") !== saml.issuer) throw unknownProvider();
  const tenant = tenantOf(context);
  const { id, address, isByArtifact } = readHead(root, saml, {
    destination: endpointOf(tenant, context),
    isSigned: saml.requestValidation.enableSignatureValidation,
    nowMs: context.now,
  });
  const to = toOf(address, parameters);
  try {
    const problem = samlProblemOf(application, context.sendsMail);
    if (problem !== undefined) throw new SamlRefusal(status.responder, status.denied, problem);
    const { forces, isPassive, ...asked } = readAsked(root, saml);
    if (answeredClass(asked.contexts, FACTORS) === undefined) {
      throw new SamlRefusal(status.responder, status.authnContext, "No sign-in here has a requested class.");
    }
    const prompts = [...(isPassive ? ["none"] : []), ...(forces ? ["login"] : [])];
    const acrValues = needsFactors(asked.contexts) ? [FACTORS_CLASS] : undefined;
    const request = requestOf(application, to, { id, isByArtifact, takenMs: context.now, ...asked }, context);
    const wished = { ...request, prompts, acrValues, loginHint: asked.subject };
    return leadToSignIn(application, wished, carryingBy(binding), context);
  } catch (error) {
    if (!(error instanceof SamlRefusal)) throw error;
    return sendRefusal(error, { application, to, id, isByArtifact }, headers, context);
  }
}

/** Begins a sign-in without a request, where the settings allow that. Throws `request.invalid`. */
export async function beginSignIn(
  entityId: string,
  parameters: SamlParameters,
  binding: Binding,
  context: SamlContext,
): Promise<PageResult> {
  const application = await providerOf(entityId, parameters, context);
  const saml = samlOf(application.inbound);
  if (!saml.singleSignOnProfile.enableIdpInitiatedSingleSignOn) {
    throw new Fault(
      "request.invalid",
      "A sign-in to this application begins there: its singleSignOnProfile.enableIdpInitiatedSingleSignOn is false.",
    );
  }
  const address = parameters.acs ?? saml.defaultAssertionConsumerUrl;
  if (!isConsumer(address, saml)) {
    throw new Fault("request.invalid", "acs must be one of the assertionConsumerUrls of the application.");
  }
  const problem = samlProblemOf(application, context.sendsMail);
  // No service provider waits for an answer.
  if (problem !== undefined) throw new Fault("request.invalid", problem);
  const begun = { begun: newId(), takenMs: context.now, isByArtifact: goesByArtifact(address, saml) };
  const request = requestOf(application, toOf(address, parameters), begun, context);
  return leadToSignIn(application, request, carryingBy(binding), context);
}

function carryingBy(binding: Binding) {
  return { isAfterForm: binding === "HTTP_POST", carried: "RelayState" };
}

function toOf(redirectUri: string, { RelayState }: SamlParameters): AuthorizationRequest["to"] {
  return { redirectUri, mode: "form_post", ...(RelayState !== undefined && { state: RelayState }) };
}

/** A request to sign in to an application. */
export function requestOf(
  { id: applicationId }: Application,
  to: AuthorizationRequest["to"],
  saml: NonNullable<AuthorizationRequest["saml"]>,
  context: SamlContext,
) {
  return {
    tenant: tenantOf(context),
    clientId: samlClientId(applicationId),
    applicationId,
    to,
    saml,
    isRedirectSent: true,
    scopes: [],
    resources: [],
    prompts: [],
  } satisfies AuthorizationRequest;
}
