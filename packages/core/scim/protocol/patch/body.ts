/**
 * Parses the structure of a PATCH request (RFC 7644 section 3.5.2). Names and `op` are case-insensitive; `schemas` and
 * `path` may be missing or empty.
 */
import { Fault, malformed } from "../../../kernel/faults.ts";
import { eachTogether, readTogether } from "../../../kernel/together.ts";
import { excerpt } from "../filter/reader.ts";
import { pickFrom } from "../input.ts";
import { isObject } from "../values.ts";

/** One operation of a request. */
export interface Operation {
  readonly op: "add" | "replace" | "remove";
  /** `undefined`: the resource itself. */
  readonly path: string | undefined;
  /** `undefined` for no value: then it is a removal, or refused. */
  readonly value: unknown;
  /** Its path in the body, such as `Operations[2]`. */
  readonly place: string;
}

const patchUrn = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

/** The maximum of operations (RFC 7644 sets none). Provisioning clients send tens. */
const OPERATIONS_MAX = 1_000;

/**
 * What a function reads in the operations of a request, in order. An empty list changes nothing. Tells all faults at
 * once: of the structure, and those of the function. Throws `request.malformed` for another body, `scim.no_target` for
 * a `remove` without a path, `scim.path_invalid` for a path that is not a string, and `request.too_large` for more than
 * 1,000 operations.
 */
export function readOperations<R>(body: unknown, read: (operation: Operation) => readonly R[]): readonly R[] {
  if (!isObject(body)) throw malformed("The body must be a JSON object.");
  const member = pickFrom(body);
  return readTogether<R>(
    () => {
      checkSchemas(member("schemas"));
      return [];
    },
    () =>
      eachTogether(listOf(member("Operations")).entries(), ([index, operation]) =>
        operationOf(operation, `Operations[${index}]`, read),
      ),
  );
}

function listOf(operations: unknown): readonly unknown[] {
  if (!Array.isArray(operations)) throw malformed("Operations must be a list of objects with op, path and value.");
  if (operations.length <= OPERATIONS_MAX) return operations;
  throw new Fault(
    "request.too_large",
    `The request has ${operations.length} operations. Send at most ${OPERATIONS_MAX}.`,
  );
}

function checkSchemas(schemas: unknown): void {
  const urns: readonly unknown[] = Array.isArray(schemas) ? schemas : [schemas ?? []].flat();
  if (urns.length === 0) return;
  if (urns.some((urn) => typeof urn === "string" && urn.toLowerCase() === patchUrn.toLowerCase())) return;
  throw malformed(`schemas must contain ${patchUrn}.`);
}

/** Reads one operation. That of an unknown `op` is read as a replacement, so that its other faults are told too. */
function operationOf<R>(given: unknown, place: string, read: (operation: Operation) => readonly R[]): readonly R[] {
  if (!isObject(given)) throw malformed(`${place} must be an object with op, path and value.`);
  const member = pickFrom(given);
  const op = member("op");
  const word = typeof op === "string" ? op.toLowerCase() : undefined;
  const known = (["add", "replace", "remove"] as const).find((one) => one === word);
  const path = member("path") ?? "";
  const value = member("value");
  return readTogether<R>(
    () => {
      if (known) return [];
      const not = typeof op === "string" ? `, not ${excerpt(op)}` : "";
      throw malformed(`${place}.op must be add, replace or remove${not}.`);
    },
    () => {
      if (typeof path !== "string") throw new Fault("scim.path_invalid", `${place}.path must be a string.`);
      const isWhole = path.trim() === "";
      if (known === "remove" && isWhole) throw new Fault("scim.no_target", `${place}.path is required for remove.`);
      return read({ op: known ?? "replace", path: isWhole ? undefined : path, value, place });
    },
    () => {
      if (!known || known === "remove" || value !== undefined) return [];
      throw malformed(`${place}.value is required for ${known}.`);
    },
  );
}
