/**
 * The rows of assignments: which users, groups and roles have access to an application (decision 0170). One row says
 * how many there are, and names the first groups and roles; each assignment has a row of its own next to it, and one at
 * its principal, which lists the applications.
 */
import { ASSIGNED_ROLE, keys, ROLE_GROUP, ROLE_USER } from "../../database/table/keys.ts";
import { flag, list, number, oneOf, optional, record, rowCodec, text, withDefault } from "../../database/table/row.ts";
import type { Item, Key } from "../../database/table/table.ts";
import { type PrincipalType, principalTypes } from "../../kernel/domain/principals.ts";
import type { Assigned, Assignment, Held } from "./assignment-model.ts";

/** So many groups and roles fit into the 4 KB that one read unit reads. */
export const NAMED_MAX = 64;

const prefixes: Readonly<Record<PrincipalType, string>> = { group: ROLE_GROUP, role: ASSIGNED_ROLE, user: ROLE_USER };

interface StoredHeld extends Omit<Held, "named" | "version"> {
  readonly ver: number;
  readonly named?: readonly string[] | undefined;
}

const heldRow = rowCodec<StoredHeld>("assignments", {
  ver: withDefault(number, 0),
  counts: record<Held["counts"]>({ groups: number, roles: number, users: number }),
  named: optional(list(text)),
  removedMs: withDefault(number, 0),
});

const pairRow = rowCodec<Pick<Assignment, "createdMs" | "quietFromMs">>("assignment", {
  createdMs: optional(number),
  quietFromMs: withDefault(number, 0),
});

/** An application of a principal. */
export interface Reverse {
  readonly applicationId: string;
  /** The principal is deleted, and gets the assignment back when it is restored. */
  readonly isGone: boolean;
}

const reverseRow = rowCodec<{
  readonly type: PrincipalType;
  readonly isGone: boolean;
  readonly expiresAtSeconds: number | undefined;
}>("application of a principal", {
  type: oneOf(...principalTypes),
  isGone: flag,
  expiresAtSeconds: optional(number),
});

/** Nothing is assigned. */
export const nothingHeld: Held = {
  version: 0,
  counts: { groups: 0, roles: 0, users: 0 },
  named: [],
  removedMs: 0,
};

/** The row of an application, as it was read. */
export function heldIn(item: Item | undefined): Held {
  if (!item) return nothingHeld;
  const { ver: version, named, ...held } = heldRow.read(item);
  return { ...held, version, ...(named && { named: named.map(namedOf) }) };
}

export function heldItem(tenant: string, applicationId: string, { version, named, ...held }: Held): Item {
  const row = heldRow.write({ ...held, ver: version, named: named?.map(textOf) });
  return { ...keys.assignments(tenant, applicationId), ...row };
}

/** The beginning of the sort keys of a type. */
export function prefixOf(type: PrincipalType): string {
  return prefixes[type];
}

/** The sort key of an assignment, which also names its principal. */
export function sortKeyOf({ type, id }: Assigned): string {
  return `${prefixes[type]}${id}`;
}

export function pairKey(tenant: string, applicationId: string, principal: Assigned): Key {
  return keys.assignment(tenant, applicationId, sortKeyOf(principal));
}

export function pairItem(tenant: string, applicationId: string, assignment: Assignment): Item {
  return { ...pairKey(tenant, applicationId, assignment), ...pairRow.write(assignment) };
}

/** The assignment of a row. */
export function pairIn(item: Item): Assignment {
  const type = principalTypes.find((one) => item.SK.startsWith(prefixes[one])) ?? "user";
  return { type, id: item.SK.slice(prefixes[type].length), ...pairRow.read(item) };
}

export function reverseKey(tenant: string, applicationId: string, principal: Assigned): Key {
  return keys.assignedTo(tenant, principal.type, principal.id, applicationId);
}

/** `expiresAtSeconds`: set where the principal is deleted, until when it can be restored. */
export function reverseItem(
  tenant: string,
  applicationId: string,
  principal: Assigned,
  expiresAtSeconds?: number,
): Item {
  const isGone = expiresAtSeconds !== undefined;
  return {
    ...reverseKey(tenant, applicationId, principal),
    ...reverseRow.write({ type: principal.type, isGone, expiresAtSeconds }),
  };
}

export function reverseIn(item: Item): Reverse {
  return { applicationId: item.SK, isGone: reverseRow.read(item).isGone };
}

const NAMED = /^(group|role)#([0-9a-z]+)#(.+)$/s;

function textOf({ type, id, quietFromMs }: Assignment): string {
  return `${type}#${quietFromMs.toString(36)}#${id}`;
}

function namedOf(stored: string): Assignment {
  const [, type, quiet = "0", id = ""] = NAMED.exec(stored) ?? [];
  return { type: type === "role" ? "role" : "group", id, quietFromMs: Number.parseInt(quiet, 36) };
}
