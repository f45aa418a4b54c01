/**
 * How a filter is answered without reading everything (reference dynamodb.md section 7): what it says about names is decided
 * on the name index alone; what it demands of an id, an external id or an e-mail address leads to few candidates; a group
 * has a list of its members with their names; the rest is evaluated on what those leave.
 */
import { type BoundFilter, type Compare, combined, equalitiesOf } from "../scim/filter/bound.ts";
import { compareKeys } from "../table/table.ts";

/** What a list can do faster than by looking at every resource. */
export interface Vocabulary {
  /** The attribute that the name index is made of. */
  readonly nameAttribute: string;
  /** Whether the ids of the resources that satisfy an equality can be looked up. */
  readonly canLookUp: (equality: Compare) => boolean;
  /** Whether those that satisfy an equality, which may be very many, stand in a roster. Those can be looked up too. */
  readonly hasRoster?: (equality: Compare) => boolean;
}

/** A part of the names, decided by the name alone. */
export interface NamePlan {
  readonly kind: "names";
  /** Every name that passes starts with this. */
  readonly prefix: string;
  /** The only name that can pass. */
  readonly exact?: string;
  /** `undefined`: every name with the prefix passes. */
  readonly test?: (key: string) => boolean;
}

/** Few resources: those behind some names, and those that some equalities lead to. */
export interface IdPlan {
  readonly kind: "ids";
  readonly equalities: readonly Compare[];
  readonly names: readonly string[];
}

/** Those of a roster, as far as their names pass. */
export interface RosterPlan {
  readonly kind: "roster";
  readonly equality: Compare;
  /** `undefined`: all of them. */
  readonly test: ((key: string) => boolean) | undefined;
}

/** Where to look. */
export type Candidates = NamePlan | IdPlan | RosterPlan | { readonly kind: "nothing" };

/** How a filter is answered. */
export interface Plan {
  readonly candidates: Candidates;
  /** What remains to be evaluated on the candidates; `undefined`: every candidate matches. */
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

/** Candidates for a part of a filter: more than match, perhaps; never fewer. */
function candidatesOf(filter: BoundFilter, vocabulary: Vocabulary): Candidates {
  if (filter.kind === "never") return { kind: "nothing" };
  const test = keyTestOf(filter, vocabulary.nameAttribute);
  if (test) return namePlanOf(filter, test);
  const listed = vocabulary.hasRoster && equalityOf(filter, vocabulary.hasRoster);
  if (listed) return { kind: "roster", equality: listed, test: undefined };
  const equality = equalityOf(filter, vocabulary.canLookUp);
  if (equality) return { kind: "ids", equalities: [equality], names: [] };
  if (filter.kind === "and") return leastOf(filter.parts, vocabulary);
  if (filter.kind === "or") return anyOf(filter.parts.map((part) => candidatesOf(part, vocabulary)));
  return everyName;
}

/** The equality by which the candidates of one term can be found. */
function equalityOf(term: BoundFilter, isKnown: (equality: Compare) => boolean): Compare | undefined {
  if (term.kind === "compare" && term.operator === "eq" && isKnown(term)) return term;
  // Whatever else is demanded of the element, it has this value.
  return term.kind === "element" ? equalitiesOf(term.where).find(isKnown) : undefined;
}

/** Of what several demands lead to, the least: one name, then what can be looked up, then a roster, then a part of the names. */
function leastOf(parts: readonly BoundFilter[], vocabulary: Vocabulary): Candidates {
  const each = parts.map((part) => candidatesOf(part, vocabulary));
  const nothing = each.find(({ kind }) => kind === "nothing");
  if (nothing) return nothing;
  const named = namesAmong(parts, vocabulary.nameAttribute);
  if (named?.exact !== undefined) return named;
  const few = each.find(({ kind }) => kind === "ids");
  if (few) return few;
  const roster = each.find(({ kind }) => kind === "roster");
  return roster?.kind === "roster"
    ? { ...roster, test: named?.test ?? prefixTest(named?.prefix) }
    : (named ?? everyName);
}

/** The parts of an `and` that names decide, as one. */
function namesAmong(parts: readonly BoundFilter[], nameAttribute: string): NamePlan | undefined {
  const named = parts.filter((part) => keyTestOf(part, nameAttribute) !== undefined);
  const about = combined("and", named);
  const test = keyTestOf(about, nameAttribute);
  return named.length > 0 && test ? namePlanOf(about, test) : undefined;
}

/** The plan of a filter that is about names alone. */
function namePlanOf(filter: BoundFilter, test: KeyTest): NamePlan {
  if (filter.kind === "always" || filter.kind === "present") return everyName;
  const terms = filter.kind === "and" ? filter.parts : [filter];
  const operands = (operator: Compare["operator"]) =>
    terms.flatMap((term) =>
      term.kind === "compare" && term.operator === operator && typeof term.operand === "string" ? [term.operand] : [],
    );
  const [exact] = operands("eq");
  if (exact !== undefined) return { kind: "names", prefix: exact, exact, test };
  const prefix = longest(operands("sw"));
  const isPrefixAlone = filter.kind === "compare" && filter.operator === "sw";
  return isPrefixAlone ? { kind: "names", prefix } : { kind: "names", prefix, test };
}

function longest(texts: readonly string[]): string {
  return texts.reduce((most, text) => (text.length > most.length ? text : most), "");
}

function prefixTest(prefix: string | undefined): KeyTest | undefined {
  return prefix === undefined || prefix === "" ? undefined : (key) => key.startsWith(prefix);
}

/** What any of several demands leads to, where each leads to something. */
function anyOf(parts: readonly Candidates[]): Candidates {
  const few = parts.map((part): IdPlan | undefined => {
    switch (part.kind) {
      case "nothing":
        return { kind: "ids", equalities: [], names: [] };
      case "ids":
        return part;
      case "roster":
        return { kind: "ids", equalities: [part.equality], names: [] };
      default:
        return part.exact === undefined ? undefined : { kind: "ids", equalities: [], names: [part.exact] };
    }
  });
  if (!few.every((part) => part !== undefined)) return everyName;
  return {
    kind: "ids",
    equalities: few.flatMap(({ equalities }) => equalities),
    names: [...new Set(few.flatMap(({ names }) => names))],
  };
}

/** What looking up the candidates has not shown yet. */
function residualOf(filter: BoundFilter, candidates: Candidates, vocabulary: Vocabulary): BoundFilter | undefined {
  const isAboutNames = (part: BoundFilter) => keyTestOf(part, vocabulary.nameAttribute) !== undefined;
  if (candidates.kind === "nothing") return undefined;
  if (candidates.kind === "names") return isAboutNames(filter) ? undefined : filter;
  const equalities = candidates.kind === "roster" ? [candidates.equality] : candidates.equalities;
  const isShown = (part: BoundFilter): boolean => {
    if (part.kind === "compare") return !part.where && equalities.includes(part);
    return part.kind === "element" && part.where.kind === "compare" && equalities.includes(part.where);
  };
  if (isShown(filter)) return undefined;
  if (filter.kind === "or") {
    const { names } = candidates.kind === "ids" ? candidates : { names: [] };
    return names.length === 0 && filter.parts.every(isShown) ? undefined : filter;
  }
  // Of several equalities that are demanded one was looked up; every candidate satisfies that one.
  if (filter.kind !== "and" || equalities.length !== 1) return filter;
  const open = filter.parts.filter((part) => !isShown(part) && !(candidates.kind === "roster" && isAboutNames(part)));
  return open.length === 0 ? undefined : combined("and", open);
}

/** What a filter says about names; `undefined` where it looks at anything else. */
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
      // Everything that is listed has a name.
      if (filter.kind === "present") return () => true;
      return typeof filter.operand === "string" ? keyTests[filter.operator](filter.operand) : undefined;
    }
    default:
      return undefined;
  }
}
