/** From a request of a relying party to the page or session that answers it, or to the sign-out. */
import { findInbound } from "../../applications/registry/inbound-store.ts";
import type { Application } from "../../applications/registry/model.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import type { AuthorizationRequest } from "../flow/authorization-request.ts";
import { passiveStsClientId, passiveStsOf, passiveStsProblemOf } from "../flow/passive-sts/relying-party.ts";
import { FACTORS_CLASS } from "../openid/id-token.ts";
import { type SamlContext, tenantOf } from "../saml/context.ts";
import { newId } from "../saml/send.ts";
import { leadToSignIn } from "../sso/lead-on.ts";
import { needsFactors } from "./methods.ts";
import { type PassiveStsParameters, readWishes, refuse } from "./parameters.ts";
import { takeSignOut } from "./sign-out.ts";

/** Takes a request. Two round trips. Throws `request.invalid`, which is shown to the person. */
export async function takeRequest(
  sent: PassiveStsParameters,
  isForm: boolean,
  context: SamlContext,
): Promise<PageResult> {
  const parameters = withoutEmpty(sent);
  switch (parameters.wa) {
    case "wsignin1.0":
      return signIn(parameters, isForm, context);
    case "wsignout1.0":
      return takeSignOut(parameters, isForm, relyingPartyOf, context);
    case "wsignoutcleanup1.0":
      // It is sent to relying parties, and this service is none: who opens it is asked, as for any sign-out.
      return takeSignOut({}, isForm, relyingPartyOf, context);
    case "wattr1.0":
    case "wpseudo1.0":
      throw refuse("Attributes come with the token of wsignin1.0; pseudonyms are not offered.");
    default:
      throw refuse("wa must be wsignin1.0, wsignout1.0 or wsignoutcleanup1.0.");
  }
}

/** Libraries send what they have no value for, without one. What an application gets back is left as it is. */
function withoutEmpty(sent: PassiveStsParameters): PassiveStsParameters {
  return Object.fromEntries(Object.entries(sent).filter(([name, value]) => value !== "" || name === "wctx"));
}

async function signIn(parameters: PassiveStsParameters, isForm: boolean, context: SamlContext): Promise<PageResult> {
  const { wtrealm, wreply, wctx } = parameters;
  if (wtrealm === undefined) throw refuse("Send wtrealm: the realm of the application.");
  const application = await relyingPartyOf(wtrealm, context);
  const { replyTo } = passiveStsOf(application.inbound);
  if (wreply !== undefined && wreply !== replyTo) {
    throw refuse("wreply is not the replyTo of the application: it must be the same, character by character.");
  }
  const problem = passiveStsProblemOf(application, context.sendsMail);
  if (problem !== undefined) throw refuse(problem);
  const { freshMinutes, ...wishes } = readWishes(parameters, context.now);
  const request: AuthorizationRequest = {
    tenant: tenantOf(context),
    clientId: passiveStsClientId(application.id),
    applicationId: application.id,
    to: { redirectUri: replyTo, mode: "form_post", ...(wctx !== undefined && { state: wctx }) },
    passiveSts: {
      id: newId(),
      takenMs: context.now,
      ...wishes,
      // With 0 the person signs in again; a token that lives for no time would be of no use.
      ...(freshMinutes && { freshMinutes }),
    },
    isRedirectSent: true,
    scopes: [],
    resources: [],
    prompts: freshMinutes === 0 ? ["login"] : [],
    ...(freshMinutes && { maxAgeSeconds: freshMinutes * 60 }),
    ...(needsFactors(wishes.method) && { acrValues: [FACTORS_CLASS] }),
  };
  return leadToSignIn(application, request, { isAfterForm: isForm, carried: "wctx" }, context);
}

/** The application of a realm, whether or not people can sign in to it. Two round trips. */
async function relyingPartyOf(realm: string, context: SamlContext): Promise<Application> {
  const tenant = tenantOf(context);
  const [id, owner] = await Promise.all([
    findInbound(context.table, tenant, "STS", realm),
    context.tenants.find(tenant),
  ]);
  const application = id === undefined ? undefined : await context.applications.find(tenant, id);
  if (!owner?.active || application?.inbound.passiveSts?.realm !== realm) {
    throw refuse("There is no application here with the realm of wtrealm.");
  }
  return application;
}
