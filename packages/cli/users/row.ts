/** A SCIM user as a row of a table, in the columns that `import` reads. */

/** Values by column. */
export type Row = Readonly<Record<string, string | boolean>>;

const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
/** What the service decides, and no import sets. */
const left: ReadonlySet<string> = new Set(["schemas", "id", "meta", "groups", "roles"]);

/** The row of a user, and how many of its values have no column: of one type, a table has one. */
export function rowOf(user: Readonly<Record<string, unknown>>): { readonly row: Row; readonly left: number } {
  const row: Record<string, string | boolean> = {};
  let without = 0;
  const put = (column: string, value: unknown): void => {
    if (value === undefined || value === null || value === "") return;
    if (typeof value === "object" || Object.hasOwn(row, column)) without += 1;
    else row[column] = typeof value === "boolean" ? value : String(value);
  };
  for (const [name, value] of Object.entries(user)) {
    if (left.has(name)) continue;
    if (Array.isArray(value)) for (const each of value) putElement(put, name, each);
    else if (name === ENTERPRISE) putEnterprise(put, value as object);
    else if (value !== null && typeof value === "object") {
      const separator = name.startsWith("urn:") ? ":" : ".";
      for (const [part, each] of Object.entries(value)) put(`${name}${separator}${part}`, each);
    } else put(name, value);
  }
  return { row, left: without };
}

type Put = (column: string, value: unknown) => void;

function putElement(put: Put, list: string, element: unknown): void {
  if (element === null || typeof element !== "object") {
    put(list, element);
    return;
  }
  const { type, primary: _, display: __, value, ...parts } = element as Record<string, unknown>;
  const place = type === undefined ? list : `${list}.${type}`;
  if (list === "addresses") for (const [part, each] of Object.entries(parts)) put(`${place}.${part}`, each);
  else put(place, value);
}

function putEnterprise(put: Put, extension: object): void {
  for (const [part, value] of Object.entries(extension)) {
    put(`enterprise.${part}`, part === "manager" ? (value as { value?: unknown }).value : value);
  }
}
