/**
 * Other protocols than OpenID Connect (decision 0195). The function of single sign-on reads the request and composes
 * the answer. This one asks the person, and sends the browser there with what came of it.
 */

import type { PageResult } from "../../../kernel/operation/operation.ts";
import { digestOf } from "../../../tokens/opaque.ts";
import { leadTo } from "../../pages/layout.ts";
import { pathOf } from "../../pages/paths.ts";
import { answering, storingSession } from "../answering.ts";
import type { Asked } from "../asked.ts";
import type { SignInContext } from "../context.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { answerAddress, sealAnswer } from "./tickets.ts";

/** Of what the asking application is told: it can name many claims. */
const MESSAGE_MAX = 300;

/** Stores the session, and sends the browser on to the path that composes the answer. */
export async function answerSso(
  path: string,
  ...[asked, current, _, steps, context]: Parameters<Protocol["answer"]>
): Promise<PageResult> {
  await storingSession(current, [...answering(asked.request, context.now), ...steps], context);
  return sendOn(path, asked, { session: current.reference.digest }, asked, context);
}

/** Sends the browser on to the path that composes the refusal. */
export async function tellSso(
  path: string,
  ...[{ code, message }, sent, context]: Parameters<Protocol["tell"]>
): Promise<PageResult> {
  return sendOn(path, sent, { refusal: { code, message: message.slice(0, MESSAGE_MAX) } }, sent, context);
}

function sendOn(
  path: string,
  { request, browser }: Pick<Asked, "request" | "browser">,
  outcome: Omit<Parameters<typeof sealAnswer>[1], "request" | "browser" | "nowMs">,
  sent: Parameters<typeof leadTo>[1],
  { tools, now }: SignInContext,
) {
  // The address has room for a request as it came: pages have added what an answer does not need.
  const { tenant, clientId, applicationId, to, saml, passiveSts, cas, isRedirectSent, acrValues } = request;
  const { scopes, resources, prompts } = request;
  const asked = { to, saml, passiveSts, cas, isRedirectSent, scopes, resources, prompts, acrValues };
  const asItCame = { tenant, clientId, applicationId, ...asked };
  const sealed = sealAnswer(tools.seal, { ...outcome, request: asItCame, browser: digestOf(browser), nowMs: now });
  return leadTo(pathOf(answerAddress(path, sealed), request.tenant), sent);
}
