/** Sends the browser to the function of sign-in with a request that was read and verified. */
import type { Application } from "../../applications/registry/model.ts";
import { Fault } from "../../kernel/faults.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import type { Seal } from "../../kernel/seal.ts";
import type { AuthorizationRequest } from "../flow/authorization-request.ts";
import { requestAddress, sealRequest } from "../flow/sso/tickets.ts";
import { leadTo } from "../pages/layout.ts";
import { pathOf } from "../pages/paths.ts";

/** `carried`: the parameter that can be long. Throws `request.invalid` where it is too long for an address. */
export function leadToSignIn(
  application: Application,
  request: AuthorizationRequest,
  { isAfterForm, carried }: { readonly isAfterForm: boolean; readonly carried: string },
  { tools, now }: { readonly tools: { readonly seal: Seal }; readonly now: number },
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
