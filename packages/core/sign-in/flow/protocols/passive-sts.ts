/** WS-Federation (decision 0203): what it needs is loaded where a relying party asks. */
import { later } from "../../../kernel/later.ts";
import type { Protocol } from "./protocol.ts";

const { findRelyingParty } = later(() => import("../passive-sts/relying-party.ts"), "findRelyingParty");
const { answerSso, tellSso } = later(() => import("../sso/answer.ts"), "answerSso", "tellSso");

const ANSWER = "/passivests/answer";

export const passiveSts: Protocol = {
  find: (request, _, context) => findRelyingParty(request, { ...context, sendsMail: context.tools.recovers }),
  answer: (...of) => answerSso(ANSWER, ...of),
  tell: (...of) => tellSso(ANSWER, ...of),
};
