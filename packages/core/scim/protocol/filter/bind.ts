/**
 * Binds the syntax tree of a filter to a resource type: names become attributes, literals become values of their types
 * (RFC 7644 section 3.4.2.2).
 */
import { Fault, type FaultName } from "../../../kernel/faults.ts";
import { foldName, nameTerm, sigmaForms } from "../../../kernel/fold.ts";
import { eachTogether } from "../../../kernel/together.ts";
import { type Attribute, commonAttributes, type ResourceType, type Schema } from "../schema/attribute.ts";
import { type AttributePath, attributeNamed, hintFor, type Named, resolveName } from "../schema/paths.ts";
import { always, type BoundFilter, combined, negated, never, type Operand, pathName } from "./bound.ts";
import { operatorTests } from "./evaluate.ts";
import { comparable, examples, operatorsOf, valueOfLiteral } from "./literal.ts";
import { excerpt } from "./reader.ts";
import type { FilterSyntax, Literal, Operator, PathSyntax } from "./syntax.ts";

export interface BindOptions {
  /** An unknown name is refused, or counts as an attribute without a value (RFC 7644 section 3.4.2.1). */
  readonly unknown: "refuse" | "nothing";
  /**
   * Normalises a value before comparison: `PRIMARY/kim` becomes `kim`. The leaf keeps the value as written too.
   */
  readonly canonical?: (path: AttributePath, text: string) => string;
}

/** The context of names: a resource type, or the elements of one attribute. */
interface Scope {
  readonly resolve: (name: string) => Named | undefined;
  /** The resource type or attribute, for messages. */
  readonly owner: string;
  /** The fault for an unknown name; `undefined` if it counts as no value. */
  readonly unknown: FaultName | undefined;
  readonly canonical: (path: AttributePath, text: string) => string;
  /** Resolves `schemas`; `undefined` in an element. */
  readonly type: ResourceType | undefined;
}

type Test =
  | { readonly kind: "present" }
  | { readonly kind: "compare"; readonly operator: Operator; readonly literal: Literal };

const schemasAttribute = attributeNamed(commonAttributes, "schemas");
/** Attributes whose elements can be compared by `value` (the id) and by `display` (the name). */
const namedByDisplay: ReadonlySet<string> = new Set(["groups"]);

/** Where a value may go on beyond the operand. */
const openEnds: Readonly<Partial<Record<Operator, Parameters<typeof sigmaForms>[1]>>> = {
  co: { before: true, after: true },
  sw: { before: false, after: true },
  ew: { before: true, after: false },
};

/** The operators for `schemas`. */
const urnOperators: readonly Operator[] = ["eq", "ne", "co", "sw", "ew"];

/**
 * Binds a filter to a resource type. Throws `scim.filter_invalid` for an unknown attribute (unless `unknown` is
 * "nothing"), a secret one, an operator that the type does not have, and a literal of another type.
 */
export function bindFilter(type: ResourceType, syntax: FilterSyntax, options: BindOptions): BoundFilter {
  return bindSyntax(
    {
      resolve: (name) => resolveName(type, name),
      owner: type.name,
      unknown: options.unknown === "refuse" ? "scim.filter_invalid" : undefined,
      canonical: options.canonical ?? ((_, text) => text),
      type,
    },
    syntax,
  );
}

/**
 * Binds the filter in the brackets of a PATCH path to the elements of its attribute. Throws `scim.path_invalid` for an
 * unknown name, `scim.filter_invalid` for an invalid comparison.
 */
export function bindBrackets(path: AttributePath, within: FilterSyntax): BoundFilter {
  return bindSyntax({ ...elementScope(path), unknown: "scim.path_invalid", canonical: (_, text) => text }, within);
}

function bindSyntax(scope: Scope, syntax: FilterSyntax): BoundFilter {
  switch (syntax.kind) {
    case "and":
    case "or":
      return combined(
        syntax.kind,
        eachTogether(syntax.parts, (part) => [bindSyntax(scope, part)]),
      );
    case "not":
      return negated(bindSyntax(scope, syntax.part));
    case "element": {
      const found = target(scope, syntax.path);
      if (!found?.where || found.named.attribute === undefined) return never;
      return found.where.kind === "never" ? never : { kind: "element", path: found.named, where: found.where };
    }
    default:
      return term(scope, syntax.path, syntax);
  }
}

function term(scope: Scope, syntax: PathSyntax, test: Test): BoundFilter {
  const found = target(scope, syntax);
  if (!found) return ofNothing(test);
  const { named, where } = found;
  if (named.attribute === undefined) {
    const present = presence(test, { kind: "extension", extension: named.extension });
    if (!present) throw refused(`'${named.extension.id}' is a schema. Add the name of an attribute, or use pr.`);
    return present;
  }
  if (named.attribute === schemasAttribute && scope.type) return ofSchemas(scope.type, test);
  return leaf(scope, named, where, test);
}

/** The attribute of a path and the filter in its brackets; `undefined` for an unknown name that counts as no value. */
function target(
  scope: Scope,
  syntax: PathSyntax,
): { readonly named: Named; readonly where: BoundFilter | undefined } | undefined {
  const unknown = (name: string, owner: string): undefined => {
    if (!scope.unknown) return undefined;
    const hint = scope.type ? hintFor(scope.type, name) : "";
    throw new Fault(
      scope.unknown,
      `${excerpt(name)} at character ${syntax.at} is not an attribute of ${owner}.${hint}`,
    );
  };
  const named = scope.resolve(syntax.name);
  if (!named) return unknown(syntax.name, scope.owner);
  if (named.attribute === undefined) {
    return syntax.within ? unknown(`${syntax.name}[`, scope.owner) : { named, where: undefined };
  }
  if (isSecret(named.attribute) || isSecret(named.sub))
    throw refused(`'${pathName(named)}' cannot be used in a filter.`);
  if (!syntax.within) return { named, where: undefined };
  const where = withinOf(scope, named, syntax.within);
  if (syntax.sub === undefined) return { named, where };
  const sub = attributeNamed(named.attribute.subAttributes ?? [], syntax.sub);
  return sub ? { named: { ...named, sub }, where } : unknown(syntax.sub, `'${pathName(named)}'`);
}

function isSecret(attribute: Attribute | undefined): boolean {
  return attribute?.returned === "never" || attribute?.mutability === "writeOnly";
}

/** Binds the filter in the brackets of an attribute to its elements. */
function withinOf(scope: Scope, path: AttributePath, within: FilterSyntax): BoundFilter {
  const { attribute, sub } = path;
  const inElement = attribute.multiValued || attribute.type === "complex";
  if (sub || !inElement || attribute === schemasAttribute) {
    throw refused(`'${pathName(path)}' has no elements, so brackets cannot follow it.`);
  }
  return bindSyntax({ ...scope, ...elementScope(path) }, within);
}

/** A test of an unknown attribute, which has no value. */
function ofNothing(test: Test): BoundFilter {
  return presence(test, never) ?? (test.kind === "compare" && test.operator === "ne" ? always : never);
}

/** `schemas` is derived: the core schema, and each extension with data. URNs are case-insensitive. */
function ofSchemas(type: ResourceType, test: Test): BoundFilter {
  const known = presence(test, always);
  if (known || test.kind === "present") return known ?? always;
  if (!urnOperators.includes(test.operator)) throw wrongOperator(test.operator, "'schemas'", urnOperators);
  const urn = test.literal.text.toLowerCase();
  const passes = ({ id }: Schema) => operatorTests[test.operator](id.toLowerCase(), urn);
  const used = type.extensions.filter(passes).map((extension): BoundFilter => ({ kind: "extension", extension }));
  return combined("or", passes(type.schema) ? [always] : used);
}

function leaf(scope: Scope, path: AttributePath, where: BoundFilter | undefined, test: Test): BoundFilter {
  const present = presence(test, { kind: "present", path, where });
  if (present || test.kind === "present") return present ?? never;
  const compared = comparedOf(path);
  const display = attributeNamed(path.attribute.subAttributes ?? [], "display");
  if (path.sub || !display || !namedByDisplay.has(path.attribute.name)) return compare(scope, compared, where, test);
  const either = (inner: BoundFilter | undefined) => [
    compare(scope, compared, inner, test),
    compare(scope, { ...path, sub: display }, inner, test),
  ];
  if (test.operator !== "ne") return combined("or", either(where));
  // No element, or an element with neither name.
  const other = combined("and", [...(where ? [where] : []), ...either(undefined)]);
  return combined("or", [negated({ kind: "present", path, where }), { kind: "element", path, where: other }]);
}

/** `eq null` matches no value, `ne null` any value (RFC 7643 section 2.5: null is unassigned). */
function presence(test: Test, present: BoundFilter): BoundFilter | undefined {
  if (test.kind === "present") return present;
  if (!isNull(test)) return undefined;
  if (test.operator === "eq") return negated(present);
  if (test.operator === "ne") return present;
  throw refused(`The operator '${test.operator}' does not accept null. Use eq, ne or pr.`);
}

function isNull(test: Test): boolean {
  return test.kind === "compare" && !test.literal.quoted && test.literal.text.toLowerCase() === "null";
}

/** A complex attribute is compared by its `value` (`emails co "example.org"`). */
function comparedOf(path: AttributePath): AttributePath {
  return path.sub || path.attribute.type !== "complex"
    ? path
    : { ...path, sub: attributeNamed(path.attribute.subAttributes ?? [], "value") };
}

function compare(
  scope: Scope,
  path: AttributePath,
  where: BoundFilter | undefined,
  { operator, literal }: Extract<Test, { kind: "compare" }>,
): BoundFilter {
  const attribute = path.sub ?? path.attribute;
  const name = pathName(path);
  if (attribute.type === "complex") {
    const example = attribute.subAttributes?.[0]?.name ?? "value";
    throw refused(
      `'${name}' is complex, so it cannot be compared (character ${literal.at}). Name a sub-attribute, such as ${name}.${example}.`,
    );
  }
  if (!operatorsOf[attribute.type].includes(operator)) {
    throw wrongOperator(operator, `'${name}' of type ${attribute.type}`, operatorsOf[attribute.type]);
  }
  const value = valueOfLiteral(attribute, literal.text);
  if (value === undefined) {
    throw refused(
      `${excerpt(literal.text)} at character ${literal.at} is not a value of '${name}', which is of type ${attribute.type}. Example: ${examples[attribute.type]}.`,
    );
  }
  const ends = attribute.caseExact ? undefined : openEnds[operator];
  const forms = typeof value === "string" && ends ? sigmaForms(value, ends) : [value];
  return combined(
    "or",
    forms.map((form): BoundFilter => {
      const operand = operandOf(scope, path, operator, form);
      return { kind: "compare", path, where, operator, value: form, operand };
    }),
  );
}

/** The value of a term in comparable form. */
function operandOf({ canonical }: Scope, path: AttributePath, operator: Operator, value: Operand): Operand {
  const attribute = path.sub ?? path.attribute;
  if (typeof value !== "string" || attribute.type !== "string") return comparable(attribute, value) ?? value;
  if (!attribute.isName) return comparable(attribute, canonical(path, value)) ?? value;
  // Behind the store, too: `SECOND/ kim`.
  return foldName(nameTerm(operator, canonical(path, nameTerm(operator, value))));
}

function wrongOperator(operator: Operator, what: string, operators: readonly string[]): Fault {
  return refused(`The operator '${operator}' does not fit ${what}. Use ${operators.join(", ")} or pr.`);
}

function refused(reason: string): Fault {
  return new Fault("scim.filter_invalid", reason);
}

function elementScope(path: AttributePath): Pick<Scope, "resolve" | "owner" | "type"> {
  return {
    resolve: (name) => {
      const { attribute } = path;
      if (attribute.type !== "complex") return name.toLowerCase() === "value" ? path : undefined;
      const sub = attributeNamed(attribute.subAttributes ?? [], name);
      return sub && { ...path, sub };
    },
    owner: `'${pathName(path)}'`,
    type: undefined,
  };
}
