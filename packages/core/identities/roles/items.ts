/** The items of a role beside those of its holders. */
import { Fault } from "../../platform/faults.ts";
import { keys } from "../../table/keys.ts";
import { bytesOf, nameKey } from "../../table/name-index/name-key.ts";
import type { Item, Key } from "../../table/table.ts";
import type { Audience, Role } from "./model.ts";

/** The bytes of a sort key. */
const ENTRY_BYTES_MAX = 1_024;

/** Reads the item of a role. */
export function toRole(item: Item): Role {
  return {
    id: item.id as string,
    name: item.name as string,
    permissions: [...((item.permissions as ReadonlySet<string> | undefined) ?? [])].sort(),
    holdsEveryScope: item.every === true,
    audience: { type: item.audience as Audience["type"], value: item.audienceId as string },
    createdMs: item.created as number,
    modifiedMs: item.modified as number,
    version: item.ver as number,
  };
}

/** The item of a role. */
export function roleItem(tenant: string, role: Role): Item {
  return {
    ...keys.role(tenant, role.id),
    id: role.id,
    name: role.name,
    ...(role.permissions.length > 0 && { permissions: new Set(role.permissions) }),
    ...(role.holdsEveryScope && { every: true }),
    audience: role.audience.type,
    audienceId: role.audience.value,
    created: role.createdMs,
    modified: role.modifiedMs,
    ver: role.version,
  };
}

/**
 * What a role is listed and kept unique by: its name in the form in which names are compared, behind whom it is for. Those
 * for all applications come first. Throws `request.invalid` for a name that no key can hold.
 */
export function entryOf({ name, audience }: Pick<Role, "name" | "audience">): string {
  const entry = `${audience.type === "organization" ? "" : audience.value}#${nameKey(name)}`;
  const excess = bytesOf(entry) - ENTRY_BYTES_MAX;
  if (excess > 0)
    throw new Fault("request.invalid", `The name is ${excess} bytes of UTF-8 too long for a role of one application.`);
  return entry;
}

/** Its key. */
export function entryKey(tenant: string, role: Role): Key {
  return keys.roleName(tenant, entryOf(role));
}
