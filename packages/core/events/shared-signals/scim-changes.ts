/**
 * Recorded changes and documents as SCIM shows them: attribute names in the form of PATCH paths, PATCH bodies (RFC 7644
 * section 3.5.2), and representations. Pure.
 */
import type { Change, Json } from "../../database/changes/model.ts";
import type { SubjectType } from "./subjects.ts";

const PATCH_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

const schemas: Readonly<Record<SubjectType, string>> = {
  user: "urn:ietf:params:scim:schemas:core:2.0:User",
  group: "urn:ietf:params:scim:schemas:core:2.0:Group",
  role: "urn:ietf:params:scim:schemas:extension:2.0:Role",
};

/** Multi-valued attributes that are recorded as objects by the value of their elements. */
const sets: Readonly<Record<SubjectType, ReadonlySet<string>>> = {
  user: new Set(),
  group: new Set(["members"]),
  role: new Set(["users", "groups", "permissions"]),
};

/** What records say and SCIM does not show. */
const HIDDEN: ReadonlySet<string> = new Set(["holdsEveryScope"]);

/** A JSON object. */
export type JsonObject = { readonly [name: string]: Json };

/** The names of the attributes that changes are about, each once. */
export function attributesOf(type: SubjectType, changes: readonly Change[]): readonly string[] {
  const names = changes.flatMap(({ path, value, from }) =>
    path === "" ? Object.keys(objectOf(value ?? from)) : placeOf(type, path).attribute,
  );
  return [...new Set(names)].filter((name) => !HIDDEN.has(name));
}

/** Changes as the body of a PATCH. Secrets are left out; `undefined` where nothing else was changed. */
export function patchOf(type: SubjectType, changes: readonly Change[]): JsonObject | undefined {
  const Operations = changes.flatMap((change) => operationsOf(type, change));
  return Operations.length > 0 ? { schemas: [PATCH_SCHEMA], Operations } : undefined;
}

function operationsOf(type: SubjectType, { op, path, value, secret }: Change): readonly Json[] {
  const { attribute, element } = placeOf(type, path);
  if (secret || HIDDEN.has(attribute)) return [];
  if (element !== undefined) {
    return op === "remove"
      ? [{ op, path: `${attribute}[value eq ${JSON.stringify(element)}]` }]
      : [{ op: "add", path: attribute, value: [{ value: element }] }];
  }
  return op === "remove" ? [{ op, path: attribute }] : [{ op, path: attribute, value: value ?? null }];
}

/** The document of a resource as its representation, without secrets and without what other resources say. */
export function representationOf(type: SubjectType, id: string, document: JsonObject): JsonObject {
  const members = Object.entries(document)
    .filter(([name, value]) => !HIDDEN.has(name) && objectOf(value).secret !== true)
    .map(([name, value]) => [name, sets[type].has(name) ? elementsOf(value) : value] as const);
  const extensions = Object.keys(document).filter((name) => name.startsWith("urn:"));
  return { schemas: [schemas[type], ...extensions], id, ...Object.fromEntries(members) };
}

/** The document of a new resource: with the elements of sets that its record names one by one. */
export function createdDocument(type: SubjectType, changes: readonly Change[]): JsonObject {
  const document: Record<string, Json> = { ...objectOf(changes.find(({ path }) => path === "")?.value) };
  for (const { path } of changes) {
    const { attribute, element } = placeOf(type, path);
    if (element !== undefined) document[attribute] = { ...objectOf(document[attribute]), [element]: {} };
  }
  return document;
}

export function objectOf(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

function elementsOf(set: Json): Json {
  return Object.keys(objectOf(set)).map((value) => ({ value }));
}

/** The attribute of a pointer into a document, and the element of a set that it names. */
function placeOf(type: SubjectType, pointer: string): { readonly attribute: string; readonly element?: string } {
  const [first = "", second, ...rest] = pointer.slice(1).split("/").map(unescaped);
  if (second === undefined) return { attribute: first };
  if (sets[type].has(first)) return { attribute: first, element: second };
  const separator = first.startsWith("urn:") ? ":" : ".";
  return { attribute: [`${first}${separator}${second}`, ...rest].join(".") };
}

function unescaped(text: string): string {
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
