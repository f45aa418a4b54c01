/**
 * Users, groups and roles as they were, where bulk memberships of the tenant are not finished: a request that needs
 * what they change carries them out first (decision 0066), in the table as it is now.
 */
import type { OpenBulk } from "../identities/memberships/bulk-model.ts";
import { settleGroups, settleRole } from "../identities/provisioning/open-bulks.ts";
import { Fault } from "../platform/faults.ts";
import { later } from "../platform/later.ts";
import type { Scim2Stores } from "../scim-api/v2/stores.ts";
import type { ReadNow, Subject } from "./history.ts";
import type { HistorySource } from "./source.ts";

/** The stores as they are, and the source of those as they were. */
type Now = Scim2Stores & { readonly history: HistorySource<Scim2Stores> };

/** The stores as they were for a resource after a change. */
interface Past {
  readonly stores: Scim2Stores;
  /** Whether a bulk was carried out by reading from the stores: what was read may be from before it. */
  readonly isStale: () => boolean;
}

type Settling = Pick<Scim2Stores["users" | "groups" | "roles"], "settle">;

const [storesAt] = later(() => import("./history.ts"), "storesAt");

/** The stores as they were. Throws what `storesAt` throws. */
export async function pastOf(now: Now, place: Subject, version: string, readNow: ReadNow): Promise<Past> {
  const stores = await storesAt(now.history, place, version, readNow).catch(async (error: unknown) => {
    if (!(error instanceof Fault && error.fault === "service.unavailable")) throw error;
    await settleOwner(now, place);
    return storesAt(now.history, place, version, readNow);
  });
  let isStale = false;
  // The table as it was is for reading only.
  const settling =
    ({ settle }: Settling) =>
    async (tenant: string, open: OpenBulk): Promise<void> => {
      await settle(tenant, open);
      isStale ||= open.bulk.purpose !== "clear";
    };
  return {
    stores: {
      ...stores,
      users: { ...stores.users, settle: settling(now.users) },
      groups: { ...stores.groups, settle: settling(now.groups) },
      roles: { ...stores.roles, settle: settling(now.roles) },
    },
    isStale: () => isStale,
  };
}

/** Carries out the bulk of a group or role. */
async function settleOwner({ groups, roles }: Now, { tenant, type, id }: Subject): Promise<void> {
  const [group, role] = await Promise.all([
    type === "group" ? groups.find(tenant, id) : undefined,
    type === "role" ? roles.find(tenant, id) : undefined,
  ]);
  if (group) await settleGroups({ groups }, tenant, [group]);
  if (role) await settleRole({ roles }, tenant, role);
}
