/** What a scan of the model answers to a list: which users, and the orders in which lists may show them. */
import { foldName } from "#core/platform/fold.ts";
import { compareText } from "#core/platform/text-order.ts";
import { bindFilter } from "#core/scim/filter/bind.ts";
import { type BoundFilter, leavesOf, pathName } from "#core/scim/filter/bound.ts";
import { matches } from "#core/scim/filter/evaluate.ts";
import { parseFilter } from "#core/scim/filter/parse.ts";
import { indexedAttribute, valuesOf } from "#core/scim/indexed.ts";
import { compareSortValues, readOrder, sortValue } from "#core/scim/order.ts";
import type { Json, Resource } from "#core/scim/schema/attribute.ts";
import { userTypeFor } from "#core/scim/schema/resource-types.ts";
import { userFilter } from "#core/scim-api/v1/filter.ts";
import { compareTies, indexedText } from "#core/table/value-index/pair.ts";
import type { Ask } from "./asks.ts";
import type { State } from "./model.ts";
import { attributes } from "./world.ts";

const userType = userTypeFor("wso2");
/** Up to this many matches come by name. */
const FEW = 100;
/** Above this, lists read no candidates. */
const CANDIDATES_MAX = 10_000;

/** A user as filters read it. */
export const resourceOf = (user: NonNullable<State>): Resource => ({
  id: user.id,
  meta: {
    resourceType: "User",
    created: new Date(user.createdMs).toISOString(),
    lastModified: new Date(user.modifiedMs).toISOString(),
  },
  userName: user.userName,
  active: user.active,
  ...user.profile,
  ...(user.groupIds.length > 0 && { groups: user.groupIds.map((value): Json => ({ value, type: "direct" })) }),
});

/** The filter of an ask. */
export const boundOf = ({ version, filter }: Ask): BoundFilter | undefined => {
  if (filter === undefined) return undefined;
  const syntax = version === 1 ? userFilter(userType, filter).syntax : parseFilter(filter);
  return syntax && bindFilter(userType, syntax, { unknown: "refuse" });
};

/** Users at one time, and their places in each order, found once. */
export class Scan {
  readonly #resources: readonly Resource[];
  readonly #orders = new Map<string, ReadonlyMap<string, number>>();

  constructor(users: readonly NonNullable<State>[]) {
    this.#resources = users.map(resourceOf);
  }

  get size(): number {
    return this.#resources.length;
  }

  get resources(): readonly Resource[] {
    return this.#resources;
  }

  /** The ids of the matches, in each order that a list may have: docs/searching.md, "Order and pages". */
  answer(ask: Ask): readonly (readonly string[])[] {
    const filter = boundOf(ask);
    const found = this.#resources.filter((resource) => !filter || matches(filter, resource)).map(idOf);
    const orders = ordersOf(ask, filter, found.length).map((name) => this.#order(name));
    return orders.map((order) => found.toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0)));
  }

  /** Whether the list may be too long to be served: it needs what no index has. */
  mayBeTooMany({ sortBy, ...ask }: Ask): boolean {
    if (this.size <= CANDIDATES_MAX) return false;
    const filter = boundOf(ask);
    const leaves = filter ? leavesOf(filter) : [];
    const isIndexed = (path: string) => path.startsWith("groups") || attributes.includes(path);
    const paths = leaves.map((leaf) => (leaf.kind === "extension" ? "" : pathName(leaf.path)));
    const isBracketed = leaves.some((leaf) => leaf.kind === "element" || ("where" in leaf && leaf.where !== undefined));
    const isOfNames = paths.includes("userName") && paths.some((path) => path !== "userName");
    const isOtherOrder = sortBy !== undefined && (sortBy === "emails" || sortBy === "title");
    return isOtherOrder || isBracketed || isOfNames || paths.some((path) => path !== "userName" && !isIndexed(path));
  }

  #order(name: string): ReadonlyMap<string, number> {
    const known = this.#orders.get(name) ?? placesIn(this.#resources, name);
    this.#orders.set(name, known);
    return known;
  }
}

const idOf = ({ id }: Resource): string => String(id);

/** The names of the orders that a list may have. */
const ordersOf = ({ sortBy, sortOrder }: Ask, filter: BoundFilter | undefined, total: number): readonly string[] => {
  const isDescending = sortOrder === "descending";
  if (sortBy === "userName") return [isDescending ? "names descending" : "names"];
  if (sortBy !== undefined) {
    const direction = isDescending ? "descending" : "ascending";
    const isOfIndex = attributes.includes(sortBy);
    return [`by name ${direction} ${sortBy}`, ...(isOfIndex ? [`of index ${direction} ${sortBy}`] : [])];
  }
  if (total <= FEW || !filter) return ["names"];
  const [path, ...others] = new Set(leavesOf(filter).map((leaf) => (leaf.kind === "extension" ? "" : pathName(leaf.path))));
  const isOne = path !== undefined && others.length === 0 && attributes.includes(path);
  return ["names", "ids", ...(isOne ? [`of index ascending ${path}`] : [])];
};

const placesIn = (resources: readonly Resource[], order: string): ReadonlyMap<string, number> => {
  const ids = resources.toSorted(comparing(order)).map(idOf);
  return new Map(ids.map((id, at) => [id, at]));
};

type Comparing = (a: Resource, b: Resource) => number;

const comparing = (order: string): Comparing => {
  if (order === "ids") return (a, b) => compareText(idOf(a), idOf(b));
  if (order === "names") return byName;
  if (order === "names descending") return (a, b) => byName(b, a);
  const [kind, , direction, path = ""] = order.split(" ");
  return kind === "by" ? byValue(path, direction === "descending") : ofIndex(path, direction === "descending");
};

const folded = new WeakMap<Resource, string>();
const nameOf = (resource: Resource): string => {
  const known = folded.get(resource) ?? foldName(String(resource.userName));
  folded.set(resource, known);
  return known;
};
const byName: Comparing = (a, b) => compareText(nameOf(a), nameOf(b));

/** Equal values by name. */
const byValue = (path: string, isDescending: boolean): Comparing => {
  const order = readOrder(userType, path, isDescending ? "descending" : "ascending");
  if (!order) throw new Error(`no order ${path}`);
  return (a, b) => compareSortValues(order, sortValue(order, a), sortValue(order, b)) || byName(a, b);
};

/** Equal values in the order of an index, of which a descending list is the reverse. */
const ofIndex = (path: string, isDescending: boolean): Comparing => {
  const attribute = indexedAttribute(path);
  if (!attribute) throw new Error(`no index of ${path}`);
  const texts = new WeakMap<Resource, string>();
  const textOf = (resource: Resource): string => {
    const known = texts.get(resource) ?? indexedText(valuesOf(attribute, resource)[0]?.value ?? "");
    texts.set(resource, known);
    return known;
  };
  const sign = isDescending ? -1 : 1;
  return (a, b) => {
    const [x, y] = [textOf(a), textOf(b)];
    // Who has no value comes last, in descending order first.
    const order = Number(x === "") - Number(y === "") || compareText(x, y) || compareTies(idOf(a), idOf(b));
    return order * sign;
  };
};
