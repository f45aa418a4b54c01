/** Which parts of a filter the indexes of attributes decide. */
import { type BoundFilter, type Compare, combined, pathName } from "../../protocol/filter/bound.ts";
import { matches } from "../../protocol/filter/evaluate.ts";
import { indexText, textOf } from "../../protocol/indexed.ts";
import type { AttributePath } from "../../protocol/schema/paths.ts";
import { isOnNames, type Vocabulary } from "../plan.ts";
import {
  both,
  either,
  everyPair,
  facetIs,
  hasFacet,
  inverse,
  isMissing,
  isPresent,
  noPair,
  type PairFilter,
  valueIs,
} from "./pairs.ts";
import { all, joined, none, type OpenIndex, open, opposite, type Tree } from "./tree.ts";

type Present = Extract<BoundFilter, { kind: "present" }>;
type Element = Extract<BoundFilter, { kind: "element" }>;

/** The tree of a filter. `indexes` are those that are open, by the names of their attributes. */
export function treeOf(
  filter: BoundFilter | undefined,
  { nameAttribute, hasMemberList = () => false }: Vocabulary,
  indexes: ReadonlyMap<string, OpenIndex>,
): Tree {
  const known = [...indexes.values()];
  const groupIn = (part: BoundFilter) => memberList(part, hasMemberList);

  const tree = (part: BoundFilter): Tree => {
    switch (part.kind) {
      case "always":
        return all;
      case "never":
        return none;
      case "and":
      case "or":
        return joined(part.kind, part.parts.map(tree));
      case "not":
        return opposite(tree(part.part));
      case "element":
        return element(part);
      case "extension":
        return open;
      default:
        // Where names have an index of values, sets of any size come from it.
        if (isOnNames(part, nameAttribute) && !indexes.has(nameAttribute)) return { kind: "names", filter: part };
        return part.where ? selected(part, part.where) : leaf(part);
    }
  };

  const leaf = (part: Compare | Present): Tree => {
    const group = groupIn(part);
    if (group) return group;
    const index = indexes.get(pathName(part.path));
    if (!index) return open;
    const pairs = valueFilter(part, index);
    // Who lacks the attribute differs from any value.
    const isOther = part.kind === "compare" && part.operator === "ne";
    return { kind: "pairs", index, filter: part, pairs: isOther ? either(isMissing, pairs) : pairs };
  };

  /** A term on the elements that match a filter. */
  const selected = (part: Compare | Present, where: BoundFilter): Tree => {
    const { path } = part;
    const inner: BoundFilter = { ...part, where: undefined };
    const some = (...terms: readonly BoundFilter[]): Tree =>
      element({ kind: "element", path: { ...path, sub: undefined }, where: combined("and", [where, ...terms]) });
    if (part.kind === "present" && !path.sub) return path.attribute.multiValued ? some() : open;
    if (part.kind === "present" || part.operator !== "ne") return some(inner);
    const value: BoundFilter = { kind: "present", path, where: undefined };
    return joined("or", [opposite(some(value)), some(value, inner)]);
  };

  const element = (part: Element): Tree => {
    const { path, where } = part;
    // A single element that must exist to match is the resource itself.
    if (!path.attribute.multiValued) return matches(where, {}) ? open : tree(where);
    const terms = where.kind === "and" ? where.parts : [where];
    const [group] = terms.flatMap((term) => groupIn(term) ?? []);
    if (group) return joined("and", terms.length > 1 ? [group, open] : [group]);
    let best: Tree = open;
    for (const index of known.filter(({ attribute }) => isSameAttribute(attribute.path, path))) {
      const decided = terms.filter((term) => elementFilter(term, index) !== undefined);
      const inIndex = combined("and", decided);
      const pairs = elementFilter(inIndex, index);
      if (!pairs || !needsValue(inIndex, index)) continue;
      const found: Tree = {
        kind: "pairs",
        index,
        filter: { kind: "element", path, where: inIndex },
        pairs: both(isPresent, pairs),
      };
      if (decided.length === terms.length) return found;
      best = joined("and", [found, open]);
    }
    return best;
  };

  return filter ? tree(filter) : all;
}

/** The equality that a group of members decides, if the part of a filter is one. */
function memberList(part: BoundFilter, hasMemberList: (equality: Compare) => boolean): Tree | undefined {
  const isEquality = part.kind === "compare" && part.operator === "eq";
  return isEquality && hasMemberList(part) ? { kind: "members", equality: part } : undefined;
}

/** A filter of one element as one of pairs; `undefined` where it reads what the index does not hold. */
function elementFilter(filter: BoundFilter, index: OpenIndex): PairFilter | undefined {
  switch (filter.kind) {
    case "always":
      return everyPair;
    case "never":
      return noPair;
    case "not": {
      const part = elementFilter(filter.part, index);
      return part && inverse(part);
    }
    case "and":
    case "or": {
      const join = filter.kind === "and" ? both : either;
      let joinedParts = filter.kind === "and" ? everyPair : noPair;
      for (const part of filter.parts) {
        const pairs = elementFilter(part, index);
        if (!pairs) return undefined;
        joinedParts = join(joinedParts, pairs);
      }
      return joinedParts;
    }
    case "compare":
    case "present":
      if (isValue(filter.path, index)) return valueFilter(filter, index);
      if (filter.path.sub?.name !== index.attribute.facet || !filter.path.sub) return undefined;
      return filter.kind === "present" ? hasFacet : facetIs(filter.operator, textOf(filter.operand));
    default:
      return undefined;
  }
}

/** Whether only elements with a value can match: an index holds no others. */
function needsValue(filter: BoundFilter, index: OpenIndex): boolean {
  switch (filter.kind) {
    case "and":
      return filter.parts.some((part) => needsValue(part, index));
    case "or":
      return filter.parts.every((part) => needsValue(part, index));
    case "present":
      return isValue(filter.path, index);
    case "compare":
      return isValue(filter.path, index) && filter.operator !== "ne";
    default:
      return filter.kind === "never";
  }
}

function valueFilter(part: Compare | Present, { attribute }: OpenIndex): PairFilter {
  return part.kind === "present" ? isPresent : valueIs(part.operator, indexText(attribute, part.operand));
}

function isValue({ sub }: AttributePath, { attribute }: OpenIndex): boolean {
  return sub?.name === attribute.path.sub?.name;
}

function isSameAttribute(a: AttributePath, b: AttributePath): boolean {
  return a.attribute.name === b.attribute.name && a.extension?.id === b.extension?.id;
}
