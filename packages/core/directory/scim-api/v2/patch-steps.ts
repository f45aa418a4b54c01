/**
 * What the steps of a PATCH change: a text, or the members of a group and the assignees of a role. Those are read only
 * where the steps do not name ids. A filter selects from what the steps before it left (RFC 7644 section 3.5.2).
 */

import { PRIMARY } from "../../../kernel/domain/username.ts";
import { Fault } from "../../../kernel/faults.ts";
import { foldName, nameTerm } from "../../../kernel/fold.ts";
import {
  type BoundFilter,
  type Compare,
  namesIn,
  pathName,
  sizeOf,
  withComparisons,
} from "../../../scim/protocol/filter/bound.ts";
import { matchesElement } from "../../../scim/protocol/filter/evaluate.ts";
import { type AttributeStep, budget, isStepOn, type PatchStep } from "../../../scim/protocol/patch/step.ts";
import type { Json, JsonObject } from "../../../scim/protocol/schema/attribute.ts";
import type { MembershipChange } from "../../provisioning/groups.ts";
import { bareName } from "../resources/sources.ts";

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
  /**
   * The user stores whose names may precede those of elements. Of the first, names have no store: `PRIMARY/kim` is
   * `kim`. Default PRIMARY.
   */
  readonly userStores?: readonly string[];
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
 * Checks that a step on a list of ids adds, removes or replaces elements: a member is never altered. Steps on other
 * attributes pass. Throws `scim.mutability`, and `request.invalid` for an element that is not an id.
 */
export function checkListStep(step: PatchStep, { name, idsOf }: Pick<IdList, "name" | "idsOf">): void {
  if (!isStepOn(step, name)) return;
  const { change, where, path, place } = step;
  if (change.kind === "clear" && !path.sub) return;
  if (change.kind !== "elements" || where) {
    throw new Fault("scim.mutability", `${place}: an element of ${name} can be added or removed, but not changed.`);
  }
  idsOf(change.elements);
}

/**
 * Applies the steps to a list of ids, in order. Throws `scim.mutability` for a change within an element (a member is
 * added or removed, never altered), `request.invalid` for an element that is not an id, `scim.no_target` for a name
 * that no element has (decision 0152), and `request.too_large` for too many comparisons. Reads the list once, however
 * many filters there are.
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
    checkListStep(step, list);
    if (change.kind === "elements") {
      const ids = list.idsOf(change.elements);
      if (op === "replace") replace(ids);
      else if (op === "add") add(ids);
      else remove(ids);
    } else if (where) remove(named(step, where, list, await select(where, { replaces, adding, removing })));
    else replace([]);
  }
  return { replaces, adding, removing };
}

/**
 * The ids that a filter selects. A filter that names an element in a way in which the list never shows one is a
 * mistake: the client would believe that the element is gone. An id that is not in the list is none, because a removal
 * may be repeated. Throws `scim.no_target`.
 */
function named(step: AttributeStep, where: BoundFilter, list: IdList, ids: readonly string[]): readonly string[] {
  const isName = ({ path, operator, value }: Compare): boolean => {
    if (operator !== "eq") return false;
    if (path.sub?.name === "display") return true;
    return path.sub?.name === "$ref" && list.linkOf(String(value).split("/").at(-1) ?? "") !== value;
  };
  if (ids.length > 0 || !comparisonsIn(where).some(isName)) return ids;
  throw new Fault(
    "scim.no_target",
    `${step.place}: no element of '${list.name}' matches. Compare value with an id, or display with a name as responses show it.`,
  );
}

/** Selects the ids that match a filter after a change. Reads the list once, and each name once. */
function selectionIn(list: IdList): (where: BoundFilter, after: MembershipChange) => Promise<readonly string[]> {
  const spend = budget();
  /** By id, of all ids whose names were looked for. Without the store of the list, as they are compared. */
  const names = new Map<string, string | undefined>();
  let stored: Promise<ReadonlySet<string>> | undefined;
  const [userStore = PRIMARY] = list.userStores ?? [];
  const read = async () => {
    const listed = await list.read();
    for (const { id, name } of listed) if (name !== undefined) names.set(id, bareName(name, userStore));
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
    if (isNamed) await readNames(names, ids, { ...list, userStore });
    // An id without a name does not exist: responses leave it out, and `display ne "x"` must not match it.
    const known = isNamed ? ids.filter((id) => names.get(id) !== undefined) : ids;
    const bare = inStores(where, list.userStores ?? [PRIMARY]);
    return known.filter((id) => matchesElement(bare, elementOf(id, names.get(id), list)));
  };
}

/** A filter whose names are written as those of elements are compared: without the first store. */
function inStores(where: BoundFilter, userStores: readonly string[]): BoundFilter {
  return withComparisons(where, (comparison) => {
    const { path, operator, operand } = comparison;
    if (path.sub?.name !== "display" || typeof operand !== "string") return comparison;
    const userStore = userStores.find((store) => bareName(operand, store) !== operand);
    if (userStore === undefined) return comparison;
    const name = nameTerm(operator, bareName(operand, userStore));
    return { ...comparison, operand: userStore === userStores[0] ? name : foldName(`${userStore}/${name}`) };
  });
}

/** Reads the names of ids that have none; of no ids, too: `namesOf` checks whether the caller may read names. */
async function readNames(
  names: Map<string, string | undefined>,
  ids: readonly string[],
  { namesOf, userStore }: Pick<IdList, "namesOf"> & { readonly userStore: string },
): Promise<void> {
  const unknown = ids.filter((id) => !names.has(id));
  const found = await namesOf(unknown);
  for (const id of unknown) {
    const name = found.get(id);
    names.set(id, name === undefined ? undefined : bareName(name, userStore));
  }
}

/** The comparisons of a filter, those in `not` left out. */
function comparisonsIn(where: BoundFilter): readonly Compare[] {
  if ("parts" in where) return where.parts.flatMap(comparisonsIn);
  return where.kind === "compare" ? [where] : [];
}

/** An element as responses show it, without the store of the list. */
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
  list: Omit<IdList, "read" | "namesOf" | "userStore">,
): Promise<MembershipChange | undefined> {
  // A filter on anything but an id selects from the list.
  const reads = steps.some(({ where }) => where && idIn(where, list.name) === undefined);
  if (reads) return undefined;
  return membershipOf(steps, { ...list, read: async () => [], namesOf: async () => new Map() });
}
