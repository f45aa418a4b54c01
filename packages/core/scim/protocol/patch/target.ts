/** Resolves the path of a PATCH operation, and checks whether a client may change the target. */
import { Fault } from "../../../kernel/faults.ts";
import { bindBrackets } from "../filter/bind.ts";
import { type BoundFilter, pathName } from "../filter/bound.ts";
import { parsePath } from "../filter/parse.ts";
import { excerpt } from "../filter/reader.ts";
import type { PathSyntax } from "../filter/syntax.ts";
import type { Attribute, ResourceType, Schema } from "../schema/attribute.ts";
import { type AttributePath, attributeNamed, resolveName } from "../schema/paths.ts";

/** An attribute, or all of an extension. */
export type Target = AttributeTarget | { readonly kind: "extension"; readonly extension: Schema };

/** An attribute, a sub-attribute, or the elements that brackets select. */
export interface AttributeTarget {
  readonly kind: "attribute";
  readonly path: AttributePath;
  readonly where: BoundFilter | undefined;
}

/**
 * Resolves a path; `undefined` for an unknown attribute. Throws `scim.path_invalid` for a syntax error or an unknown
 * sub-attribute, `scim.filter_invalid` for an invalid comparison in brackets.
 */
export function targetOf(type: ResourceType, text: string, place: string): Target | undefined {
  const syntax = at(place, () => parsePath(text));
  const named = resolveName(type, syntax.name);
  if (!named) return undefined;
  if (named.attribute !== undefined) return selected(place, named, syntax);
  if (syntax.within) throw invalid(place, `${excerpt(syntax.name)} is a schema, so brackets cannot follow it.`);
  return { kind: "extension", extension: named.extension };
}

function selected(place: string, path: AttributePath, syntax: PathSyntax): Target {
  if (!syntax.within) return { kind: "attribute", path, where: undefined };
  if (!path.attribute.multiValued || path.sub) {
    throw invalid(place, `'${pathName(path)}' has no elements, so brackets cannot follow it.`);
  }
  const { within } = syntax;
  const where = at(place, () => bindBrackets(path, within));
  if (syntax.sub === undefined) return { kind: "attribute", path, where };
  const sub = attributeNamed(path.attribute.subAttributes ?? [], syntax.sub);
  if (!sub) throw invalid(place, `${excerpt(syntax.sub)} is not a sub-attribute of '${pathName(path)}'.`);
  return { kind: "attribute", path: { ...path, sub }, where };
}

/** Adds the operation to the message of a fault. */
function at<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof Fault ? new Fault(error.fault, `${place}: ${error.description}`) : error;
  }
}

function invalid(place: string, reason: string): Fault {
  return new Fault("scim.path_invalid", `${place}: ${reason}`);
}

/** Why a client may not change an attribute; `undefined` if it may. */
export function protection({ attribute, sub }: AttributePath, selfService: boolean): string | undefined {
  if (attribute.mutability === "readOnly" || sub?.mutability === "readOnly") return "is read-only";
  const isOwn = (one: Attribute | undefined): boolean => one?.selfService === true;
  return selfService && !isOwn(attribute) && !isOwn(sub) ? "cannot be changed at /Me" : undefined;
}
