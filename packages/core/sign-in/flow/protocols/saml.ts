/** SAML 2.0 (decision 0195): what it needs is loaded where a service provider asks. */
import { later } from "../../../kernel/later.ts";
import type { Protocol } from "./protocol.ts";

const { findProvider } = later(() => import("../saml/provider.ts"), "findProvider");
const { answerSaml, tellSaml } = later(() => import("../saml/answer.ts"), "answerSaml", "tellSaml");

export const saml: Protocol = {
  find: (request, _, context) => findProvider(request, { ...context, sendsMail: context.tools.recovers }),
  answer: answerSaml,
  tell: tellSaml,
};
