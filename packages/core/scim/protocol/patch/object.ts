/** PATCH of complex values: some parts change, the others stay. */
import { Fault } from "../../../kernel/faults.ts";
import { pathName } from "../filter/bound.ts";
import { isSame, memberOf, withMember } from "../resource.ts";
import type { Attribute, Json, JsonObject } from "../schema/attribute.ts";
import { attributeNamed } from "../schema/paths.ts";
import type { AttributeStep, Changes } from "./step.ts";

/**
 * An immutable value can be set once. Setting it to the same value again is allowed. Throws `scim.mutability` for any
 * other change.
 */
export function refuseImmutable(
  { place, path }: AttributeStep,
  changed: Attribute,
  before: Json | undefined,
  after: Json | undefined,
): void {
  if (changed.mutability !== "immutable" || before === undefined || isSame(before, after)) return;
  const sub = changed === path.attribute ? undefined : changed;
  throw new Fault(
    "scim.mutability",
    `${place}: '${pathName({ ...path, sub })}' is immutable: it cannot be changed once it is set.`,
  );
}

/** The parts in the order of the schema, as they are stored; unknown parts last. */
export function inOrder(attribute: Attribute, object: JsonObject): JsonObject {
  const names = (attribute.subAttributes ?? []).map(({ name }) => name).filter((name) => Object.hasOwn(object, name));
  return { ...Object.fromEntries(names.map((name) => [name, object[name] ?? null])), ...object };
}

/**
 * A complex value with some parts changed; `undefined` if none is left. A new `value` removes the parts that describe
 * the old one: `$ref` and read-only parts. Throws `scim.mutability` for a change of an immutable part.
 */
export function changedObject(step: AttributeStep, before: JsonObject, changes: Changes): JsonObject | undefined {
  const { attribute } = step.path;
  const after = Object.entries(changes).reduce((object, [name, change]) => {
    const sub = attributeNamed(attribute.subAttributes ?? [], name);
    const [was, becomes] = [memberOf(before, name), change ?? undefined];
    if (isSame(was, becomes)) return object;
    if (sub) refuseImmutable(step, sub, was, becomes);
    return withMember(object, name, becomes);
  }, before);
  const settled = withoutStale(attribute, before, after, changes);
  if (Object.keys(settled).length === 0) return undefined;
  return settled === before ? before : inOrder(attribute, settled);
}

function withoutStale(attribute: Attribute, before: JsonObject, after: JsonObject, changes: Changes): JsonObject {
  const was = memberOf(before, "value");
  if (was === undefined || isSame(was, memberOf(after, "value"))) return after;
  const stale = (attribute.subAttributes ?? []).filter((sub) => followsValue(sub) && !Object.hasOwn(changes, sub.name));
  return stale.reduce((rest, sub) => withMember(rest, sub.name, undefined), after);
}

/** Parts that describe the `value`: with another value they would be wrong. */
function followsValue({ name, mutability }: Attribute): boolean {
  return name === "$ref" || mutability === "readOnly";
}
