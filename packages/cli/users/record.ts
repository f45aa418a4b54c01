/** People as files have them: a record has fields with text values, or is a SCIM user already. */

/** One person of a file. */
export interface SourceRecord {
  /** Where it is in the file, for reports: "line 12". */
  readonly place: string;
  /** The values of each field, by its name as the file has it. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** A SCIM user, which needs no mapping. */
  readonly resource?: Readonly<Record<string, unknown>>;
}

/** Why a record or a file cannot be imported. The message is for users. */
export class Refusal extends Error {}

/**
 * The fields of a JSON object. Members of objects have their path as name (`address.city`), lists of plain values have
 * several values, and members of objects in lists are gathered by their path.
 */
export function fieldsOf(value: unknown): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  const gather = (at: unknown, path: string): void => {
    if (at === null || at === undefined || at === "") return;
    if (Array.isArray(at)) for (const each of at) gather(each, path);
    else if (typeof at === "object") {
      for (const [name, each] of Object.entries(at)) gather(each, path === "" ? name : `${path}.${name}`);
    } else fields.set(path, [...(fields.get(path) ?? []), String(at)]);
  };
  gather(value, "");
  return fields;
}
