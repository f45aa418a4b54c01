/** The pages of the own account (decision 0190): the answer is the session alone. */
import { leadTo } from "../../pages/layout.ts";
import { pathOf } from "../../pages/paths.ts";
import { accountApplication, pathOfVisit } from "../account.ts";
import { answering, storingSession } from "../answering.ts";
import type { AuthorizationRequest } from "../authorization-request.ts";
import { referenceIn } from "../session.ts";
import type { Protocol } from "./protocol.ts";

export const ownAccount: Protocol = {
  async find({ tenant }, language, { tenants }) {
    return (await tenants.find(tenant))?.active ? accountApplication(tenant, language) : undefined;
  },
  async answer(asked, current, _, steps, context) {
    const { request } = asked;
    await storingSession(current, [...answering(request, context.now), ...steps], context);
    return leadTo(pathOf(pathOfVisit(visitOf(request)), request.tenant), asked);
  },
  tell(_, { request, ...sent }, context) {
    // Without a session the pages of the own account would ask for the password again.
    const { page } = visitOf(request);
    const hasSession = referenceIn(context, request.tenant) !== undefined;
    return leadTo(hasSession ? pathOf(pathOfVisit({ page }), request.tenant) : "/", sent);
  },
};

function visitOf({ account }: AuthorizationRequest): NonNullable<AuthorizationRequest["account"]> {
  if (!account) throw new Error("a request of an application leads to the own account");
  return account;
}
