/** SAML 2.0 (decision 0195): what it needs is loaded where a service provider asks. */
import { later } from "../../../kernel/later.ts";
import type { Protocol } from "./protocol.ts";

const { findProvider } = later(() => import("../saml/provider.ts"), "findProvider");
const { answerSso, tellSso } = later(() => import("../sso/answer.ts"), "answerSso", "tellSso");

const ANSWER = "/samlsso/answer";

export const saml: Protocol = {
  find: (request, _, context) => findProvider(request, { ...context, sendsMail: context.tools.recovers }),
  answer: (...of) => answerSso(ANSWER, ...of),
  tell: (...of) => tellSso(ANSWER, ...of),
};
