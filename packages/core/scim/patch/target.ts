/** What the path of a PATCH operation leads to, and whether a client may change that. */
import { Fault } from "../../platform/faults.ts";
import { bindBrackets } from "../filter/bind.ts";
import { type BoundFilter, pathName } from "../filter/bound.ts";
import { parsePath } from "../filter/parse.ts";
import { shown } from "../filter/reader.ts";
import type { PathSyntax } from "../filter/syntax.ts";
import type { Attribute, ResourceType, Schema } from "../schema/attribute.ts";
import { type AttributePath, attributeNamed, resolveName } from "../schema/paths.ts";

/** An attribute, or all of an extension. */
export type Target = AttributeTarget | { readonly kind: "extension"; readonly extension: Schema };

/** An attribute, a part of it, or the elements of it that brackets choose. */
export interface AttributeTarget {
  readonly kind: "attribute";
  readonly path: AttributePath;
  readonly where: BoundFilter | undefined;
}

/**
 * Finds what a path leads to; `undefined` where no schema of the type has the attribute that it begins with.
 * @throws `scim.path_invalid` for a path that cannot be read or names an unknown part, `scim.filter_invalid` for brackets
 * that compare what cannot be compared.
 */
export function targetOf(type: ResourceType, text: string, place: string): Target | undefined {
  const syntax = at(place, () => parsePath(text));
  const named = resolveName(type, syntax.name);
  if (!named) return undefined;
  if (named.attribute !== undefined) return chosen(place, named, syntax);
  if (syntax.within) throw invalid(place, `${shown(syntax.name)} is a schema, which has no elements.`);
  return { kind: "extension", extension: named.extension };
}

function chosen(place: string, path: AttributePath, syntax: PathSyntax): Target {
  if (!syntax.within) return { kind: "attribute", path, where: undefined };
  if (!path.attribute.multiValued || path.sub) {
    throw invalid(place, `'${pathName(path)}' has no elements that brackets could choose from.`);
  }
  const { within } = syntax;
  const where = at(place, () => bindBrackets(path, within));
  if (syntax.sub === undefined) return { kind: "attribute", path, where };
  const sub = attributeNamed(path.attribute.subAttributes ?? [], syntax.sub);
  if (!sub) throw invalid(place, `${shown(syntax.sub)} is no part of '${pathName(path)}'.`);
  return { kind: "attribute", path: { ...path, sub }, where };
}

/** Says which operation a fault is about: the parser does not know. */
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

/** Why a client may not change an attribute; `undefined` where it may. */
export function protection({ attribute, sub }: AttributePath, selfService: boolean): string | undefined {
  if (attribute.mutability === "readOnly" || sub?.mutability === "readOnly") return "is read-only";
  const isOwn = (one: Attribute | undefined): boolean => one?.selfService === true;
  return selfService && !isOwn(attribute) && !isOwn(sub) ? "cannot be changed by the user" : undefined;
}
