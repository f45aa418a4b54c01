/**
 * The applications that a person can open (decision 0193): discoverable, found by one of the groups that they name, and
 * with access where they need an assignment (decision 0170).
 */
import { type Discoverable, discoverableIn, findDiscoverable } from "../../applications/registry/discoverable-store.ts";
import type { User } from "../../directory/users/model.ts";
import type { UserStore } from "../../directory/users/store.ts";
import { foldName } from "../../kernel/fold.ts";
import { compareText } from "../../kernel/text-order.ts";
import { type AccessStores, accessibleAmong } from "../authentication/access.ts";

/** Where these applications are read. */
export interface PortalStores extends AccessStores {
  readonly users: Pick<UserStore, "find">;
}

/** An application that a person can open. */
export type Openable = Pick<Discoverable, "id" | "name" | "description" | "imageUrl" | "accessUrl">;

/** Those of a user, in the order of their names. Two round trips, and those of `accessibleAmong`. */
export async function openableBy(stores: PortalStores, tenant: string, userId: string): Promise<readonly Openable[]> {
  const [user, all] = await Promise.all([stores.users.find(tenant, userId), discoverableIn(stores.table, tenant)]);
  const found = user ? await openableAmong(stores, tenant, user, all) : [];
  return found.toSorted((one, other) => compareText(foldName(one.name), foldName(other.name)));
}

/** The one with an id; `undefined` if the user cannot open it. The same round trips. */
export async function openableOf(
  stores: PortalStores,
  tenant: string,
  userId: string,
  id: string,
): Promise<Openable | undefined> {
  const [user, one] = await Promise.all([
    stores.users.find(tenant, userId),
    findDiscoverable(stores.table, tenant, id),
  ]);
  const [found] = user && one ? await openableAmong(stores, tenant, user, [one]) : [];
  return found;
}

async function openableAmong(
  stores: PortalStores,
  tenant: string,
  user: User,
  all: readonly Discoverable[],
): Promise<readonly Openable[]> {
  const found = all.filter(({ groupIds }) => !groupIds || groupIds.some((id) => user.groupIds.includes(id)));
  const asked = found.flatMap(({ id, needsAssignment }) => (needsAssignment ? [id] : []));
  const accessible = await accessibleAmong(stores, { tenant, user, applicationIds: asked });
  return found
    .filter(({ id, needsAssignment }) => !needsAssignment || accessible.has(id))
    .map(({ groupIds: _, needsAssignment: __, ...shown }) => shown);
}
