/** Requests of browsers to sign in and out (CAS protocol 3.0 sections 2.1 and 2.3). */
import { shownAddress } from "../../applications/protocols/addresses.ts";
import { Fault } from "../../kernel/faults.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { ACCOUNT_PATH } from "../flow/account.ts";
import { casProblemOf } from "../flow/cas/service.ts";
import { leadTo } from "../pages/layout.ts";
import { pathOf } from "../pages/paths.ts";
import { tenantOf } from "../sso/context.ts";
import { leadToSignIn, leadToSignOut } from "../sso/lead-on.ts";
import type { CasContext } from "./context.ts";
import { registeredService, requestOf } from "./services.ts";

interface LoginParameters {
  readonly service?: string | undefined;
  readonly renew?: string | undefined;
  readonly gateway?: string | undefined;
  readonly method?: string | undefined;
}

interface LogoutParameters {
  readonly service?: string | undefined;
  /** The same for clients of CAS 2.0. */
  readonly url?: string | undefined;
}

/**
 * Sends the browser to the function of sign-in; without a service to the pages of the own account. Two round trips.
 * Throws `request.invalid`, which is shown to the person: nothing is sent to a service that is not registered.
 */
export async function takeLogin(parameters: LoginParameters, context: CasContext): Promise<PageResult> {
  const { service, method = "GET" } = parameters;
  const kind = offeredKind(context);
  const tenant = tenantOf(context);
  if (service === undefined) return leadTo(pathOf(ACCOUNT_PATH, tenant), { isAfterForm: false });
  if (method !== "GET" && method !== "POST") throw new Fault("request.invalid", "method must be GET or POST.");
  const found = await registeredService(service, kind, context);
  if ("problem" in found) throw new Fault("request.invalid", `service: '${shownAddress(service)}' ${found.problem}.`);
  const problem = casProblemOf(found.application, context.sendsMail);
  if (problem !== undefined) throw new Fault("request.invalid", problem);
  const isRenewed = isSet(parameters.renew);
  // Of both the protocol recommends this one.
  const isGateway = !isRenewed && isSet(parameters.gateway);
  const request = requestOf(
    { tenant, applicationId: found.application.id, href: found.href },
    { kind, release: found.cas.attributeRelease, takenMs: context.now, ...(isGateway && { isGateway }) },
    {
      mode: method === "POST" ? "form_post" : "query",
      prompts: [...(isRenewed ? ["login"] : []), ...(isGateway ? ["none"] : [])],
    },
  );
  return leadToSignIn(found.application, request, { isAfterForm: false, carried: "service" }, context);
}

/**
 * Sends the browser to the page that asks whether to sign out, and from there to the service if an application has
 * claimed it. Two round trips at most.
 */
export async function takeLogout({ service, url }: LogoutParameters, context: CasContext): Promise<PageResult> {
  const kind = offeredKind(context);
  const address = service ?? url;
  const found = address === undefined ? undefined : await registeredService(address, kind, context);
  const to = found && "href" in found && found.application.applicationEnabled ? found.href : undefined;
  return leadToSignOut(to, { isAfterForm: false, carried: "service" }, context);
}

/** Whether a parameter without a value of its own is set: clients send `true`. */
export function isSet(parameter: string | undefined): boolean {
  return parameter !== undefined && parameter !== "false";
}

/** The kind that is CAS. Throws `request.invalid` where there is none. */
function offeredKind({ tools }: CasContext): string {
  if (tools.casKind !== undefined) return tools.casKind;
  throw new Fault("request.invalid", "Sign-in by CAS is not offered here.");
}
