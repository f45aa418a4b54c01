/**
 * References of bulk operations to resources that other operations of the request create (RFC 7644 section 3.7.2):
 * `bulkId:u1` as a part of a path, as a text anywhere in the data, and as a value in the paths of a PATCH, such as
 * `members[value eq "bulkId:u1"]`. Pure.
 */
import { isObject } from "./values.ts";

/** Ids of created resources by bulkId; `undefined` for an operation that failed. */
export type Created = ReadonlyMap<string, string | undefined>;

const REFERENCE = /^bulkId:(.+)$/s;
const QUOTED_REFERENCE = /^"bulkId:([^"\\]+)"$/s;
/** References without quotes, and quoted texts, so that none is searched inside. One that is not closed goes on. */
const VALUE_IN_PATH = /"(?:[^"\\]|\\.?)*"?|(?<=\s)bulkId:[^\s()[\]"]+/gs;

/** Whether a text is a reference. */
export function isReference(text: string): boolean {
  return REFERENCE.test(text);
}

/** The bulkIds to which an operation refers. */
export function bulkIdsIn(path: string, data: unknown): ReadonlySet<string> {
  const texts = [...path.split("/"), ...stringsIn(data)].flatMap((text) => REFERENCE.exec(text)?.[1] ?? []);
  const values = pathsIn(data).flatMap((one) =>
    [...one.matchAll(VALUE_IN_PATH)].flatMap(([value]) => idIn(value) ?? []),
  );
  return new Set([...texts, ...values]);
}

/** The data of an operation with ids in place of references. Those that are not created stay. */
export function resolved(data: unknown, created: Created): unknown {
  const whole = resolvedTexts(data, created);
  return withMember(whole, "operations", (operations) =>
    Array.isArray(operations)
      ? operations.map((operation) =>
          withMember(operation, "path", (path) => (typeof path === "string" ? resolvedPath(path, created) : path)),
        )
      : operations,
  );
}

/** A text with the id in place of a reference. */
export function resolvedText(text: string, created: Created): string {
  return created.get(REFERENCE.exec(text)?.[1] ?? "") ?? text;
}

function resolvedTexts(value: unknown, created: Created): unknown {
  if (typeof value === "string") return resolvedText(value, created);
  if (Array.isArray(value)) return value.map((entry) => resolvedTexts(entry, created));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, resolvedTexts(entry, created)]));
}

function resolvedPath(path: string, created: Created): string {
  return path.replace(VALUE_IN_PATH, (value) => {
    const id = created.get(idIn(value) ?? "");
    return id === undefined ? value : JSON.stringify(id);
  });
}

/** The bulkId of a value in a path. */
function idIn(value: string): string | undefined {
  return (QUOTED_REFERENCE.exec(value) ?? REFERENCE.exec(value))?.[1];
}

/** Every string in a value. Its depth is limited where the body is parsed. */
function* stringsIn(value: unknown): Generator<string, void> {
  if (typeof value === "string") yield value;
  else if (Array.isArray(value)) for (const entry of value) yield* stringsIn(entry);
  else if (isObject(value)) for (const entry of Object.values(value)) yield* stringsIn(entry);
}

/** The paths in the data of a PATCH. */
function pathsIn(data: unknown): readonly string[] {
  return valuesOf(data, "operations")
    .flat()
    .flatMap((operation) => valuesOf(operation, "path"))
    .filter((path) => typeof path === "string");
}

/** The members of an object with a name, in any case. */
function valuesOf(given: unknown, name: string): readonly unknown[] {
  const members = isObject(given) ? Object.entries<unknown>(given) : [];
  return members.flatMap(([member, value]) => (member.toLowerCase() === name ? [value] : []));
}

/** An object with other values of the members with a name, in any case. */
function withMember(given: unknown, name: string, change: (value: unknown) => unknown): unknown {
  if (!isObject(given)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([member, value]) => [member, member.toLowerCase() === name ? change(value) : value]),
  );
}
