/**
 * What the steps of a PATCH change: a text, or the members of a group and the assignees of a role. Those are read only
 * where the steps do not name ids. A filter selects from what the steps before it left (RFC 7644 section 3.5.2).
 */

import type { MembershipChange } from "../../identities/provisioning/groups.ts";
import { Fault } from "../../platform/faults.ts";
import { type BoundFilter, namesIn, pathName, sizeOf } from "../../scim/filter/bound.ts";
import { matchesElement } from "../../scim/filter/evaluate.ts";
import { budget } from "../../scim/patch/budget.ts";
import { type AttributeStep, isStepOn, type PatchStep } from "../../scim/patch/step.ts";
import type { Json, JsonObject } from "../../scim/schema/attribute.ts";

/** An element of a list. */
interface Listed {
  readonly id: string;
  /** Absent where the list is stored without names. */
  readonly name?: string;
}

/** A list of ids with names: the members of a group, the users of a role. */
interface IdList {
  /** The name of the attribute. */
  readonly name: string;
  /** The ids of elements that a client sent. Throws `request.invalid`. */
  readonly idsOf: (elements: readonly Json[]) => ReadonlySet<string>;
  /** The `$ref` of an element, as responses show it. */
  readonly linkOf: (id: string) => string;
  /** Reads the whole list. */
  readonly read: () => Promise<readonly Listed[]>;
  /**
   * Reads names, as responses show them, without those of ids that do not exist. Called for filters on `display` alone:
   * names may cost a read each, or be hidden from the caller.
   */
  readonly namesOf: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** The steps on an attribute. */
export function stepsOn(steps: readonly PatchStep[], name: string): readonly AttributeStep[] {
  return steps.flatMap((step) => (isStepOn(step, name) ? [step] : []));
}

/** The text that the steps set an attribute to, where the steps alone decide it. */
export function textSet(steps: readonly PatchStep[], name: string): string | undefined {
  const change = stepsOn(steps, name).at(-1)?.change;
  return change?.kind === "value" ? String(change.value) : undefined;
}

/**
 * Applies the steps to a list of ids, in order. Throws `scim.mutability` for a change within an element (a member is
 * added or removed, never altered), `request.invalid` for an element that is not an id, and `request.too_large` for too
 * many comparisons. Reads the list once, however many filters there are.
 */
export async function membershipOf(steps: readonly AttributeStep[], list: IdList): Promise<MembershipChange> {
  const select = selectionIn(list);
  let replaces = false;
  const [adding, removing] = [new Set<string>(), new Set<string>()];
  const replace = (ids: Iterable<string>) => {
    replaces = true;
    adding.clear();
    removing.clear();
    for (const id of ids) adding.add(id);
  };
  const add = (ids: Iterable<string>) => {
    for (const id of ids) {
      adding.add(id);
      removing.delete(id);
    }
  };
  const remove = (ids: Iterable<string>) => {
    for (const id of ids) {
      removing.add(id);
      adding.delete(id);
    }
  };
  for (const step of steps) {
    const { op, change, where } = step;
    if (change.kind === "clear" && !step.path.sub) {
      if (where) remove(await select(where, { replaces, adding, removing }));
      else replace([]);
    } else if (change.kind === "elements" && !where) {
      const ids = list.idsOf(change.elements);
      if (op === "replace") replace(ids);
      else if (op === "add") add(ids);
      else remove(ids);
    } else {
      throw new Fault(
        "scim.mutability",
        `${step.place}: an element of ${list.name} can be added or removed, but not changed.`,
      );
    }
  }
  return { replaces, adding, removing };
}

/** Selects the ids that match a filter after a change. Reads the list once, and each name once. */
function selectionIn(list: IdList): (where: BoundFilter, after: MembershipChange) => Promise<readonly string[]> {
  const spend = budget();
  /** By id, of all ids whose names were looked for. */
  const names = new Map<string, string | undefined>();
  let stored: Promise<ReadonlySet<string>> | undefined;
  const read = async () => {
    const listed = await list.read();
    for (const { id, name } of listed) if (name !== undefined) names.set(id, name);
    return new Set(listed.map(({ id }) => id));
  };
  const readStored = () => {
    stored ??= read();
    return stored;
  };
  return async (where, { replaces, adding, removing }) => {
    const named = idIn(where, list.name);
    if (named !== undefined) return [named];
    const before = replaces ? new Set<string>() : await readStored();
    spend((before.size + adding.size) * sizeOf(where));
    const ids = [...before.difference(removing).union(adding)];
    const isNamed = namesIn(where).has(`${list.name}.display`);
    if (isNamed) await readNames(names, ids, list.namesOf);
    // An id without a name does not exist: responses leave it out, and `display ne "x"` must not match it.
    const known = isNamed ? ids.filter((id) => names.get(id) !== undefined) : ids;
    return known.filter((id) => matchesElement(where, elementOf(id, names.get(id), list)));
  };
}

/** Reads the names of ids that have none; of no ids, too: `namesOf` checks whether the caller may read names. */
async function readNames(
  names: Map<string, string | undefined>,
  ids: readonly string[],
  namesOf: IdList["namesOf"],
): Promise<void> {
  const unknown = ids.filter((id) => !names.has(id));
  const found = await namesOf(unknown);
  for (const id of unknown) names.set(id, found.get(id));
}

/** An element as responses show it. */
function elementOf(value: string, display: string | undefined, { linkOf }: IdList): JsonObject {
  return { value, ...(display !== undefined && { display }), $ref: linkOf(value), type: "User" };
}

/** The id of `[value eq "id"]`; `undefined` for any other filter. */
function idIn(where: BoundFilter, name: string): string | undefined {
  return where.kind === "compare" && where.operator === "eq" && !where.where && pathName(where.path) === `${name}.value`
    ? String(where.value)
    : undefined;
}

/**
 * The membership change of the steps where it does not depend on the current list; `undefined` otherwise. Throws as
 * `membershipOf` does.
 */
export async function foreseenMembership(
  steps: readonly AttributeStep[],
  list: Omit<IdList, "read" | "namesOf">,
): Promise<MembershipChange | undefined> {
  let reads = false;
  const read = async () => {
    reads = true;
    return [];
  };
  const namesOf = async () => {
    reads = true;
    return new Map<string, string>();
  };
  const change = await membershipOf(steps, { ...list, read, namesOf });
  return reads ? undefined : change;
}
