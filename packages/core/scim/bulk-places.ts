/** Where the resources of a bulk request are, by the paths of its operations. Pure. */

export type BulkKind = "Users" | "Groups" | "Roles";

/** The collection of each kind, as messages show it. Its case does not matter in a request. */
const collections: Readonly<Record<BulkKind, string>> = { Users: "/Users", Groups: "/Groups", Roles: "/v2/Roles" };

/** What a path names: a collection, or a resource in it. */
interface Place {
  readonly kind: BulkKind;
  readonly id: string | undefined;
}

/** The place of a path; `undefined` for a path that is none. The id may be empty. */
export function placeIn(path: string): Place | undefined {
  for (const [kind, collection] of Object.entries(collections) as [BulkKind, string][]) {
    const rest = path.slice(collection.length);
    if (path.slice(0, collection.length).toLowerCase() !== collection.toLowerCase()) continue;
    if (rest === "") return { kind, id: undefined };
    const id = rest.slice(1);
    if (rest.startsWith("/") && !id.includes("/")) return { kind, id };
  }
  return undefined;
}

/** The collections of the kinds that a version takes. */
export function placesOf(takes: (kind: BulkKind) => boolean): readonly string[] {
  return Object.entries(collections).flatMap(([kind, collection]) => (takes(kind as BulkKind) ? [collection] : []));
}
