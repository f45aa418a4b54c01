/** From the steps of a PATCH to what becomes of the members of a group or the holders of a role, without reading them where their ids are named. */

import type { Member } from "../../identities/memberships/membership.ts";
import type { MembershipWish } from "../../identities/provisioning/groups.ts";
import { Fault } from "../../platform/faults.ts";
import { type BoundFilter, pathName } from "../../scim/filter/bound.ts";
import { matchesElement } from "../../scim/filter/evaluate.ts";
import type { AttributeStep } from "../../scim/patch/step.ts";
import type { Json } from "../../scim/schema/attribute.ts";

/** A list whose elements are ids with names: the members of a group, the users of a role. */
interface IdList {
  /** The name of the attribute. */
  readonly name: string;
  /** The ids of elements as clients send them. Throws `request.invalid`. */
  readonly idsOf: (elements: readonly Json[]) => ReadonlySet<string>;
  /** Reads who is in the list. */
  readonly read: () => Promise<readonly Member[]>;
}

/** The wish that leaves the members as they are. */
export const keepingMembers: MembershipWish = { replaces: false, joining: new Set(), leaving: new Set() };

/** The wish of a whole list. */
export function replacingMembers(ids: ReadonlySet<string>): MembershipWish {
  return {
    replaces: true,
    joining: ids,
    leaving: new Set(),
  };
}

/**
 * Carries out the steps on a list one after the other, on ids alone. Throws `scim.mutability` for a change within an
 * element (a member is added or removed, never altered), and `request.invalid` for elements that are no users.
 */
export async function membershipOf(steps: readonly AttributeStep[], list: IdList): Promise<MembershipWish> {
  let replaces = false;
  const [joining, leaving] = [new Set<string>(), new Set<string>()];
  const begin = (ids: Iterable<string>) => {
    replaces = true;
    joining.clear();
    leaving.clear();
    for (const id of ids) joining.add(id);
  };
  const join = (ids: Iterable<string>) => {
    for (const id of ids) {
      joining.add(id);
      leaving.delete(id);
    }
  };
  const leave = (ids: Iterable<string>) => {
    for (const id of ids) {
      leaving.add(id);
      joining.delete(id);
    }
  };
  for (const step of steps) {
    const { op, change, where } = step;
    if (change.kind === "clear" && !step.path.sub) {
      if (where) leave(await chosen(where, list, replaces));
      else begin([]);
    } else if (change.kind === "elements" && !where) {
      const ids = list.idsOf(change.elements);
      if (op === "replace") begin(ids);
      else if (op === "add") join(ids);
      else leave(ids);
    } else {
      throw new Fault("scim.mutability", `${step.place}: an element of ${list.name} is added or removed, not changed.`);
    }
  }
  return { replaces, joining, leaving };
}

async function chosen(where: BoundFilter, { name, read }: IdList, isEmpty: boolean): Promise<readonly string[]> {
  const id = idIn(where, name);
  if (id !== undefined) return [id];
  const members = isEmpty ? [] : await read();
  const elements = members.map((member) => ({ value: member.userId, display: member.name, type: "User" }));
  return elements.filter((element) => matchesElement(where, element)).map(({ value }) => value);
}

/** The id in `[value eq "id"]`, where the brackets hold nothing else. */
function idIn(where: BoundFilter, name: string): string | undefined {
  return where.kind === "compare" && where.operator === "eq" && !where.where && pathName(where.path) === `${name}.value`
    ? String(where.value)
    : undefined;
}

/** What a list's steps come to where that can be told without reading it; `undefined` otherwise. Throws as `membershipOf` does. */
export async function foreseenMembership(
  steps: readonly AttributeStep[],
  list: Omit<IdList, "read">,
): Promise<MembershipWish | undefined> {
  let reads = false;
  const read = async () => {
    reads = true;
    return [];
  };
  const wish = await membershipOf(steps, { ...list, read });
  return reads ? undefined : wish;
}
