/** The rows of a role: its own row, and the entry of its name. Its assignees are a relation of their own. */

import { keys } from "../../database/table/keys.ts";
import { bytesOf, nameKey } from "../../database/table/name-index/name-key.ts";
import { as, flag, number, oneOf, optional, rowCodec, text, textSet } from "../../database/table/row.ts";
import type { Item, Key } from "../../database/table/table.ts";
import { Fault } from "../../kernel/faults.ts";
import { bulkField } from "../memberships/bulk-rows.ts";
import type { Role } from "./model.ts";

/** The bytes of a sort key. */
const ENTRY_BYTES_MAX = 1_024;

interface RoleRow extends Omit<Role, "audience"> {
  readonly audienceType: Role["audience"]["type"];
  readonly audienceId: string;
  readonly audienceName: string | undefined;
}

const roleRow = rowCodec<RoleRow>("role", {
  id: text,
  name: text,
  externalId: optional(text),
  permissions: textSet,
  holdsEveryScope: as("every", flag),
  audienceType: as("audience", oneOf("organization", "application")),
  audienceId: text,
  audienceName: optional(text),
  createdMs: as("created", number),
  modifiedMs: as("modified", number),
  version: as("ver", number),
  bulk: bulkField,
});

/** Reads the id in the entry of a role's name. */
export const roleEntry = rowCodec<{ readonly id: string }>("role name", { id: text });

/** Reads the row of a role. */
export function toRole(item: Item): Role {
  const { audienceType, audienceId, audienceName: name, ...role } = roleRow.read(item);
  return { ...role, audience: { type: audienceType, value: audienceId, ...(name !== undefined && { name }) } };
}

/** The row of a role. */
export function roleItem(tenant: string, { audience, ...role }: Role): Item {
  const row = { ...role, audienceType: audience.type, audienceId: audience.value, audienceName: audience.name };
  return { ...keys.role(tenant, role.id), ...roleRow.write(row) };
}

/**
 * The sort key by which a role is unique and listed: its audience, and its name in the form in which names are
 * compared. Roles for all applications come first. Throws `request.invalid` for a name that no key can hold.
 */
export function entryOf({ name, audience }: Pick<Role, "name" | "audience">): string {
  const entry = `${audience.type === "organization" ? "" : audience.value}#${nameKey(name)}`;
  const excess = bytesOf(entry) - ENTRY_BYTES_MAX;
  if (excess <= 0) return entry;
  throw new Fault("request.invalid", `displayName is ${excess} bytes of UTF-8 too long for a role of one application.`);
}

/** The key of that entry. */
export function entryKey(tenant: string, role: Role): Key {
  return keys.roleName(tenant, entryOf(role));
}
