/**
 * Filters of SCIM 1.1: one attribute, `Eq`, one value (S1-041 to S1-045). Groups also have a compact form and the
 * wildcard `*`.
 */

import { Fault } from "../../../kernel/faults.ts";
import { foldName } from "../../../kernel/fold.ts";
import type { NamePlan } from "../../../scim/listing/plan.ts";
import { pathName } from "../../../scim/protocol/filter/bound.ts";
import type { FilterSyntax, PathSyntax } from "../../../scim/protocol/filter/syntax.ts";
import { instantOf } from "../../../scim/protocol/instant.ts";
import type { ResourceType } from "../../../scim/protocol/schema/attribute.ts";
import { attributeNamed, hintFor } from "../../../scim/protocol/schema/paths.ts";
import { groupNameIn } from "../../provisioning/groups.ts";
import { attributesNamed } from "./naming.ts";

/** A parsed filter. */
interface Equality {
  readonly name: string;
  readonly value: string;
}

const EQUALITY = /^(\S+)\s+eq\s+(.*)/is;
/** Blanks are optional here. The first `eq` is the operator: names may contain those letters too. */
const COMPACT = /^(displayName)\s*eq\s*(.*)/is;
const QUOTED = /^"((?:[^"\\]|\\.)*)"$/s;

/** What a filter selects. */
export interface Filter {
  /** `undefined`: all user stores. */
  readonly userStore: string | undefined;
  /** `undefined` where `names` replaces it. */
  readonly syntax: FilterSyntax | undefined;
  readonly names: Pick<NamePlan, "prefix" | "test"> | undefined;
}

const everything: Filter = { userStore: undefined, syntax: undefined, names: undefined };

/** Reads a filter on users. Throws `scim.filter_invalid`. */
export function userFilter(type: ResourceType, filter: string | undefined): Filter {
  const text = filter?.trim() ?? "";
  return text === "" ? everything : { ...everything, syntax: syntaxOf(type, equalityOf(text, false)) };
}

/** Reads a filter on groups. A name without a user store belongs to PRIMARY. Throws `scim.filter_invalid`. */
export function groupFilter(type: ResourceType, filter: string | undefined, userStores: readonly string[]): Filter {
  const text = filter?.trim() ?? "";
  if (text === "") return everything;
  const equality = equalityOf(text, true);
  const [path] = attributesNamed(type, equality.name);
  if (path?.attribute.name !== "displayName") return { ...everything, syntax: syntaxOf(type, equality) };
  const { userStore, name } = groupNameIn(equality.value, userStores);
  if (name.includes("*")) return { userStore, syntax: undefined, names: namesLike(name) };
  return { userStore, syntax: syntaxOf(type, { ...equality, value: name }), names: undefined };
}

/** The names that match a pattern with wildcards: its parts in their order, the first and the last at the ends. */
function namesLike(pattern: string): Pick<NamePlan, "prefix" | "test"> {
  // Lower case of a sigma at a wildcard depends on the letters that it stands for.
  const withOneSigma = (folded: string): string => folded.replaceAll("ς", "σ");
  const [first = "", ...further] = pattern.split("*").map((part) => withOneSigma(foldName(part)));
  const [prefix = ""] = first.split("σ");
  const end = further.pop() ?? "";
  const middle = further.filter((part) => part !== "");
  if (prefix === first && middle.length === 0 && end === "") return { prefix };
  const test = (key: string): boolean => {
    const name = withOneSigma(key);
    let at = first.length;
    for (const part of middle) {
      const found = name.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return name.startsWith(first) && name.endsWith(end) && name.length - end.length >= at;
  };
  return { prefix, test };
}

function syntaxOf(type: ResourceType, { name, value }: Equality): FilterSyntax {
  const [path, ...others] = attributesNamed(type, name);
  const typed = path ? undefined : typedPath(type, name);
  if (typed) return compare(typed, "eq", value);
  if (!path || others.length > 0 || path.attribute.name === "schemas")
    throw refused(
      `${quoted(name)} is not an attribute that a filter on ${type.name.toLowerCase()}s can have.${hintFor(type, name)}`,
    );
  const syntax = named(pathName(path));
  return (path.sub ?? path.attribute).type === "dateTime" ? atSecond(syntax, value) : compare(syntax, "eq", value);
}

/** `emails.work`: the values of one type. */
function typedPath(type: ResourceType, name: string): PathSyntax | undefined {
  const [first = "", label, ...more] = name.split(".");
  const [path] = attributesNamed(type, first);
  const subs = path && !path.sub ? (path.attribute.subAttributes ?? []) : [];
  const isTyped = ["type", "value"].every((part) => attributeNamed(subs, part));
  if (!path?.attribute.multiValued || !label || !isTyped || more.length > 0) return undefined;
  return { name: pathName(path), within: compare(named("type"), "eq", label), sub: "value", at: 1 };
}

function named(name: string): PathSyntax {
  return { name, within: undefined, sub: undefined, at: 1 };
}

/** Times are shown to the second, so a time without a fraction equals all instants of that second. */
function atSecond(path: PathSyntax, text: string): FilterSyntax {
  const instant = instantOf(text);
  if (instant === undefined || text.includes(".")) return compare(path, "eq", text);
  const fromMs = Date.parse(`${instant.slice(0, "yyyy-MM-ddTHH:mm:ss".length)}Z`);
  const parts = [
    compare(path, "ge", new Date(fromMs).toISOString()),
    compare(path, "lt", new Date(fromMs + 1_000).toISOString()),
  ];
  return { kind: "and", parts };
}

function compare(path: PathSyntax, operator: "eq" | "ge" | "lt", text: string): FilterSyntax {
  return { kind: "compare", path, operator, literal: { text, quoted: true, at: 1 } };
}

function equalityOf(filter: string, isCompact: boolean): Equality {
  const [, name, value] = (isCompact && COMPACT.exec(filter)) || (EQUALITY.exec(filter) ?? []);
  if (name === undefined || value === undefined) {
    throw refused(
      `${quoted(filter)} is not a filter. Write an attribute, the operator Eq and a value, such as userName Eq "kim".`,
    );
  }
  // The value of the compact form has no quotes and extends to the end.
  const isAttached = isCompact && /^displayNameEq(?![\s"])/i.test(filter);
  return { name, value: isAttached && value !== "" ? value : valueIn(value) };
}

function quoted(text: string): string {
  return `"${text.slice(0, 100)}"`;
}

/** A value in quotes, where `\"` and `\\` are escapes, or a word without quotes, in which parentheses are closed. */
function valueIn(text: string): string {
  const inside = QUOTED.exec(text)?.[1];
  if (inside !== undefined) return inside.replace(/\\(["\\])/g, "$1");
  if (text !== "" && !/^\(|[\s"]/.test(text) && isBalanced(text)) return text;
  throw refused(
    "A filter has one attribute, the operator Eq and one value. Put a value with blanks in double quotes (%22).",
  );
}

function isBalanced(text: string): boolean {
  let open = 0;
  for (const char of text) {
    open += char === "(" ? 1 : char === ")" ? -1 : 0;
    if (open < 0) return false;
  }
  return open === 0;
}

function refused(reason: string): Fault {
  return new Fault("scim.filter_invalid", reason);
}
