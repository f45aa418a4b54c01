/**
 * Plans a filter so that a list does not read every resource. The name index alone decides terms about names. An
 * equality on an id, an external id or an e-mail address leads to few candidates. A group has a list of its members
 * with their names. All other terms are evaluated on the candidates that remain.
 */

import { compareKeys } from "../../database/table/table.ts";
import { type BoundFilter, type Compare, combined, equalitiesOf, sizeOf } from "../protocol/filter/bound.ts";
import { tooMany } from "./limits.ts";

/** A second or two of a processor: 40 terms on the names of a million users. */
const NAME_TESTS_MAX = 40_000_000;

/** What a source can find without reading every resource. */
export interface Vocabulary {
  /** The attribute that the name index holds. */
  readonly nameAttribute: string;
  /** Whether `lookUp` finds the resources that satisfy an equality. */
  readonly canLookUp: (equality: Compare) => boolean;
  /** Whether a member list holds the resources that satisfy an equality. `canLookUp` is true for it too. */
  readonly hasMemberList?: (equality: Compare) => boolean;
  /** The time since which every resource that satisfies a term was changed or created; `undefined` for other terms. */
  readonly changedSince?: (term: Compare) => number | undefined;
}

/** Candidates that the name index alone decides. */
export interface NamePlan {
  readonly kind: "names";
  /** All names that pass start with this. */
  readonly prefix: string;
  /** The only names that can pass. */
  readonly exact?: readonly string[];
  /** `undefined`: every name with the prefix passes. */
  readonly test?: (key: string) => boolean;
}

/** Few candidates: the resources of some names, and those that some equalities find. */
export interface IdPlan {
  readonly kind: "ids";
  readonly equalities: readonly Compare[];
  readonly names: readonly string[];
}

/** The members of a group whose names pass. */
export interface MemberPlan {
  readonly kind: "members";
  readonly equality: Compare;
  /** `undefined`: every name passes. */
  readonly test: ((key: string) => boolean) | undefined;
}

/** Candidates that are known: the indexes of attributes found them. */
export interface FoundPlan {
  readonly kind: "found";
  readonly ids: readonly string[];
}

/** What was changed since a time; where that cannot be told, other candidates. */
export interface ChangedPlan {
  readonly kind: "changed";
  readonly sinceMs: number;
  readonly otherwise: NamePlan;
}

/** Which resources to read. */
export type Candidates = NamePlan | IdPlan | MemberPlan | FoundPlan | ChangedPlan | { readonly kind: "nothing" };

/** How a list applies a filter. */
export interface Plan {
  readonly candidates: Candidates;
  /** The filter to evaluate on the candidates; `undefined`: every candidate matches. */
  readonly residual: BoundFilter | undefined;
}

type KeyTest = (key: string) => boolean;

const everyName: NamePlan = { kind: "names", prefix: "" };

const keyTests: Readonly<Record<Compare["operator"], (operand: string) => KeyTest>> = {
  eq: (operand) => (key) => key === operand,
  ne: (operand) => (key) => key !== operand,
  co: (operand) => (key) => key.includes(operand),
  sw: (operand) => (key) => key.startsWith(operand),
  ew: (operand) => (key) => key.endsWith(operand),
  gt: (operand) => (key) => compareKeys(key, operand) > 0,
  ge: (operand) => (key) => compareKeys(key, operand) >= 0,
  lt: (operand) => (key) => compareKeys(key, operand) < 0,
  le: (operand) => (key) => compareKeys(key, operand) <= 0,
};

/** Plans a filter. */
export function planOf(filter: BoundFilter | undefined, vocabulary: Vocabulary): Plan {
  if (!filter || filter.kind === "always") return { candidates: everyName, residual: undefined };
  const candidates = candidatesOf(filter, vocabulary);
  return { candidates, residual: residualOf(filter, candidates, vocabulary) };
}

/** The plan of a filter whose `changed` candidates cannot be told. */
export function planWithout({ otherwise }: ChangedPlan, filter: BoundFilter, vocabulary: Vocabulary): Plan {
  return { candidates: otherwise, residual: residualOf(filter, otherwise, vocabulary) };
}

/** A superset of the matches of a part of a filter. */
function candidatesOf(filter: BoundFilter, vocabulary: Vocabulary): Candidates {
  if (filter.kind === "never") return { kind: "nothing" };
  const test = keyTestOf(filter, vocabulary.nameAttribute);
  if (test) return namePlanOf(filter, test);
  const membership = vocabulary.hasMemberList && equalityOf(filter, vocabulary.hasMemberList);
  if (membership) return { kind: "members", equality: membership, test: undefined };
  const equality = equalityOf(filter, vocabulary.canLookUp);
  if (equality) return { kind: "ids", equalities: [equality], names: [] };
  const sinceMs = filter.kind === "compare" && !filter.where ? vocabulary.changedSince?.(filter) : undefined;
  if (sinceMs !== undefined) return { kind: "changed", sinceMs, otherwise: everyName };
  if (filter.kind === "and") return fewestOf(filter.parts, vocabulary);
  if (filter.kind === "or") return anyOf(filter.parts.map((part) => candidatesOf(part, vocabulary)));
  return everyName;
}

/** The equality that finds the candidates of one term. */
function equalityOf(term: BoundFilter, isKnown: (equality: Compare) => boolean): Compare | undefined {
  if (term.kind === "compare" && term.operator === "eq" && isKnown(term)) return term;
  // An element that matches has this value, whatever else the term requires of it.
  return term.kind === "element" ? equalitiesOf(term.where).find(isKnown) : undefined;
}

/**
 * The fewest candidates of an `and`: one name, then looked-up ids, unless they are those of members, then some names,
 * then members, then what was changed since a time, then a part of the names.
 */
function fewestOf(parts: readonly BoundFilter[], vocabulary: Vocabulary): Candidates {
  const each = parts.map((part) => candidatesOf(part, vocabulary));
  const nothing = each.find(({ kind }) => kind === "nothing");
  if (nothing) return nothing;
  const named = namesAmong(parts, vocabulary.nameAttribute);
  const few = each.find(({ kind }) => kind === "ids");
  const readsMembers = few?.kind === "ids" && few.equalities.some((one) => vocabulary.hasMemberList?.(one));
  if (named?.exact && (named.exact.length <= 1 || !few || readsMembers)) return named;
  if (few) return few;
  const members = each.find(({ kind }) => kind === "members");
  if (members?.kind === "members") return { ...members, test: named?.test ?? prefixTest(named?.prefix) };
  const since = each.flatMap((one) => (one.kind === "changed" ? [one.sinceMs] : []));
  if (since.length === 0) return named ?? everyName;
  return { kind: "changed", sinceMs: Math.max(...since), otherwise: named ?? everyName };
}

/** The terms of an `and` that names decide, as one plan. */
function namesAmong(parts: readonly BoundFilter[], nameAttribute: string): NamePlan | undefined {
  const named = parts.filter((part) => keyTestOf(part, nameAttribute) !== undefined);
  const onNames = combined("and", named);
  const test = keyTestOf(onNames, nameAttribute);
  return named.length > 0 && test ? namePlanOf(onNames, test) : undefined;
}

/** The plan of a filter on names alone. */
function namePlanOf(filter: BoundFilter, unlimited: KeyTest): NamePlan {
  const test = limited(unlimited, sizeOf(filter));
  if (filter.kind === "always" || filter.kind === "present") return everyName;
  const exact = exactNames(filter);
  if (exact) return { kind: "names", prefix: "", exact, test };
  const terms = filter.kind === "and" ? filter.parts : [filter];
  const prefix = longest([...terms.flatMap((term) => operandOf(term, "sw") ?? []), ...terms.map(commonBeginning)]);
  const isPrefixAlone = filter.kind === "compare" && filter.operator === "sw";
  return isPrefixAlone ? { kind: "names", prefix } : { kind: "names", prefix, test };
}

/** The test of so many terms. Throws `scim.too_many` after `NAME_TESTS_MAX` comparisons; one term has no limit. */
function limited(test: KeyTest, terms: number): KeyTest {
  if (terms <= 1) return test;
  let left = NAME_TESTS_MAX;
  return (key) => {
    left -= terms;
    if (left < 0) throw tooMany(undefined, `The filter compares too many names with ${terms} terms. Send fewer terms.`);
    return test(key);
  };
}

/** What the names begin with that an `or` of beginnings finds, as that of the forms of one beginning. */
function commonBeginning(term: BoundFilter): string {
  if (term.kind !== "or") return "";
  const [first = [], ...others] = term.parts.map((part) =>
    part.kind === "compare" && part.operator === "sw" ? Array.from(String(part.operand)) : [],
  );
  const end = first.findIndex((character, at) => others.some((other) => other[at] !== character));
  return first.slice(0, end < 0 ? first.length : end).join("");
}

/** The only names that can satisfy a filter on names; `undefined` where it does not say so. */
function exactNames(filter: BoundFilter): readonly string[] | undefined {
  switch (filter.kind) {
    case "never":
      return [];
    case "and": {
      const parts = filter.parts.flatMap((part) => {
        const names = exactNames(part);
        return names ? [names] : [];
      });
      return parts.sort((a, b) => a.length - b.length)[0];
    }
    case "or": {
      const parts = filter.parts.map(exactNames);
      return parts.every((part) => part !== undefined) ? [...new Set(parts.flat())] : undefined;
    }
    default: {
      const name = operandOf(filter, "eq");
      return name === undefined ? undefined : [name];
    }
  }
}

function operandOf(term: BoundFilter, operator: Compare["operator"]): string | undefined {
  if (term.kind !== "compare" || term.operator !== operator) return undefined;
  return typeof term.operand === "string" ? term.operand : undefined;
}

function longest(texts: readonly string[]): string {
  return texts.reduce((most, text) => (text.length > most.length ? text : most), "");
}

function prefixTest(prefix: string | undefined): KeyTest | undefined {
  return prefix === undefined || prefix === "" ? undefined : (key) => key.startsWith(prefix);
}

/** The candidates of an `or`: those of all parts, where each part has few. */
function anyOf(parts: readonly Candidates[]): Candidates {
  const few = parts.map((part): IdPlan | undefined => {
    switch (part.kind) {
      case "nothing":
        return { kind: "ids", equalities: [], names: [] };
      case "ids":
        return part;
      case "members":
        return { kind: "ids", equalities: [part.equality], names: [] };
      case "found":
      case "changed":
        return undefined;
      default:
        return part.exact === undefined ? undefined : { kind: "ids", equalities: [], names: part.exact };
    }
  });
  if (!few.every((part) => part !== undefined)) return everyName;
  return {
    kind: "ids",
    equalities: few.flatMap(({ equalities }) => equalities),
    names: [...new Set(few.flatMap(({ names }) => names))],
  };
}

/** The part of a filter that the candidates do not already satisfy. */
function residualOf(filter: BoundFilter, candidates: Candidates, vocabulary: Vocabulary): BoundFilter | undefined {
  const isNamed = (part: BoundFilter) => isOnNames(part, vocabulary.nameAttribute);
  if (candidates.kind === "nothing") return undefined;
  if (candidates.kind === "names") return isNamed(filter) ? undefined : filter;
  if (candidates.kind === "found" || candidates.kind === "changed") return filter;
  const equalities = candidates.kind === "members" ? [candidates.equality] : candidates.equalities;
  const isSatisfied = (part: BoundFilter): boolean => {
    if (part.kind === "compare") return !part.where && equalities.includes(part);
    return part.kind === "element" && part.where.kind === "compare" && equalities.includes(part.where);
  };
  if (isSatisfied(filter)) return undefined;
  if (filter.kind === "or") {
    const { names } = candidates.kind === "ids" ? candidates : { names: [] };
    return names.length === 0 && filter.parts.every(isSatisfied) ? undefined : filter;
  }
  // Every candidate satisfies the one equality that found it.
  if (filter.kind !== "and" || equalities.length !== 1) return filter;
  const open = filter.parts.filter((part) => !isSatisfied(part) && !(candidates.kind === "members" && isNamed(part)));
  return open.length === 0 ? undefined : combined("and", open);
}

/** Whether names alone decide a filter. */
export function isOnNames(filter: BoundFilter, nameAttribute: string): boolean {
  return keyTestOf(filter, nameAttribute) !== undefined;
}

/** A filter as a test of names; `undefined` where it reads another attribute. */
function keyTestOf(filter: BoundFilter, nameAttribute: string): KeyTest | undefined {
  switch (filter.kind) {
    case "always":
      return () => true;
    case "never":
      return () => false;
    case "not": {
      const part = keyTestOf(filter.part, nameAttribute);
      return part && ((key) => !part(key));
    }
    case "and":
    case "or": {
      const parts = filter.parts.map((part) => keyTestOf(part, nameAttribute));
      if (!parts.every((part) => part !== undefined)) return undefined;
      return filter.kind === "and"
        ? (key) => parts.every((part) => part(key))
        : (key) => parts.some((part) => part(key));
    }
    case "present":
    case "compare": {
      const { path } = filter;
      if (path.extension || path.attribute.name !== nameAttribute) return undefined;
      // Every listed resource has a name.
      if (filter.kind === "present") return () => true;
      return typeof filter.operand === "string" ? keyTests[filter.operator](filter.operand) : undefined;
    }
    default:
      return undefined;
  }
}
