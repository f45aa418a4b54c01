/** The dependencies of the SCIM 2.0 handlers. */

import type { Fault } from "../../../kernel/faults.ts";
import type { Seal } from "../../../kernel/seal.ts";
import type { ResourceType } from "../../../scim/protocol/schema/attribute.ts";
import type { RoleStores } from "../../provisioning/roles.ts";
import type { ScimCall, ScimStores } from "../resources/call.ts";

/** The settings of SCIM 2.0. */
export interface Scim2Dialect {
  /** True: users carry `username`, with their store, besides `userName`. */
  readonly showsUsername: boolean;
  readonly needsPassword: boolean;
  /** True: the configuration of the service has members of later RFCs, which strict clients refuse. */
  readonly showsEvents: boolean;
  readonly requiresIfMatch: boolean;
  readonly removesDuplicateUsers: boolean;
  readonly userType: ResourceType;
  readonly groupType: ResourceType;
  /** The body of a fault, for one operation of a bulk request. */
  readonly errorOf: (fault: Fault) => Record<string, unknown>;
}

/** The dependencies of the handlers. */
export interface Scim2Stores extends ScimStores, RoleStores {
  readonly dialect: Scim2Dialect;
  /** Seals cursors. */
  readonly seal: Seal;
}

/** One request of SCIM 2.0. */
export type Scim2Call = ScimCall<Scim2Stores>;
