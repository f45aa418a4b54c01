/** What the SCIM 2.0 handlers use. */

import type { GroupStores } from "../../identities/provisioning/groups.ts";
import type { RoleStores } from "../../identities/provisioning/roles.ts";
import type { UserStores } from "../../identities/provisioning/users.ts";
import type { Fault } from "../../platform/faults.ts";
import type { Seal } from "../../platform/seal.ts";
import type { ResourceType } from "../../scim/schema/attribute.ts";
import type { ResourceStores } from "../resources/stores.ts";

/** How SCIM 2.0 is spoken here. */
export interface Scim2Dialect {
  /** True: users carry `username` with their store beside `userName`. */
  readonly showsUsername: boolean;
  readonly needsPassword: boolean;
  readonly removesDuplicateUsers: boolean;
  readonly userType: ResourceType;
  readonly groupType: ResourceType;
  /** A failure as an answer shows it, for one operation of many. */
  readonly errorOf: (fault: Fault) => Record<string, unknown>;
}

/** What the handlers use. */
export interface Scim2Stores extends UserStores, GroupStores, RoleStores, ResourceStores {
  readonly dialect: Scim2Dialect;
  /** Seals cursors. */
  readonly seal: Seal;
}
