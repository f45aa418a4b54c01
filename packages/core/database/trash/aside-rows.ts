/**
 * The rows of resources that are put aside (decision 0084): what a resource consisted of, in one row of its own, and an
 * entry for lists. Both are written in the transaction of the deletion, and expire with the time to live.
 */

import { systemClock } from "../../kernel/clock.ts";
import { isObject } from "../../kernel/json.ts";
import { ASIDE_MEMBERS, keys } from "../table/keys.ts";
import { as, type Field, list, misfit, number, oneOf, optional, record, rowCodec, text } from "../table/row.ts";
import { stale } from "../table/stale.ts";
import { type Item, type Key, LAST, type Step, type Table, type Value } from "../table/table.ts";
import { type Deleted, type DeletedType, deletedTypes, expiryOf, expiryWithSlack, isAlive } from "./model.ts";

/** The attributes of a row, without its key. */
export type Attributes = Readonly<Record<string, Value>>;

/** Memberships of a restored resource that are not written yet. */
export interface Left {
  readonly groupIds: readonly string[];
  readonly roleIds: readonly string[];
}

/** What is put aside of one resource. */
export interface Aside extends Deleted {
  /** Its own row, as it was. */
  readonly item: Attributes;
  /** Of an application: the row of its authorized APIs. */
  readonly apis?: Attributes | undefined;
  /** Of a group or role: its members, as the sort keys of their pairs; those of many are in parts. */
  readonly members?: readonly string[] | undefined;
  /** Where memberships are removed after the deletion: this work, as a text. */
  readonly clearing?: string | undefined;
  /** Set once it is restored, until all of its memberships are. */
  readonly left?: Left | undefined;
  /** Grows whenever memberships of the restored resource were written. */
  readonly step?: number | undefined;
}

/** What a store puts aside. */
export type Kept = Pick<Aside, "type" | "id" | "name" | "item" | "apis" | "members" | "clearing">;

const TIME_DIGITS = 15;
const MEMBERS_PER_PAGE = 1_000;

const attributes: Field<Attributes> = {
  expects: "a map",
  parse: (stored) => (isObject(stored) ? (stored as Attributes) : misfit),
  write: (value) => value,
};

const asideRow = rowCodec<Aside>("deleted resource", {
  type: oneOf(...deletedTypes),
  id: text,
  name: text,
  deletedMs: as("deleted", number),
  expiresAtSeconds: number,
  item: attributes,
  apis: optional(attributes),
  members: optional(list(text)),
  clearing: optional(text),
  left: optional(record<Left>({ groupIds: list(text), roleIds: list(text) })),
  step: optional(number),
});

const entryRow = rowCodec<Omit<Deleted, "type">>("entry of a deleted resource", {
  id: text,
  name: text,
  deletedMs: as("deleted", number),
  expiresAtSeconds: number,
});

/** Members of one deletion: an earlier one of the same resource may have left rows of its own. */
interface Part {
  readonly members: readonly string[];
  readonly expiresAtSeconds: number;
  /** The work that removed them, as a text. */
  readonly clearing: string;
  readonly keptMs: number;
}

const partRow = rowCodec<Part>("members of a deleted resource", {
  members: list(text),
  expiresAtSeconds: number,
  clearing: text,
  keptMs: as("kept", number),
});

/** The attributes of an item, to be put aside. */
export function attributesOf({ PK: _, SK: __, ...rest }: Item): Attributes {
  return rest as Attributes;
}

/** An item of a resource that was put aside, for its codec. Its key is for messages. */
export function itemOf({ type, id }: Deleted, item: Attributes): Item {
  return { PK: type, SK: id, ...item };
}

/** The steps that put a deleted resource aside; two of the transaction that deletes it. None for 0 days. */
export function puttingAside(tenant: string, kept: Kept, nowMs: number, days: number): readonly Step[] {
  if (days === 0) return [];
  const aside: Aside = { ...kept, deletedMs: nowMs, expiresAtSeconds: expiryOf(nowMs, days) };
  const { type, id } = kept;
  // What is left of an earlier deletion of the same resource is replaced.
  return [
    { put: { ...keys.aside(tenant, type, id), ...asideRow.write(aside) }, when: "any", otherwise: stale },
    { put: { ...entryKey(tenant, aside), ...entryRow.write(aside) }, when: "any", otherwise: stale },
  ];
}

/** The step that keeps members which `clearing` removes after their group or role. None for 0 days. */
export function keepingMembers(
  tenant: string,
  { type, id, deletedMs, clearing }: Pick<Deleted, "type" | "id" | "deletedMs"> & { readonly clearing: string },
  members: readonly string[],
  days: number,
): readonly Step[] {
  const [first] = members;
  if (days === 0 || first === undefined) return [];
  const expiresAtSeconds = expiryWithSlack(expiryOf(deletedMs, days));
  const part = partRow.write({ members, expiresAtSeconds, clearing, keptMs: systemClock.now() });
  return [{ put: { ...keys.asideMembers(tenant, type, id, first), ...part }, when: "any", otherwise: stale }];
}

/** Those of some resources that can be restored, or are half restored. One round trip. */
export async function readAsides(
  table: Table,
  tenant: string,
  asked: readonly Pick<Deleted, "type" | "id">[],
  nowMs: number,
): Promise<readonly Aside[]> {
  const items = await table.getMany([
    ...asked.map(({ type, id }) => keys.aside(tenant, type, id)),
    // What restores it continues its history (decision 0082), which must be read before.
    ...asked.map(({ type, id }) => keys.removed(tenant, type, id)),
  ]);
  const asides = items.slice(0, asked.length).flatMap((item) => (item ? [asideRow.read(item)] : []));
  return asides.filter((aside) => isAlive(aside, nowMs));
}

/** What is put aside in a row. Throws `DamagedRow`. */
export function asideOf(item: Item): Aside {
  return asideRow.read(item);
}

/** All members of a deleted group or role, each once. One round trip for each megabyte of those that are in parts. */
export async function readMembersAside(table: Table, tenant: string, aside: Aside): Promise<readonly string[]> {
  const { type, id, members = [], clearing } = aside;
  if (clearing === undefined) return members;
  const { PK } = keys.aside(tenant, type, id);
  const parts = await table.queryAll({
    PK,
    from: ASIDE_MEMBERS,
    to: `${ASIDE_MEMBERS}${LAST}`,
    limit: MEMBERS_PER_PAGE,
  });
  // Work on an earlier deletion that is late removes members of this one as well.
  const isOfThis = ({ clearing: own, keptMs }: Part) => own === clearing || keptMs >= aside.deletedMs;
  const kept = parts.map((part) => partRow.read(part)).filter(isOfThis);
  return [...new Set([...members, ...kept.flatMap((part) => part.members)])];
}

/**
 * The steps that take a resource back, in the transaction that writes it again. Where memberships are `left`, its row
 * stays and names them. They come first in their transaction: of several who restore it, one succeeds.
 */
export function takingBack(tenant: string, aside: Aside, left: Left | undefined, absent: () => Error): readonly Step[] {
  const { type, id } = aside;
  const key = keys.aside(tenant, type, id);
  const same = { equal: { deleted: aside.deletedMs }, lacking: ["left"] };
  return [
    left
      ? { put: { ...key, ...asideRow.write({ ...aside, left, step: 1 }) }, when: same, otherwise: absent }
      : { remove: key, when: same, otherwise: absent },
    { remove: entryKey(tenant, aside), when: "any", otherwise: stale },
  ];
}

/** The step that notes which memberships of a half-restored resource are left; for none, it removes the row. */
export function notingLeft(tenant: string, aside: Aside, left: Left): Step {
  const key = keys.aside(tenant, aside.type, aside.id);
  const { deletedMs, step = 1 } = aside;
  const when = { equal: { deleted: deletedMs, step } };
  return left.groupIds.length + left.roleIds.length > 0
    ? { put: { ...key, ...asideRow.write({ ...aside, left, step: step + 1 }) }, when, otherwise: stale }
    : { remove: key, when, otherwise: stale };
}

/** The steps that remove a resource for good, in whatever state it is. The credentials of a restored user stay. */
export function forgetting(tenant: string, aside: Aside): readonly Step[] {
  const { type, id, left } = aside;
  const removing = (remove: Key): Step => ({ remove, when: "any", otherwise: stale });
  return [
    removing(keys.aside(tenant, type, id)),
    removing(entryKey(tenant, aside)),
    ...(type === "user" && !left ? forgettingCredentials(tenant, id) : []),
  ];
}

/** The steps that remove what a deleted user signed in with. They read nothing. */
export function forgettingCredentials(tenant: string, userId: string): readonly Step[] {
  const all = [keys.credential(tenant, userId), keys.totp(tenant, userId), keys.passkeys(tenant, userId)];
  return all.map((remove): Step => ({ remove, when: "any", otherwise: stale }));
}

/** Removes the members of a resource that are in parts. They expire in any case. */
export async function forgetMembers(table: Table, tenant: string, { type, id }: Deleted): Promise<void> {
  const { PK } = keys.aside(tenant, type, id);
  const range = { PK, from: ASIDE_MEMBERS, to: `${ASIDE_MEMBERS}${LAST}`, limit: MEMBERS_PER_PAGE };
  for (const part of await table.queryAll(range)) await table.forget(part);
}

/** The sort key of an entry: deleted later, listed first when read backwards. */
export function entryOf({ deletedMs, id }: Pick<Deleted, "deletedMs" | "id">): string {
  return `${String(deletedMs).padStart(TIME_DIGITS, "0")}#${id}`;
}

/** Reads an entry. */
export function toDeleted(type: DeletedType, item: Item): Deleted {
  return { type, ...entryRow.read(item) };
}

function entryKey(tenant: string, deleted: Deleted) {
  return keys.asideEntry(tenant, deleted.type, entryOf(deleted));
}
