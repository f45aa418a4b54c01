/** Sends the browser to the function of sign-in, with what was read and verified. */
import type { Application } from "../../applications/registry/model.ts";
import { Fault } from "../../kernel/faults.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import type { Seal } from "../../kernel/seal.ts";
import type { AuthorizationRequest } from "../flow/authorization-request.ts";
import { requestAddress, sealRequest, sealSignOut, signOutAddress } from "../flow/sso/tickets.ts";
import { leadTo } from "../pages/layout.ts";
import { pathOf } from "../pages/paths.ts";
import { type SsoContext, tenantOf } from "./context.ts";

/** What seals. */
type Leading = Pick<SsoContext, "now" | "pathTenant"> & { readonly tools: { readonly seal: Seal } };

/**
 * With a request to sign in. `carried`: the parameter that can be long. Throws `request.invalid` where it is too long
 * for an address.
 */
export function leadToSignIn(
  application: Application,
  request: AuthorizationRequest,
  { isAfterForm, carried }: { readonly isAfterForm: boolean; readonly carried: string },
  { tools, now }: Leading,
): PageResult {
  const { tenant } = request;
  const takesGuests = application.advancedConfigurations.saas === true;
  const sealed = sealRequest(tools.seal, { request, takesGuests }, now);
  if (sealed === undefined) {
    throw new Fault("request.invalid", `The ${carried} of the request, with its other parts, is too long.`);
  }
  // A form of another site comes without the cookies of the session: the browser sends them with a GET of its own.
  return leadTo(pathOf(requestAddress(sealed), tenant), { isAfterForm });
}

/**
 * With a request to sign out: the person is asked, and goes then to an address that was looked at. Throws
 * `request.invalid` where it is too long for an address.
 */
export function leadToSignOut(
  redirectUri: string | undefined,
  { isAfterForm, carried }: { readonly isAfterForm: boolean; readonly carried: string },
  context: Leading,
): PageResult {
  const tenant = tenantOf(context);
  const request = { tenant, ...(redirectUri !== undefined && { to: { redirectUri } }) };
  const sealed = sealSignOut(context.tools.seal, request, context.now);
  if (sealed === undefined) throw new Fault("request.invalid", `${carried} is too long.`);
  return leadTo(pathOf(signOutAddress(sealed), tenant), { isAfterForm });
}
