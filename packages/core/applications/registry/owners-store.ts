/**
 * Finding applications by the rows that their unique values are the keys of: the entry of a name, the client of a
 * client id, the claim of an issuer.
 */
import { keys } from "../../table/keys.ts";
import { type NamedItems, newestFirst, newestOfEach } from "../../table/named-items.ts";
import type { Item, Key, Table } from "../../table/table.ts";
import { type ApplicationEntry, applicationKind } from "./application-rows.ts";
import type { Application } from "./model.ts";

/** A value that only one application of a tenant can have. */
export interface UniqueValue {
  readonly attribute: "name" | "clientId" | "issuer";
  readonly value: string;
}

/** An application of a list. */
export interface Listed {
  readonly entry: ApplicationEntry;
  /** Set where finding it has read the application, strongly consistent. */
  readonly application?: Application | undefined;
}

const NAME_BYTES_MAX = 255;

/** The applications that have one of the values, each once, newest first. See `ApplicationStore.owners`. */
export async function ownersOf(
  table: Table,
  items: NamedItems<Application, ApplicationEntry>,
  tenant: string,
  values: readonly UniqueValue[],
): Promise<readonly Listed[]> {
  // A batch must not contain a key twice.
  const wanted = new Map(
    values.flatMap(({ attribute, value }) => {
      const key = rowOf(tenant, attribute, value);
      return key ? [[JSON.stringify([key.PK, key.SK]), { key, attribute }] as const] : [];
    }),
  );
  if (wanted.size === 0) return [];
  const places = [...wanted.values()];
  const rows = await readAll(
    table,
    places.map(({ key }) => key),
  );
  const entries = newestOfEach(
    rows.flatMap((row, at) => (row && places[at]?.attribute === "name" ? [applicationKind.entry.read(row)] : [])),
  );
  const ids = new Set(
    rows.flatMap((row, at) => (row && places[at]?.attribute !== "name" ? applicationOf(row, tenant) : [])),
  );
  const read = await items.findMany(tenant, [...ids]);
  const applications = read.flatMap((one): Listed[] =>
    one ? [{ entry: applicationKind.entryOf(one.value, one.version), application: one.value }] : [],
  );
  return [...entries.filter(({ id }) => !ids.has(id)).map((entry) => ({ entry })), ...applications].sort((a, b) =>
    newestFirst(a.entry, b.entry),
  );
}

/** The row whose key is the value; `undefined` for a text that cannot be a name, and so no key. */
function rowOf(tenant: string, attribute: UniqueValue["attribute"], value: string): Key | undefined {
  if (attribute === "clientId") return keys.client(value);
  if (attribute === "issuer") return keys.inboundKey(tenant, "SAML", value);
  const bytes = Buffer.byteLength(value, "utf8");
  return bytes >= 1 && bytes <= NAME_BYTES_MAX ? keys.applicationEntry(tenant, value) : undefined;
}

async function readAll(table: Table, places: readonly Key[]): Promise<readonly (Item | undefined)[]> {
  const [only, ...others] = places;
  return only && others.length === 0 ? [await table.get(only)] : table.getMany(places);
}

/** The application of a claim, if it is one of this tenant: client ids are claimed across all tenants. */
function applicationOf(claim: Item, tenant: string): string[] {
  return claim.tenant === tenant && typeof claim.application === "string" ? [claim.application] : [];
}
