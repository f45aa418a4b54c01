/** CAS (decision 0201): what it needs is loaded where a service asks. */
import { later } from "../../../kernel/later.ts";
import type { Protocol } from "./protocol.ts";

const { findService } = later(() => import("../cas/service.ts"), "findService");
const { answerSso, tellSso } = later(() => import("../sso/answer.ts"), "answerSso", "tellSso");

const ANSWER = "/cas/answer";

export const cas: Protocol = {
  find: (request, _, context) => findService(request, { ...context, sendsMail: context.tools.recovers }),
  answer: (...of) => answerSso(ANSWER, ...of),
  tell: (...of) => tellSso(ANSWER, ...of),
};
