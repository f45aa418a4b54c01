/** Where the resources of a bulk request are, by the paths of its operations. Pure. */

/** The methods of operations. */
export const methods = ["POST", "PUT", "PATCH", "DELETE"] as const;

export type BulkMethod = (typeof methods)[number];

export type BulkKind = "Users" | "Groups" | "Roles";

/** The collection of each kind, as messages show it. Its case does not matter in a request. */
const collections: Readonly<Record<BulkKind, string>> = { Users: "/Users", Groups: "/Groups", Roles: "/v2/Roles" };

/** What a path names: a collection, or a resource in it. */
interface Place {
  readonly kind: BulkKind;
  readonly id: string | undefined;
}

/** The place of a path, which may end in a slash; `undefined` for a path that is none. */
export function placeIn(given: string): Place | undefined {
  const path = given.replace(/\/$/, "");
  for (const [kind, collection] of Object.entries(collections) as [BulkKind, string][]) {
    const rest = path.slice(collection.length);
    if (path.slice(0, collection.length).toLowerCase() !== collection.toLowerCase()) continue;
    if (rest === "") return { kind, id: undefined };
    const id = rest.slice(1);
    if (rest.startsWith("/") && id !== "" && !id.includes("/")) return { kind, id };
  }
  return undefined;
}

/** The collections of the kinds that a version takes. */
export function placesOf(takes: (kind: BulkKind) => boolean): readonly string[] {
  return Object.entries(collections).flatMap(([kind, collection]) => (takes(kind as BulkKind) ? [collection] : []));
}
