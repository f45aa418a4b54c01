/** Who holds a role: an item in the role's partition and the role's id in the item of the user or group, written together. */
import { canBeId } from "../../platform/ids.ts";
import { keys, ROLE_GROUP, ROLE_USER } from "../../table/keys.ts";
import { stale } from "../../table/stale.ts";
import { type Key, LAST, type Page, type Step, type Table } from "../../table/table.ts";

/** Users and groups can hold roles. */
export type HolderKind = "user" | "group";

/** One holder. */
export interface Holder {
  readonly kind: HolderKind;
  readonly id: string;
}

const prefixes: Readonly<Record<HolderKind, string>> = { user: ROLE_USER, group: ROLE_GROUP };

/** The item of a user or of a group. */
export function sideOfHolder(tenant: string, { kind, id }: Holder): Key {
  return kind === "user" ? keys.user(tenant, id) : keys.group(tenant, id);
}

/** The steps by which somebody gains a role; two of a transaction. */
export function gainingRole(tenant: string, roleId: string, holder: Holder): Step[] {
  return [
    { put: { ...sideOfRole(tenant, roleId, holder) }, when: "absent", otherwise: stale },
    rememberingRole(tenant, holder, roleId, "gain"),
  ];
}

/** The steps by which somebody loses it. */
export function losingRole(tenant: string, roleId: string, holder: Holder): Step[] {
  return [
    { remove: sideOfRole(tenant, roleId, holder), when: "present", otherwise: stale },
    rememberingRole(tenant, holder, roleId, "lose"),
  ];
}

/** The roles' side of somebody who goes. */
export function forgettingHolder(tenant: string, holder: Holder, roleIds: readonly string[]): Step[] {
  return roleIds.map((roleId) => ({ remove: sideOfRole(tenant, roleId, holder), when: "present", otherwise: stale }));
}

/** The steps by which a holder of that version loses several roles at once: one, and one for each. */
export function losingRoles(tenant: string, holder: Holder, version: number, roleIds: readonly string[]): Step[] {
  return [
    {
      change: sideOfHolder(tenant, holder),
      add: { ver: 1 },
      take: { roles: new Set(roleIds) },
      when: { equal: { ver: version } },
      otherwise: stale,
    },
    ...forgettingHolder(tenant, holder, roleIds),
  ];
}

/** The ids of the users or of the groups that hold a role, in order, up to `most`. */
export async function readHolders(
  table: Table,
  tenant: string,
  roleId: string,
  kind: HolderKind,
  most: number,
): Promise<readonly string[]> {
  const prefix = prefixes[kind];
  const found: string[] = [];
  let after: Key | undefined;
  do {
    const page: Page = await table.query({
      PK: keys.role(tenant, roleId).PK,
      from: prefix,
      to: `${prefix}${LAST}`,
      limit: Math.min(8_000, most - found.length),
      ...(after && { after }),
    });
    found.push(...page.items.map(({ SK }) => SK.slice(prefix.length)));
    after = page.next;
  } while (after && found.length < most);
  return found;
}

/** Those of some holders who hold the role: the very objects that were given. One round trip. */
export async function holdersAmong(
  table: Table,
  tenant: string,
  roleId: string,
  holders: readonly Holder[],
): Promise<readonly Holder[]> {
  const known = holders.filter(({ id }) => canBeId(id));
  const items = await table.getMany(known.map((holder) => sideOfRole(tenant, roleId, holder)));
  return known.filter((_, at) => items[at] !== undefined);
}

function sideOfRole(tenant: string, roleId: string, { kind, id }: Holder): Key {
  return kind === "user" ? keys.roleUser(tenant, roleId, id) : keys.roleGroup(tenant, roleId, id);
}

/** The step by which a holder's item takes up a role, or forgets it. */
function rememberingRole(tenant: string, holder: Holder, roleId: string, change: "gain" | "lose"): Step {
  const roles = { roles: new Set([roleId]) };
  const common = { change: sideOfHolder(tenant, holder), when: "present", otherwise: stale } as const;
  return change === "gain" ? { ...common, add: { ver: 1, ...roles } } : { ...common, add: { ver: 1 }, take: roles };
}
