/** The protocols of sign-in. A request says by its members which one it is of. */
import type { AuthorizationRequest } from "../authorization-request.ts";
import { openId } from "./open-id.ts";
import { ownAccount } from "./own-account.ts";
import type { Protocol } from "./protocol.ts";
import { saml } from "./saml.ts";

/** The protocol of a request. */
export function protocolOf({ account, saml: isSaml }: Pick<AuthorizationRequest, "account" | "saml">): Protocol {
  if (account) return ownAccount;
  return isSaml ? saml : openId;
}
