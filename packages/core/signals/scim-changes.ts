/** Changes as SCIM names them: attribute names in the form of PATCH paths, and PATCH bodies (RFC 7644 section 3.5.2). */
import type { Change, Json } from "../changes/model.ts";

const PATCH_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

/** Sets that are recorded as objects by id. */
const SETS: ReadonlySet<string> = new Set(["members", "users", "groups"]);

/** The names of the attributes that changes are about, each once. */
export function attributesOf(changes: readonly Change[]): readonly string[] {
  return [...new Set(changes.map(({ path }) => placeOf(path).attribute))];
}

/** Changes as the body of a PATCH. Secrets are left out. */
export function patchOf(changes: readonly Change[]): Json {
  return { schemas: [PATCH_SCHEMA], Operations: changes.flatMap(operationsOf) };
}

function operationsOf({ op, path, value, secret }: Change): readonly Json[] {
  if (secret) return [];
  const { attribute, member } = placeOf(path);
  if (member !== undefined) {
    if (op === "remove") return [{ op, path: `${attribute}[value eq ${JSON.stringify(member)}]` }];
    return [{ op: "add", path: attribute, value: [{ value: member }] }];
  }
  return op === "remove" ? [{ op, path: attribute }] : [{ op, path: attribute, value: value ?? null }];
}

/** The attribute of a pointer into a document, and the id in a set that it names. */
function placeOf(pointer: string): { readonly attribute: string; readonly member?: string } {
  const [first = "", second, ...rest] = pointer.slice(1).split("/").map(unescaped);
  if (second === undefined) return { attribute: first };
  if (SETS.has(first)) return { attribute: first, member: second };
  const separator = first.startsWith("urn:") ? ":" : ".";
  return { attribute: [`${first}${separator}${second}`, ...rest].join(".") };
}

function unescaped(text: string): string {
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
