/**
 * What the steps of a PATCH change: a text, or the members of a group and the assignees of a role. Those are read only
 * where the steps do not name ids.
 */

import type { MembershipChange } from "../../identities/provisioning/groups.ts";
import { Fault } from "../../platform/faults.ts";
import { type BoundFilter, namesIn, pathName, sizeOf } from "../../scim/filter/bound.ts";
import { matchesElement } from "../../scim/filter/evaluate.ts";
import { type Budget, budget } from "../../scim/patch/budget.ts";
import { type AttributeStep, isStepOn, type PatchStep } from "../../scim/patch/step.ts";
import type { Json } from "../../scim/schema/attribute.ts";

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

/** What a filter compares. */
interface Element {
  readonly value: string;
  readonly display?: string;
  readonly $ref: string;
  readonly type: "User";
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
  const spend = budget();
  const elements = elementsOf(list);
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
      if (where) remove(await chosen(where, list.name, replaces ? async () => [] : elements, spend));
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

/** Reads the elements of a list once, and their names once, where a filter compares names. */
function elementsOf({ read, namesOf, linkOf }: IdList): (isNamed: boolean) => Promise<readonly Element[]> {
  let listed: Promise<readonly Listed[]> | undefined;
  const names = new Map<string, string | undefined>();
  return async (isNamed) => {
    listed ??= read();
    const all = await listed;
    if (isNamed) await readNames(names, all, namesOf);
    return all.flatMap(({ id, name = names.get(id) }): Element[] => {
      // An element without a name was deleted meanwhile. Responses leave it out, and `display ne "x"` must not match it.
      if (isNamed && name === undefined) return [];
      return [{ value: id, ...(name !== undefined && { display: name }), $ref: linkOf(id), type: "User" }];
    });
  };
}

/** Adds the names of elements that have none. Asks also for no names: whether the caller may read them counts. */
async function readNames(
  names: Map<string, string | undefined>,
  all: readonly Listed[],
  namesOf: IdList["namesOf"],
): Promise<void> {
  const unknown = all.flatMap(({ id, name }) => (name === undefined && !names.has(id) ? [id] : []));
  const found = await namesOf(unknown);
  for (const id of unknown) names.set(id, found.get(id));
}

async function chosen(
  where: BoundFilter,
  name: string,
  elements: (isNamed: boolean) => Promise<readonly Element[]>,
  spend: Budget,
): Promise<readonly string[]> {
  const id = idIn(where, name);
  if (id !== undefined) return [id];
  const all = await elements(namesIn(where).has(`${name}.display`));
  spend(all.length * sizeOf(where));
  return all.filter((element) => matchesElement(where, { ...element })).map(({ value }) => value);
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
  const namesOf = async () => new Map<string, string>();
  const change = await membershipOf(steps, { ...list, read, namesOf });
  return reads ? undefined : change;
}
