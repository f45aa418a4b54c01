/**
 * From the syntax of a filter to its meaning for one resource type: names become attributes, literals values of their
 * types (RFC 7644 section 3.4.2.2; reference scim.md section 3.5).
 */
import { Fault, type FaultName } from "../../platform/faults.ts";
import { type Attribute, commonAttributes, type ResourceType, type Schema } from "../schema/attribute.ts";
import { type AttributePath, attributeNamed, type Named, resolveName } from "../schema/paths.ts";
import { always, type BoundFilter, combined, negated, never, pathName } from "./bound.ts";
import { comparable, examples, operatorsOf, valueOfLiteral } from "./literal.ts";
import { shown } from "./reader.ts";
import type { FilterSyntax, Literal, Operator, PathSyntax } from "./syntax.ts";

/** How a filter is bound. */
export interface BindOptions {
  /** What a name that no schema of the type has means: a mistake, or an attribute without a value (RFC 7644 section 3.4.2.1). */
  readonly unknown: "refuse" | "nothing";
  /**
   * Another way to write the value of an attribute, without what is only a form of address: `PRIMARY/kim` is `kim`. It
   * decides what is compared; the leaf keeps the value as it was written.
   */
  readonly canonical?: (path: AttributePath, text: string) => string;
}

/** Where names are looked up: in a resource type, or in the elements of one attribute. */
interface Scope {
  readonly resolve: (name: string) => Named | undefined;
  /** What has no such attribute, for the sentence. */
  readonly owner: string;
  /** The fault of an unknown name; `undefined` where it stands for no value. */
  readonly unknown: FaultName | undefined;
  readonly canonical: (path: AttributePath, text: string) => string;
  /** The schemas that `schemas` can list; none in an element. */
  readonly type: ResourceType | undefined;
}

/** The test that a term makes. */
type Test =
  | { readonly kind: "present" }
  | { readonly kind: "compare"; readonly operator: Operator; readonly literal: Literal };

const schemasAttribute = attributeNamed(commonAttributes, "schemas");
/** Attributes whose elements are known by two names: a group by its id and by what it is called. */
const namedByDisplay: ReadonlySet<string> = new Set(["groups"]);

const textTests: Readonly<Partial<Record<Operator, (text: string, part: string) => boolean>>> = {
  eq: (text, part) => text === part,
  ne: (text, part) => text !== part,
  co: (text, part) => text.includes(part),
  sw: (text, part) => text.startsWith(part),
  ew: (text, part) => text.endsWith(part),
};

/**
 * Binds a filter to a resource type.
 * @throws `scim.filter_invalid` for an unknown attribute (unless unknown ones are to mean nothing), a secret one, an operator
 * that the attribute's type does not have, and a literal that is no value of the type.
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
 * Binds what stands in the brackets of a PATCH path to the elements of its attribute, which has some.
 * @throws `scim.path_invalid` for an unknown name, `scim.filter_invalid` for a comparison that does not fit.
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
        syntax.parts.map((part) => bindSyntax(scope, part)),
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
    const present = presence(test, { kind: "uses", extension: named.extension });
    if (!present) throw refused(`'${named.extension.id}' is a schema; name an attribute behind it, or use pr.`);
    return present;
  }
  if (named.attribute === schemasAttribute && scope.type) return ofSchemas(scope.type, test);
  return leaf(scope, named, where, test);
}

/** The attribute that a path names and the filter in its brackets; `undefined` where no schema has it and that is no mistake. */
function target(
  scope: Scope,
  syntax: PathSyntax,
): { readonly named: Named; readonly where: BoundFilter | undefined } | undefined {
  const unknown = (name: string, owner: string): undefined => {
    if (!scope.unknown) return undefined;
    throw new Fault(scope.unknown, `${shown(name)} at character ${syntax.at} is no attribute of ${owner}.`);
  };
  const named = scope.resolve(syntax.name);
  if (!named) return unknown(syntax.name, scope.owner);
  if (named.attribute === undefined) {
    return syntax.within ? unknown(`${syntax.name}[`, scope.owner) : { named, where: undefined };
  }
  if (isSecret(named.attribute) || isSecret(named.sub)) throw refused(`'${pathName(named)}' cannot be filtered by.`);
  if (!syntax.within) return { named, where: undefined };
  const where = withinOf(scope, named, syntax.within);
  if (syntax.sub === undefined) return { named, where };
  const sub = attributeNamed(named.attribute.subAttributes ?? [], syntax.sub);
  return sub ? { named: { ...named, sub }, where } : unknown(syntax.sub, `'${pathName(named)}'`);
}

function isSecret(attribute: Attribute | undefined): boolean {
  return attribute?.returned === "never" || attribute?.mutability === "writeOnly";
}

/** What stands in the brackets behind an attribute, bound to the attribute's elements. */
function withinOf(scope: Scope, path: AttributePath, within: FilterSyntax): BoundFilter {
  const { attribute, sub } = path;
  const inElement = attribute.multiValued || attribute.type === "complex";
  if (sub || !inElement || attribute === schemasAttribute) {
    throw refused(`'${pathName(path)}' has no elements that brackets could choose from.`);
  }
  return bindSyntax({ ...scope, ...elementScope(path) }, within);
}

/** What a test says of an attribute that the type does not have, which is one without a value. */
function ofNothing(test: Test): BoundFilter {
  return presence(test, never) ?? (test.kind === "compare" && test.operator === "ne" ? always : never);
}

/** `schemas` is not stored: it lists the core schema always and each extension that is used. URNs have no case. */
function ofSchemas(type: ResourceType, test: Test): BoundFilter {
  const known = presence(test, always);
  if (known || test.kind === "present") return known ?? always;
  const holds = textTests[test.operator];
  if (!holds)
    throw refused(
      `The operator '${test.operator}' is not for 'schemas'; use ${Object.keys(textTests).join(", ")} or pr.`,
    );
  const passes = ({ id }: Schema) => holds(id.toLowerCase(), test.literal.text.toLowerCase());
  const uses = type.extensions.filter(passes).map((extension): BoundFilter => ({ kind: "uses", extension }));
  return combined("or", passes(type.schema) ? [always] : uses);
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
  // Some element has neither name, or there is none.
  const other = combined("and", [...(where ? [where] : []), ...either(undefined)]);
  return combined("or", [negated({ kind: "present", path, where }), { kind: "element", path, where: other }]);
}

/** `eq null` asks for no value, `ne null` for any (RFC 7643 section 2.5: unassigned and null are the same). */
function presence(test: Test, present: BoundFilter): BoundFilter | undefined {
  if (test.kind === "present") return present;
  if (!isNull(test)) return undefined;
  if (test.operator === "eq") return negated(present);
  if (test.operator === "ne") return present;
  throw refused(`The operator '${test.operator}' cannot compare with null; use eq, ne or pr.`);
}

function isNull(test: Test): boolean {
  return test.kind === "compare" && !test.literal.quoted && test.literal.text.toLowerCase() === "null";
}

/** The attribute that is compared where a complex one is named: its `value` (`emails co "example.org"`). */
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
      `'${name}' has no value of its own at character ${literal.at}; name a part of it, such as ${name}.${example}.`,
    );
  }
  if (!operatorsOf[attribute.type].includes(operator)) {
    const fitting = operatorsOf[attribute.type].join(", ");
    throw refused(
      `The operator '${operator}' is not for '${name}', whose type is ${attribute.type}; use ${fitting} or pr.`,
    );
  }
  const value = valueOfLiteral(attribute, literal.text);
  if (value === undefined) {
    throw refused(
      `${shown(literal.text)} at character ${literal.at} is no value of '${name}', whose type is ${attribute.type}; it is written ${examples[attribute.type]}.`,
    );
  }
  const meant = typeof value === "string" && attribute.type === "string" ? scope.canonical(path, value) : value;
  const operand = comparable(attribute, meant) ?? meant;
  return { kind: "compare", path, where, operator, value, operand };
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
