/**
 * SAML 2.0 (decision 0195). The function of SAML reads the request and composes the answer: it alone parses XML and
 * signs assertions. This one asks the person, and sends the browser there with what came of it.
 */
import { digestOf } from "../../../tokens/opaque.ts";
import { leadTo } from "../../pages/layout.ts";
import { pathOf } from "../../pages/paths.ts";
import { answering, storingSession } from "../answering.ts";
import type { Asked } from "../asked.ts";
import type { SignInContext } from "../context.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { answerAddress, sealAnswer } from "./tickets.ts";

/** Of what a service provider is told: it can name many claims. */
const MESSAGE_MAX = 300;

/** Stores the session, and sends the browser on to its assertion. */
export const answerSaml: Protocol["answer"] = async (asked, current, _, steps, context) => {
  await storingSession(current, [...answering(asked.request, context.now), ...steps], context);
  return sendOn(asked, { session: current.reference.digest }, asked, context);
};

/** Sends the browser on to a response that says why there is no assertion. */
export async function tellSaml(...[{ code, message }, sent, context]: Parameters<Protocol["tell"]>) {
  return sendOn(sent, { refusal: { code, message: message.slice(0, MESSAGE_MAX) } }, sent, context);
}

function sendOn(
  { request, browser }: Pick<Asked, "request" | "browser">,
  outcome: Omit<Parameters<typeof sealAnswer>[1], "request" | "browser" | "nowMs">,
  sent: Parameters<typeof leadTo>[1],
  { tools, now }: SignInContext,
) {
  // The address has room for a request as it came: pages have added what an answer does not need.
  const { tenant, clientId, applicationId, to, saml, isRedirectSent, scopes, resources, prompts, acrValues } = request;
  const asItCame = { tenant, clientId, applicationId, to, saml, isRedirectSent, scopes, resources, prompts, acrValues };
  const sealed = sealAnswer(tools.seal, { ...outcome, request: asItCame, browser: digestOf(browser), nowMs: now });
  return leadTo(pathOf(answerAddress(sealed), request.tenant), sent);
}
