/** Asks who the person is, with a password or in another way: the page that a sign-in begins with. */
import { firstWays, type Way } from "../../applications/registry/sequence-model.ts";
import type { Factors } from "../../directory/credentials/factor-store.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { type SignInForm, signInPage } from "../pages/pages.ts";
import { pathOf, recoveryPaths } from "../pages/paths.ts";
import { formTargetOf } from "./answers.ts";
import type { Asked } from "./asked.ts";
import type { SignInContext } from "./context.ts";
import { provenBy, type Standing } from "./factors.ts";
import { actionOf } from "./forms.ts";
import { randomText, requestOptions, siteOf } from "./passkey-site.ts";
import { sealPending, type WaitingRequest } from "./pending.ts";
import { userNameOf } from "./proven-page.ts";
import { withPages } from "./used-pages-store.ts";

/** The ways in which a person can say who it is. */
export function waysInto({ steps: { who, asked } }: Pick<Asked, "steps">): readonly Way[] {
  return who ?? firstWays(asked);
}

/** Asks who the person is, in the ways that the application takes first. */
export function askPassword(
  asked: Asked,
  context: SignInContext,
  { proven, ...more }: Pick<SignInForm, "userName" | "problem"> & Pick<WaitingRequest, "proven"> = {},
): PageResult {
  const { request, application, client, language, browser, cookies } = asked;
  const { now: nowMs, tools } = context;
  const ways = proven ? (["password"] as const) : waysInto(asked);
  const challenge = ways.includes("passkey") ? { text: randomText(), madeMs: nowMs } : undefined;
  const waiting: WaitingRequest = {
    ...withPages(request),
    ...(client.settings.takesGuests && { takesGuests: true }),
    passkey: challenge,
    proven,
  };
  return signInPage(
    {
      language,
      brand: tools.settings.brandOf(request.tenant),
      application: application.name,
      identifiers: tools.settings.identifiers,
      ways,
      ...(challenge && { passkey: requestOptions(challenge.text, siteOf(context.origin)) }),
      action: actionOf("sign-in", request.tenant),
      request: sealPending(tools.seal, "sign-in", { request: waiting, browser, nowMs }),
      ...(tools.recovers && { forgot: pathOf(recoveryPaths.forgot, request.tenant) }),
      ...(tools.registers(request.tenant) && { register: pathOf(recoveryPaths.register, request.tenant) }),
      ...more,
    },
    { cookies, formTarget: formTargetOf(request.to.redirectUri) },
  );
}

/** Asks somebody who has proven something else for the password besides. */
export function askPasswordToo(asked: Asked, standing: Standing, _: Factors, context: SignInContext): PageResult {
  const { tenant } = asked.request;
  return askPassword(asked, context, { userName: userNameOf(standing, tenant), proven: provenBy(standing, tenant) });
}
