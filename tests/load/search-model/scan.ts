/** What a scan of the model answers to a list: which users, and the orders in which lists may show them. */

import { compareTies, indexedText } from "#core/database/table/value-index/pair.ts";
import { canonicalIn } from "#core/directory/scim-api/resources/sources.ts";
import { userFilter } from "#core/directory/scim-api/v1/filter.ts";
import { foldName } from "#core/kernel/fold.ts";
import { compareText } from "#core/kernel/text-order.ts";
import { bindFilter } from "#core/scim/protocol/filter/bind.ts";
import { type BoundFilter, leavesOf, type Operand, pathName } from "#core/scim/protocol/filter/bound.ts";
import { matches } from "#core/scim/protocol/filter/evaluate.ts";
import { parseFilter } from "#core/scim/protocol/filter/parse.ts";
import { indexedAttribute, operandOfText, valuesOf } from "#core/scim/protocol/indexed.ts";
import { compareSortValues, readOrder, sortValue } from "#core/scim/protocol/order.ts";
import type { Json, Resource } from "#core/scim/protocol/schema/attribute.ts";
import { userTypeFor } from "#core/scim/protocol/schema/resource-types.ts";
import type { Ask } from "./asks.ts";
import type { State } from "./model.ts";

const userType = userTypeFor("wso2");
/** Up to this many matches come by name. */
const FEW = 100;
/** Above this, lists read no candidates. */
const CANDIDATES_MAX = 10_000;

const resources = new WeakMap<NonNullable<State>, Resource>();
const storesOf = new WeakMap<Resource, string>();

/** A user as filters read it, named without the user store: the same object for the same state. */
export const resourceOf = (user: NonNullable<State>): Resource => {
  const resource = resources.get(user) ?? newResourceOf(user);
  resources.set(user, resource);
  storesOf.set(resource, user.userStore);
  return resource;
};

const newResourceOf = (user: NonNullable<State>): Resource => ({
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

/** The user store of a user. */
export const storeOf = (resource: Resource): string => {
  const userStore = storesOf.get(resource);
  if (userStore === undefined) throw new Error(`${resource.id} is no user of the model`);
  return userStore;
};

/** The filter of an ask for the users of a user store. */
export const boundOf = ({ version, filter }: Ask, userStore: string): BoundFilter | undefined => {
  if (filter === undefined) return undefined;
  const syntax = version === 1 ? userFilter(userType, filter).syntax : parseFilter(filter);
  return syntax && bindFilter(userType, syntax, { unknown: "refuse", canonical: canonicalIn(userStore, "userName") });
};

/** The matches of one user store in an order, with the values by which lists of several stores are merged. */
type Ordered = readonly { readonly id: string; readonly value: Operand | undefined }[];

/** Users at one time, and their places in each order, found once. */
export class Scan {
  readonly #resources: readonly Resource[];
  readonly #orders = new Map<string, ReadonlyMap<string, number>>();
  /** Those that have an index. */
  readonly #attributes: readonly string[];
  /** The user stores, in the order of lists. */
  readonly #stores: readonly string[];

  constructor(
    users: readonly NonNullable<State>[],
    { attributes, stores }: { readonly attributes: readonly string[]; readonly stores: readonly string[] },
  ) {
    this.#resources = users.map(resourceOf);
    this.#attributes = attributes;
    this.#stores = stores;
  }

  get size(): number {
    return this.#resources.length;
  }

  get resources(): readonly Resource[] {
    return this.#resources;
  }

  /** The ids of the matches, in each order that a list may have: docs/searching.md, "Order and pages". */
  answer(ask: Ask): readonly (readonly string[])[] {
    const parts = this.#stores.map((userStore) => this.#inStore(ask, userStore));
    const { sortBy, sortOrder } = ask;
    if (sortBy === undefined || sortBy === "userName") {
      const inOrder = sortBy && sortOrder === "descending" ? parts.toReversed() : parts;
      return combinations(inOrder).map((lists) => lists.flat().map(({ id }) => id));
    }
    const order = orderOf(sortBy, sortOrder === "descending");
    return combinations(parts).map((lists) => merged(lists, order).map(({ id }) => id));
  }

  /** The matches of a user store, in each order that they may have. */
  #inStore(ask: Ask, userStore: string): readonly Ordered[] {
    const filter = boundOf(ask, userStore);
    const found = this.#resources.filter(
      (resource) => storeOf(resource) === userStore && (!filter || matches(filter, resource)),
    );
    return ordersOf(ask, filter, found.length, this.#attributes).map((name) => {
      const order = this.#order(name);
      const sortedBy = mergedValue(name);
      return found
        .toSorted((a, b) => (order.get(idOf(a)) ?? 0) - (order.get(idOf(b)) ?? 0))
        .map((resource) => ({ id: idOf(resource), value: sortedBy(resource) }));
    });
  }

  /** Whether the list may be too long to be served: it needs what no index has. */
  mayBeTooMany({ sortBy, ...ask }: Ask): boolean {
    if (this.size <= CANDIDATES_MAX) return false;
    // Of several user stores, pages in the middle of a sorted list.
    if (this.#stores.length > 1 && sortBy !== undefined) return true;
    const filter = boundOf(ask, this.#stores[0] ?? "");
    const leaves = filter ? leavesOf(filter) : [];
    const isKnown = (path: string) => path === "userName" || this.#attributes.includes(path);
    // The members of a group are a set for lists that have an index.
    const named = leaves.map((leaf) => (leaf.kind === "extension" ? "" : pathName(leaf.path)));
    const isIndexed = [...named, sortBy ?? ""].some((path) => this.#attributes.includes(path));
    const isOther = (leaf: (typeof leaves)[number]): boolean => {
      if (leaf.kind === "extension") return true;
      const isOfGroup = leaf.kind === "compare" && leaf.operator === "eq" && pathName(leaf.path) === "groups.value";
      return isOfGroup ? !isIndexed : !isKnown(pathName(leaf.path));
    };
    const isBracketed = leaves.some((leaf) => leaf.kind === "element" || ("where" in leaf && leaf.where !== undefined));
    const isOtherOrder = sortBy !== undefined && (sortBy === "emails" || sortBy === "title");
    return isOtherOrder || isBracketed || leaves.some(isOther);
  }

  #order(name: string): ReadonlyMap<string, number> {
    const known = this.#orders.get(name) ?? placesIn(this.#resources, name);
    this.#orders.set(name, known);
    return known;
  }
}

/** Each choice of one from each list. */
const combinations = <T>(lists: readonly (readonly T[])[]): readonly (readonly T[])[] =>
  lists.reduce<readonly (readonly T[])[]>(
    (chosen, list) => chosen.flatMap((some) => list.map((one) => [...some, one])),
    [[]],
  );

/** Merges the lists of user stores: equal values are in the order of the stores. */
const merged = (lists: readonly Ordered[], order: Order): Ordered => {
  const [first, ...others] = lists;
  if (others.length === 0) return first ?? [];
  const all = lists.flatMap((list, at) => list.map((one) => ({ ...one, at })));
  return all.toSorted((a, b) => compareSortValues(order, a.value, b.value) || a.at - b.at);
};

/** What a filter compares, also in brackets. */
const pathsIn = (filter: BoundFilter): ReadonlySet<string> =>
  new Set(
    leavesOf(filter).flatMap((leaf): readonly string[] => {
      if (leaf.kind === "extension") return [""];
      return leaf.kind === "element" ? [...pathsIn(leaf.where)] : [pathName(leaf.path)];
    }),
  );

const idOf = ({ id }: Resource): string => String(id);

/** The names of the orders that a list may have. */
const ordersOf = (
  { sortBy, sortOrder }: Ask,
  filter: BoundFilter | undefined,
  total: number,
  attributes: readonly string[],
): readonly string[] => {
  const isDescending = sortOrder === "descending";
  if (sortBy === "userName") return [isDescending ? "names descending" : "names"];
  if (sortBy !== undefined) {
    const direction = isDescending ? "descending" : "ascending";
    const isOfIndex = attributes.includes(sortBy);
    return [`by name ${direction} ${sortBy}`, ...(isOfIndex ? [`of index ${direction} ${sortBy}`] : [])];
  }
  if (total <= FEW || !filter) return ["names"];
  const [path, ...others] = pathsIn(filter);
  const isOne = path !== undefined && others.length === 0 && attributes.includes(path);
  return ["names", "ids", ...(isOne ? [`of index ascending ${path}`] : [])];
};

/** What orders compare of a user. */
interface Placed {
  readonly id: string;
  readonly name: string;
  /** The value by which a list is sorted, and the text of it in an index. */
  readonly value: Operand | undefined;
  readonly text: string;
}

const placesIn = (resources: readonly Resource[], order: string): ReadonlyMap<string, number> => {
  const { compare, ...valuesOf } = comparing(order);
  const placed = resources.map(
    (resource): Placed => ({
      id: idOf(resource),
      name: nameOf(resource),
      value: valuesOf.value?.(resource),
      text: valuesOf.text?.(resource) ?? "",
    }),
  );
  return new Map(placed.sort(compare).map(({ id }, at) => [id, at]));
};

interface Comparing {
  readonly compare: (a: Placed, b: Placed) => number;
  readonly value?: (resource: Resource) => Operand | undefined;
  readonly text?: (resource: Resource) => string;
}

const comparing = (order: string): Comparing => {
  if (order === "ids") return { compare: (a, b) => compareText(a.id, b.id) };
  if (order === "names") return { compare: byName };
  if (order === "names descending") return { compare: (a, b) => byName(b, a) };
  const [kind, , direction, path = ""] = order.split(" ");
  return kind === "by" ? byValue(path, direction === "descending") : ofIndex(path, direction === "descending");
};

const folded = new WeakMap<Resource, string>();
export const nameOf = (resource: Resource): string => {
  const known = folded.get(resource) ?? foldName(String(resource.userName));
  folded.set(resource, known);
  return known;
};
const byName = (a: Placed, b: Placed): number => compareText(a.name, b.name);

type Order = NonNullable<ReturnType<typeof readOrder>>;

const orderOf = (path: string, isDescending: boolean): Order => {
  const order = readOrder(userType, path, isDescending ? "descending" : "ascending");
  if (!order) throw new Error(`no order ${path}`);
  return order;
};

/** The value by which lists of several user stores are merged. An index has the beginning of a long one. */
const mergedValue = (name: string): ((resource: Resource) => Operand | undefined) => {
  const [kind, , direction, path = ""] = name.split(" ");
  const attribute = kind === "of" ? indexedAttribute(path) : undefined;
  if (attribute) return (resource) => operandOfText(attribute, indexTextOf(attribute, resource));
  if (kind !== "by") return () => undefined;
  const order = orderOf(path, direction === "descending");
  return (resource) => sortValue(order, resource);
};

const indexTextOf = (attribute: NonNullable<ReturnType<typeof indexedAttribute>>, resource: Resource): string =>
  indexedText(valuesOf(attribute, resource)[0]?.value ?? "");

/** Equal values by name. */
const byValue = (path: string, isDescending: boolean): Comparing => {
  const order = orderOf(path, isDescending);
  return {
    value: (resource) => sortValue(order, resource),
    compare: (a, b) => compareSortValues(order, a.value, b.value) || byName(a, b),
  };
};

/** Equal values in the order of an index, of which a descending list is the reverse. */
const ofIndex = (path: string, isDescending: boolean): Comparing => {
  const attribute = indexedAttribute(path);
  if (!attribute) throw new Error(`no index of ${path}`);
  const sign = isDescending ? -1 : 1;
  return {
    text: (resource) => indexTextOf(attribute, resource),
    // Who has no value comes last, in descending order first.
    compare: (a, b) =>
      sign * (Number(a.text === "") - Number(b.text === "") || compareText(a.text, b.text) || compareTies(a.id, b.id)),
  };
};
