/** What users and groups are read from as resources. */

import type { GroupStore } from "../../identities/groups/store.ts";
import type { NameStore } from "../../identities/memberships/shown-names.ts";
import type { UserStore } from "../../identities/users/store.ts";

/** What reading uses, and how users are shown. */
export interface ResourceStores {
  readonly users: UserStore;
  readonly groups: GroupStore;
  readonly names: NameStore;
  readonly dialect: {
    /** True: users carry `username` with their store beside `userName`. */
    readonly showsUsername: boolean;
  };
}
