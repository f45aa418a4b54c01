/**
 * Parses the structure of a PATCH request (RFC 7644 section 3.5.2). Names and `op` are case-insensitive; `schemas` and
 * `path` may be missing or empty.
 */
import { Fault } from "../../platform/faults.ts";
import { eachTogether } from "../../platform/together.ts";
import { excerpt } from "../filter/reader.ts";
import { pickFrom } from "../input.ts";
import { isObject } from "../values.ts";

/** One operation of a request. */
export interface Operation {
  readonly op: "add" | "replace" | "remove";
  /** `undefined`: the resource itself. */
  readonly path: string | undefined;
  readonly value: unknown;
  /** Its path in the body, such as `Operations[2]`. */
  readonly place: string;
}

const patchUrn = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

/** The maximum of operations (RFC 7644 sets none). Provisioning clients send tens. */
const OPERATIONS_MAX = 1_000;

/**
 * The operations of a request, in order. An empty list changes nothing. Throws `request.malformed` for another body,
 * `scim.no_target` for a `remove` without a path, `scim.path_invalid` for a path that is not a string, and
 * `request.too_large` for more than 1,000 operations.
 */
export function operationsOf(body: unknown): readonly Operation[] {
  if (!isObject(body)) throw malformed("The body must be a JSON object.");
  const member = pickFrom(body);
  checkSchemas(member("schemas"));
  const operations = member("Operations");
  if (!Array.isArray(operations)) throw malformed("Operations must be a list of objects with op, path and value.");
  if (operations.length > OPERATIONS_MAX) {
    throw new Fault(
      "request.too_large",
      `The request has ${operations.length} operations. Send at most ${OPERATIONS_MAX}.`,
    );
  }
  return eachTogether(operations.entries(), ([index, operation]) => [operationOf(operation, `Operations[${index}]`)]);
}

function checkSchemas(schemas: unknown): void {
  const urns: readonly unknown[] = Array.isArray(schemas) ? schemas : [schemas ?? []].flat();
  if (urns.length === 0) return;
  if (urns.some((urn) => typeof urn === "string" && urn.toLowerCase() === patchUrn.toLowerCase())) return;
  throw malformed(`schemas must contain ${patchUrn}.`);
}

function operationOf(given: unknown, place: string): Operation {
  if (!isObject(given)) throw malformed(`${place} must be an object with op, path and value.`);
  const member = pickFrom(given);
  const op = member("op");
  const word = typeof op === "string" ? op.toLowerCase() : undefined;
  if (word !== "add" && word !== "replace" && word !== "remove") {
    throw malformed(
      `${place}.op must be add, replace or remove${typeof op === "string" ? `, not ${excerpt(op)}` : ""}.`,
    );
  }
  const path = member("path") ?? "";
  if (typeof path !== "string") throw new Fault("scim.path_invalid", `${place}.path must be a string.`);
  const value = member("value");
  if (word !== "remove" && value === undefined) throw malformed(`${place}.value is required for ${word}.`);
  const isWhole = path.trim() === "";
  if (word === "remove" && isWhole) {
    throw new Fault("scim.no_target", `${place}.path is required for remove.`);
  }
  return { op: word, path: isWhole ? undefined : path, value, place };
}

function malformed(reason: string): Fault {
  return new Fault("request.malformed", reason);
}
