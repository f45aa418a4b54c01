/**
 * Users, groups and roles as they were, where bulk memberships of the tenant are not finished: a request that needs
 * what they change carries them out first (decision 0066), in the table as it is now.
 */
import type { OpenBulk } from "../../directory/memberships/bulk-model.ts";
import { settleGroups, settleRole } from "../../directory/provisioning/open-bulks.ts";
import type { Scim2Stores } from "../../directory/scim-api/v2/stores.ts";
import { Fault } from "../../kernel/faults.ts";
import type { ReadNow, Subject } from "./history.ts";
import { storesAt } from "./reading.ts";
import type { WithHistory } from "./source.ts";

/** The stores as they were for a resource after a change. */
interface Past {
  readonly stores: Scim2Stores;
  /** Whether a bulk was carried out by reading from the stores: what was read may be from before it. */
  readonly isStale: () => boolean;
}

type Settling = Pick<Scim2Stores["users" | "groups" | "roles"], "settle">;

/** The stores as they were. Throws what `storesAt` throws. */
export async function pastOf(
  now: WithHistory<Scim2Stores>,
  place: Subject,
  version: string,
  readNow: ReadNow,
): Promise<Past> {
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
async function settleOwner({ groups, roles }: Scim2Stores, { tenant, type, id }: Subject): Promise<void> {
  const [group, role] = await Promise.all([
    type === "group" ? groups.find(tenant, id) : undefined,
    type === "role" ? roles.find(tenant, id) : undefined,
  ]);
  if (group) await settleGroups({ groups }, tenant, [group]);
  if (role) await settleRole({ roles }, tenant, role);
}
