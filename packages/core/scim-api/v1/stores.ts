/** What the SCIM 1.1 handlers use. */
import type { GroupStores } from "../../identities/provisioning/groups.ts";
import type { UserStores } from "../../identities/provisioning/users.ts";
import type { RoleStore } from "../../identities/roles/store.ts";
import type { ResourceStores } from "../resources/stores.ts";
import type { IsAdministrator } from "./administrators.ts";

/** How SCIM 1.1 is spoken here. */
export interface Scim1Dialect {
  readonly showsUsername: false;
  readonly needsPassword: boolean;
  /** True: lists answer whole resources, which Okta's tests look for; otherwise what the spec shows of them. */
  readonly listsWhole: boolean;
}

/** What the handlers use. */
export interface Scim1Stores extends UserStores, GroupStores, ResourceStores {
  readonly roles: RoleStore;
  readonly isAdministrator: IsAdministrator;
  readonly dialect: Scim1Dialect;
}
