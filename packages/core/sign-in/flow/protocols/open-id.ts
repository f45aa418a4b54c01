/** OpenID Connect and OAuth 2.0: the answer is a code, or tokens that the browser fetches. */
import { digestOf } from "../../../tokens/opaque.ts";
import { leadTo } from "../../pages/layout.ts";
import { pathOf } from "../../pages/paths.ts";
import { answering } from "../answering.ts";
import { answerCode, answerError } from "../answers.ts";
import { problemOf } from "../authorization-request.ts";
import { newCode } from "../code.ts";
import { front, storingAnswer } from "../front-store.ts";
import { isRegistered } from "../redirects.ts";
import { isStillAllowed } from "../response-types.ts";
import type { Protocol } from "./protocol.ts";

export const openId: Protocol = {
  async find({ tenant, applicationId, clientId, to, types }, _, context) {
    const [application, client, owner] = await Promise.all([
      context.applications.find(tenant, applicationId),
      context.clients.find(clientId),
      context.tenants.find(tenant),
    ]);
    const registered = application?.inbound.oidc?.callbackURLs ?? [];
    const isSame = owner?.active && client?.tenant === tenant && client.applicationId === applicationId;
    const mayBeAnswered =
      application && !problemOf(application, context.tools.recovers) && isStillAllowed(types, application);
    if (!mayBeAnswered || !isSame || !(await isRegistered(to.redirectUri, registered))) return undefined;
    return { application, client };
  },
  async answer(asked, current, facts, steps, context) {
    const { request, browser } = asked;
    const { text, code, noting, storing } = await newCode(asked, current, facts, context);
    const { types, to, tenant } = request;
    const before = [...answering(request, context.now), ...steps, ...noting];
    if (!types) {
      await context.table.write(...before, storing);
      return answerCode(text, to, asked, context);
    }
    // The function that signs tokens sends such an answer: this one holds no key.
    const { ticket, step } = storingAnswer({ code, types, browser: digestOf(browser), ...front(to) });
    await context.table.write(...before, step);
    return leadTo(`${pathOf("/oauth2/answer", tenant)}?ticket=${ticket}`, asked);
  },
  tell: (error, sent, context) => answerError(error, sent.request.to, sent, context),
};
