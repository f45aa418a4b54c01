/**
 * Finding applications by the rows that their names, client ids and issuers are keys of: the entries of names, the
 * client of a client id, the claim of an issuer.
 */
import { keys } from "../../database/table/keys.ts";
import { type NamedItems, newestFirst, newestOfEach } from "../../database/table/named-items.ts";
import { compareKeys, type Item, type Key, type Table } from "../../database/table/table.ts";
import { type ApplicationEntry, applicationKind } from "./application-rows.ts";
import type { Application } from "./model.ts";
import { type Listed, shownOf } from "./shown-store.ts";

/** A value that only one application of a tenant can have. */
export interface UniqueValue {
  readonly attribute: "name" | "clientId" | "issuer";
  readonly value: string;
}

/** Applications by what each of them has: one of the values, or a name with one of the prefixes. */
export interface Candidates {
  readonly values: readonly UniqueValue[];
  readonly prefixes: readonly string[];
}

const NAME_BYTES_MAX = 255;

/**
 * The candidates, each once, newest first; `undefined` where more than `most` names begin with a prefix. One round trip
 * for names, which reads their entries; one more for client ids and issuers, which reads their applications. A read
 * unit for each value, one for each 4 KB of an application that was read, and one for some 40 entries.
 */
export async function readCandidates(
  table: Table,
  items: NamedItems<Application, ApplicationEntry>,
  tenant: string,
  { values, prefixes }: Candidates,
  most?: number,
): Promise<readonly Listed[] | undefined> {
  const [owners, ...beginning] = await Promise.all([
    ownersOf(table, items, tenant, values),
    ...apart(prefixes).map((prefix) =>
      most === undefined ? items.entries(tenant, prefix) : items.fewEntries(tenant, prefix, most),
    ),
  ]);
  const ranges = beginning.filter((entries) => entries !== undefined);
  if (ranges.length < beginning.length) return undefined;
  const read = new Set(owners.applications.map(({ entry }) => entry.id));
  const entries = newestOfEach([...owners.entries, ...ranges.flat()]).filter(({ id }) => !read.has(id));
  return [...entries.map((entry) => ({ entry })), ...owners.applications].sort((a, b) => newestFirst(a.entry, b.entry));
}

/** The entries of names, and the applications of the other values. */
async function ownersOf(
  table: Table,
  items: NamedItems<Application, ApplicationEntry>,
  tenant: string,
  values: readonly UniqueValue[],
): Promise<{ readonly entries: readonly ApplicationEntry[]; readonly applications: readonly Listed[] }> {
  // A batch must not contain a key twice.
  const wanted = new Map(
    values.flatMap(({ attribute, value }) => {
      const key = rowOf(tenant, attribute, value);
      return key ? [[JSON.stringify([key.PK, key.SK]), { key, attribute }] as const] : [];
    }),
  );
  const places = [...wanted.values()];
  const rows = await readAll(
    table,
    places.map(({ key }) => key),
  );
  const found = rows.flatMap((row, at) => (row ? [{ row, isName: places[at]?.attribute === "name" }] : []));
  const ids = new Set(found.flatMap(({ row, isName }) => (isName ? [] : applicationOf(row, tenant))));
  const read = await items.findMany(tenant, [...ids]);
  return {
    entries: found.flatMap(({ row, isName }) => (isName ? [applicationKind.entry.read(row)] : [])),
    applications: read.flatMap((one) => (one ? [shownOf(one)] : [])),
  };
}

/** The prefixes of which none begins with another, without those that no name has. */
function apart(prefixes: readonly string[]): string[] {
  const inOrder = prefixes.filter(canBeginName).sort(compareKeys);
  return inOrder.filter((prefix, at) => !inOrder.slice(0, at).some((other) => prefix.startsWith(other)));
}

function canBeginName(text: string): boolean {
  return Buffer.byteLength(text, "utf8") <= NAME_BYTES_MAX;
}

/** The row whose key is the value; `undefined` for a text that cannot be a name, and so no key. */
function rowOf(tenant: string, attribute: UniqueValue["attribute"], value: string): Key | undefined {
  if (attribute === "clientId") return keys.client(value);
  if (attribute === "issuer") return keys.inboundKey(tenant, "SAML", value);
  return value !== "" && canBeginName(value) ? keys.applicationEntry(tenant, value) : undefined;
}

async function readAll(table: Table, places: readonly Key[]): Promise<readonly (Item | undefined)[]> {
  const [only, ...others] = places;
  if (!only) return [];
  return others.length === 0 ? [await table.get(only)] : table.getMany(places);
}

/** The application of a claim, if it is one of this tenant: client ids are claimed across all tenants. */
function applicationOf(claim: Item, tenant: string): string[] {
  return claim.tenant === tenant && typeof claim.application === "string" ? [claim.application] : [];
}
