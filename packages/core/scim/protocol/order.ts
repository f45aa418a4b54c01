/** Sorting of resources (RFC 7644 section 3.4.2.3). */
import { refuse } from "../../kernel/faults.ts";
import { valuesTogether } from "../../kernel/together.ts";
import type { Operand } from "./filter/bound.ts";
import { comparable, compareOperands } from "./filter/literal.ts";
import { excerpt } from "./filter/reader.ts";
import { elementsOf, isPrimary, memberOf } from "./resource.ts";
import type { Json, Resource, ResourceType } from "./schema/attribute.ts";
import { type AttributePath, attributeNamed, hintFor, resolveName } from "./schema/paths.ts";

/** The attribute and direction of a sort. */
export interface Order {
  /** Names a sub-attribute if the attribute is complex. */
  readonly path: AttributePath;
  readonly descending: boolean;
}

/** The sort key of a resource; `undefined` if it has no value. */
type SortValue = Operand | undefined;

/**
 * Parses `sortBy` and `sortOrder` (default `ascending`). Returns `undefined` without `sortBy`; `sortOrder` is ignored
 * then. Throws `request.invalid` for an unknown attribute, a complex one without a sub-attribute, and an unknown
 * `sortOrder`.
 */
export function readOrder(
  type: ResourceType,
  sortBy: string | undefined,
  sortOrder: string | undefined,
): Order | undefined {
  const name = sortBy?.trim() ?? "";
  if (name === "") return undefined;
  const [path, descending] = valuesTogether(
    () => sortedBy(type, name),
    () => directionOf(sortOrder?.trim()),
  );
  return { path, descending };
}

function sortedBy(type: ResourceType, sortBy: string): AttributePath {
  const named = resolveName(type, sortBy);
  if (!named) throw refuse(`sortBy: ${excerpt(sortBy)} is not an attribute of ${type.name}.${hintFor(type, sortBy)}`);
  if (named.attribute === undefined) throw refuse("sortBy is the URN of a schema. Add the name of an attribute.");
  const { attribute, sub } = named;
  const leaf =
    sub ?? (attribute.type === "complex" ? attributeNamed(attribute.subAttributes ?? [], "value") : attribute);
  if (!leaf) {
    const example = `${attribute.name}.${attribute.subAttributes?.[0]?.name ?? "value"}`;
    throw refuse(`sortBy: '${attribute.name}' is complex. Name a sub-attribute, such as ${example}.`);
  }
  // `schemas` is derived. Sorting by a secret would reveal it bit by bit.
  if (
    attribute.name === "schemas" ||
    [attribute, leaf].some(({ returned, mutability }) => returned === "never" || mutability === "writeOnly")
  ) {
    throw refuse(`sortBy: '${attribute.name}' cannot be used for sorting.`);
  }
  return leaf === attribute ? { ...named, sub: undefined } : { ...named, sub: leaf };
}

function directionOf(sortOrder: string | undefined): boolean {
  const word = sortOrder?.toLowerCase() ?? "";
  if (word === "" || word === "ascending") return false;
  if (word === "descending") return true;
  throw refuse(`sortOrder must be 'ascending' or 'descending', not ${excerpt(sortOrder ?? "")}.`);
}

/** The sort key of a resource. Of several elements that have a value the primary one counts, else the first. */
export function sortValue({ path }: Order, resource: Resource): SortValue {
  const keyOf = (element: Json | undefined) =>
    comparable(path.sub ?? path.attribute, path.sub ? memberOf(element, path.sub.name) : element);
  const elements = elementsOf(resource, path).filter((element) => keyOf(element) !== undefined);
  return keyOf(elements.find(isPrimary) ?? elements[0]);
}

/** No value comes last when ascending, and first when descending. */
export function compareSortValues({ descending }: Order, a: SortValue, b: SortValue): number {
  const ascending =
    a === undefined || b === undefined ? Number(a === undefined) - Number(b === undefined) : compareOperands(a, b);
  return descending ? 0 - ascending : ascending;
}
