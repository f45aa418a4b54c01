/** The order of a list of resources (RFC 7644 section 3.4.2.3; reference scim.md section 3.6). */
import { Fault } from "../platform/faults.ts";
import type { Operand } from "./filter/bound.ts";
import { comparable, compareOperands } from "./filter/literal.ts";
import { shown } from "./filter/reader.ts";
import { elementsOf, memberOf } from "./resource.ts";
import type { Resource, ResourceType } from "./schema/attribute.ts";
import { type AttributePath, attributeNamed, resolveName } from "./schema/paths.ts";

/** What a list is ordered by. */
export interface Order {
  /** Never a complex attribute without its sub-attribute. */
  readonly path: AttributePath;
  readonly descending: boolean;
}

/** What a resource is ordered by: a folded text, an instant, a number or a boolean; `undefined` where it has no value. */
type SortValue = Operand | undefined;

/**
 * Reads `sortBy` and `sortOrder` (`ascending` where it is absent). Without `sortBy` there is no order and `sortOrder` does
 * not matter.
 * @throws `request.invalid` for an unknown attribute, a complex one without its part, and any other `sortOrder`.
 */
export function readOrder(
  type: ResourceType,
  sortBy: string | undefined,
  sortOrder: string | undefined,
): Order | undefined {
  const name = sortBy?.trim() ?? "";
  return name === "" ? undefined : { path: sortedBy(type, name), descending: directionOf(sortOrder?.trim()) };
}

function sortedBy(type: ResourceType, sortBy: string): AttributePath {
  const named = resolveName(type, sortBy);
  if (!named) throw refused(`sortBy names ${shown(sortBy)}, which is no attribute of ${type.name}.`);
  if (named.attribute === undefined) throw refused(`sortBy names a schema; name an attribute of it.`);
  const { attribute, sub } = named;
  const leaf =
    sub ?? (attribute.type === "complex" ? attributeNamed(attribute.subAttributes ?? [], "value") : attribute);
  if (!leaf) {
    const example = `${attribute.name}.${attribute.subAttributes?.[0]?.name ?? "value"}`;
    throw refused(`sortBy names '${attribute.name}', which has parts; name one of them, such as ${example}.`);
  }
  // `schemas` is worked out and a secret must not be guessed from the place of its owner.
  if (
    attribute.name === "schemas" ||
    [attribute, leaf].some(({ returned, mutability }) => returned === "never" || mutability === "writeOnly")
  ) {
    throw refused(`'${attribute.name}' cannot be sorted by.`);
  }
  return leaf === attribute ? { ...named, sub: undefined } : { ...named, sub: leaf };
}

function directionOf(sortOrder: string | undefined): boolean {
  const word = sortOrder?.toLowerCase() ?? "";
  if (word === "" || word === "ascending") return false;
  if (word === "descending") return true;
  throw refused(`sortOrder is 'ascending' or 'descending', not ${shown(sortOrder ?? "")}.`);
}

function refused(reason: string): Fault {
  return new Fault("request.invalid", reason);
}

/** What a resource is ordered by: of several elements that of the primary one, else of the first. */
export function sortValue({ path }: Order, resource: Resource): SortValue {
  const elements = elementsOf(resource, path);
  const chosen = elements.find((element) => memberOf(element, "primary") === true) ?? elements[0];
  return comparable(path.sub ?? path.attribute, path.sub ? memberOf(chosen, path.sub.name) : chosen);
}

/** The order of two values; what has none comes last when ascending and first when descending. */
export function compareSortValues({ descending }: Order, a: SortValue, b: SortValue): number {
  const ascending =
    a === undefined || b === undefined ? Number(a === undefined) - Number(b === undefined) : compareOperands(a, b);
  return descending ? 0 - ascending : ascending;
}

/** The order of two resources; 0 where they have the same value: the caller says what decides then, such as the id. */
export function compareBy(order: Order) {
  return (a: Resource, b: Resource): number => compareSortValues(order, sortValue(order, a), sortValue(order, b));
}
