/**
 * The form of a PATCH request (RFC 7644 section 3.5.2; reference scim.md section 3.9): what clients write in other cases,
 * leave out or leave empty is understood, everything else is refused before any operation is looked at.
 */
import { Fault } from "../../platform/faults.ts";
import { shown } from "../filter/reader.ts";
import { isObject } from "../values.ts";

/** One operation as it was sent; `value` is `undefined` where it was not given. */
export interface Operation {
  readonly op: "add" | "replace" | "remove";
  /** `undefined` for the resource itself. */
  readonly path: string | undefined;
  readonly value: unknown;
  /** Where it stands, such as `Operations[2]`. */
  readonly place: string;
}

/** The message that a PATCH request is. */
const patchUrn = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

/** The most operations of one request (our choice): provisioning clients send tens. */
const OPERATIONS_MAX = 1_000;

/**
 * The operations of a request, in order. An empty list is one that changes nothing.
 * @throws `request.malformed` for what is not a PATCH request, `scim.no_target` for a `remove` without a path,
 * `scim.path_invalid` for a path that is no text, and `request.too_large` for more than 1,000 operations.
 */
export function operationsOf(body: unknown): readonly Operation[] {
  if (!isObject(body)) throw malformed("The body of a PATCH request is a JSON object.");
  checkSchemas(memberNamed(body, "schemas"));
  const operations = memberNamed(body, "Operations");
  if (!Array.isArray(operations)) throw malformed("A PATCH request has a list of 'Operations'.");
  if (operations.length > OPERATIONS_MAX) {
    throw new Fault(
      "request.too_large",
      `The request has ${operations.length} operations; at most ${OPERATIONS_MAX} are carried out at once.`,
    );
  }
  return operations.map((operation, index) => operationOf(operation, `Operations[${index}]`));
}

function checkSchemas(schemas: unknown): void {
  const urns: readonly unknown[] = Array.isArray(schemas) ? schemas : [schemas ?? []].flat();
  if (urns.length === 0) return;
  if (urns.some((urn) => typeof urn === "string" && urn.toLowerCase() === patchUrn.toLowerCase())) return;
  throw malformed(`'schemas' of a PATCH request lists ${patchUrn}.`);
}

function operationOf(given: unknown, place: string): Operation {
  if (!isObject(given)) throw malformed(`${place} is an object with 'op', 'path' and 'value'.`);
  const op = memberNamed(given, "op");
  const word = typeof op === "string" ? op.toLowerCase() : undefined;
  if (word !== "add" && word !== "replace" && word !== "remove") {
    throw malformed(`${place}: 'op' is add, replace or remove${typeof op === "string" ? `, not ${shown(op)}` : ""}.`);
  }
  const path = memberNamed(given, "path") ?? "";
  if (typeof path !== "string") throw new Fault("scim.path_invalid", `${place}: 'path' is a text.`);
  const value = memberNamed(given, "value");
  if (word !== "remove" && value === undefined) throw malformed(`${place}: '${word}' needs a 'value'.`);
  const isWhole = path.trim() === "";
  if (word === "remove" && isWhole) {
    throw new Fault("scim.no_target", `${place}: 'remove' needs a 'path' that says what is removed.`);
  }
  return { op: word, path: isWhole ? undefined : path, value, place };
}

function malformed(reason: string): Fault {
  return new Fault("request.malformed", reason);
}

/** The member of that name in any case: the exact spelling wins, otherwise the last one. */
function memberNamed(object: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name];
  const same = Object.keys(object).filter((key) => key.toLowerCase() === name.toLowerCase());
  const last = same.at(-1);
  return last === undefined ? undefined : object[last];
}
