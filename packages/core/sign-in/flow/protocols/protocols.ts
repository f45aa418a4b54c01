/** The protocols of sign-in. A request says by its members which one it is of. */
import type { AuthorizationRequest } from "../authorization-request.ts";
import { cas } from "./cas.ts";
import { openId } from "./open-id.ts";
import { ownAccount } from "./own-account.ts";
import { passiveSts } from "./passive-sts.ts";
import type { Protocol } from "./protocol.ts";
import { saml } from "./saml.ts";

/** The protocol of a request. */
export function protocolOf(request: Pick<AuthorizationRequest, "account" | "saml" | "passiveSts" | "cas">): Protocol {
  if (request.account) return ownAccount;
  if (request.cas) return cas;
  if (request.passiveSts) return passiveSts;
  return request.saml ? saml : openId;
}
