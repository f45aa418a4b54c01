/**
 * Parses a PATCH request into steps (RFC 7644 section 3.5.2). An operation on several attributes becomes one step for
 * each.
 */
import { Fault } from "../../../kernel/faults.ts";
import { checkTogether, eachTogether, readTogether } from "../../../kernel/together.ts";
import { pathName } from "../filter/bound.ts";
import { excerpt } from "../filter/reader.ts";
import { commonAttributes, type ResourceType, type Schema } from "../schema/attribute.ts";
import { attributeNamed, hintFor } from "../schema/paths.ts";
import { isObject, isUnassigned, kindOf, malformedValue } from "../values.ts";
import { type Operation, readOperations } from "./body.ts";
import { changeOf, removalOf } from "./change.ts";
import type { Change, PatchStep } from "./step.ts";
import { type AttributeTarget, protection, type Target, targetOf } from "./target.ts";

export interface PatchOptions {
  /** A request to `/Me`: attributes that users may not change themselves count as read-only. */
  readonly selfService?: boolean;
  /** Throws for a step that resources of the type do not take: its fault is told with the others. */
  readonly check?: (step: PatchStep) => void;
}

interface Reading {
  readonly type: ResourceType;
  readonly selfService: boolean;
}

/** A member of an operation's value with the target of its name. */
interface Member {
  readonly name: string;
  readonly value: unknown;
  readonly target: Target;
}

const idAttribute = attributeNamed(commonAttributes, "id");

/**
 * Parses the body of a PATCH request. Unknown and read-only attributes are ignored in a value without a path, and
 * refused as a path. Throws `request.malformed` for another body or a value of another type, `request.invalid` for an
 * invalid value, `scim.path_invalid`, `scim.filter_invalid`, `scim.no_target`, `scim.mutability`, and
 * `request.too_large` for more than 1,000 operations. Messages name the operation.
 */
export function readPatch(type: ResourceType, body: unknown, options: PatchOptions = {}): readonly PatchStep[] {
  const reading: Reading = { type, selfService: options.selfService === true };
  return readOperations(body, (operation) => {
    const { path } = operation;
    const steps = path === undefined ? implicitSteps(reading, operation) : explicitSteps(reading, operation, path);
    checkTogether(...steps.map((step) => () => options.check?.(step)));
    return steps;
  });
}

function implicitSteps(reading: Reading, operation: Operation): readonly PatchStep[] {
  const { place } = operation;
  if (operation.value === undefined) return [];
  // Some clients send the object in a list, as they do for an attribute with several values.
  const value = Array.isArray(operation.value) && operation.value.length === 1 ? operation.value[0] : operation.value;
  if (!isObject(value)) {
    throw new Fault("request.malformed", `${place}.value must be an object if there is no path, not ${kindOf(value)}.`);
  }
  return stepsOfMembers(reading, operation, "", value);
}

function explicitSteps(reading: Reading, operation: Operation, path: string): readonly PatchStep[] {
  const { op, place, value } = operation;
  const target = targetOf(reading.type, path, place);
  if (!target) {
    throw new Fault(
      "scim.path_invalid",
      `${place}: ${excerpt(path)} is not an attribute of ${reading.type.name}.${hintFor(reading.type, path)}`,
    );
  }
  if (target.kind === "attribute") return explicitAttributeSteps(reading, operation, target);
  const { extension } = target;
  if (op !== "remove") return value === undefined ? [] : extensionSteps(reading, operation, extension, value);
  const steps = withoutExtension(reading, operation, extension);
  if (steps.length === 0)
    throw new Fault("scim.mutability", `${place}: '${extension.id}' has no attribute that can be removed.`);
  return steps;
}

function explicitAttributeSteps(
  { selfService }: Reading,
  operation: Operation,
  target: AttributeTarget,
): readonly PatchStep[] {
  const { op, place, value } = operation;
  const name = pathName(target.path);
  const refused = (reason: string): Fault => new Fault("scim.mutability", `${place}: '${name}' ${reason}.`);
  const reason = protection(target.path, selfService);
  if (reason) throw refused(reason);
  if (op !== "remove") {
    return value === undefined ? [] : stepsOf(operation, target, changeOf(op, target, value, place));
  }
  const { required, mutability } = target.path.sub ?? target.path.attribute;
  const change = removalOf(target, value, place);
  const isWhole = change?.kind === "clear" && (!target.where || target.path.sub !== undefined);
  if (isWhole && required) throw refused("is required and cannot be removed");
  if (mutability === "writeOnly") throw refused("cannot be removed, only replaced");
  return stepsOf(operation, target, change);
}

/** The steps of the object of an extension. */
function extensionSteps(
  reading: Reading,
  operation: Operation,
  extension: Schema,
  value: unknown,
): readonly PatchStep[] {
  if (isUnassigned(value)) return operation.op === "add" ? [] : withoutExtension(reading, operation, extension);
  if (!isObject(value)) {
    throw malformedValue(`${operation.place}.${extension.id}`, `must be an object, not ${kindOf(value)}.`);
  }
  return stepsOfMembers(reading, operation, `${extension.id}:`, value);
}

/**
 * The steps of the known attributes in an operation's value, each once. Among spellings the schema's own wins,
 * otherwise the last one.
 */
function stepsOfMembers(
  reading: Reading,
  operation: Operation,
  prefix: string,
  given: Readonly<Record<string, unknown>>,
): readonly PatchStep[] {
  const members = new Map<string, Member & { readonly isExact: boolean }>();
  return readTogether<PatchStep>(
    () =>
      eachTogether(Object.entries(given), ([name, value]): readonly never[] => {
        const target = isPath(name) ? targetOf(reading.type, `${prefix}${name}`, operation.place) : undefined;
        if (!target) return [];
        const { key, isExact } = spellingOf({ name, value, target });
        if (isExact || !members.get(key)?.isExact) members.set(key, { name, value, target, isExact });
        return [];
      }),
    () => eachTogether(members.values(), (member) => memberSteps(reading, operation, member)),
  );
}

/** Whether a name can be a path. With brackets it always counts as one, so that mistakes in it are reported. */
function isPath(name: string): boolean {
  return name.includes("[") || /^[^\s()\]"]+$/.test(name);
}

/** The common key of all spellings of a name, and whether this one is the schema's own. */
function spellingOf({ name, target }: Member): { readonly key: string; readonly isExact: boolean } {
  if (target.kind === "extension") return { key: target.extension.id, isExact: name === target.extension.id };
  const key = target.where ? name : pathName(target.path);
  return { key, isExact: key === name || pathName({ ...target.path, extension: undefined }) === name };
}

function memberSteps(reading: Reading, operation: Operation, { value, target }: Member): readonly PatchStep[] {
  if (target.kind === "extension") return extensionSteps(reading, operation, target.extension, value);
  const { place, op } = operation;
  if (target.path.attribute === idAttribute) return [{ kind: "id", place, value }];
  // Clients send back what they read, including attributes that they cannot change.
  if (protection(target.path, reading.selfService)) return [];
  return stepsOf(operation, target, changeOf(op, target, value, place));
}

/** The steps that remove all writable attributes of an extension. */
function withoutExtension({ selfService }: Reading, operation: Operation, extension: Schema): readonly PatchStep[] {
  return extension.attributes
    .map((attribute) => ({ extension, attribute, sub: undefined }))
    .filter((path) => !protection(path, selfService))
    .flatMap((path) => stepsOf(operation, { kind: "attribute", path, where: undefined }, { kind: "clear" }));
}

function stepsOf({ op, place }: Operation, target: AttributeTarget, change: Change | undefined): readonly PatchStep[] {
  if (!change) return [];
  const { path, where } = target;
  // A step that clears is a removal, also for other operations: it is no mistake if there is no value.
  return [{ kind: "attribute", op: change.kind === "clear" ? "remove" : op, place, path, where, change }];
}
