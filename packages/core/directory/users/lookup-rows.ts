/**
 * Lookup rows: one for each value by which users are found, other than their names, written with the user. They are no
 * uniqueness guards: several users may have one value. Those of addresses also say who signs in by them: rows of
 * addresses that do not count come after all others of their value (decision 0186). Addresses of users of directories
 * have none: a directory changes them without notice, and is asked itself (decision 0198).
 */

import { keys } from "../../database/table/keys.ts";
import { rowCodec, text } from "../../database/table/row.ts";
import type { Item, Step, Table } from "../../database/table/table.ts";
import { splitStore } from "../../kernel/domain/username.ts";
import { foldName } from "../../kernel/fold.ts";
import type { JsonObject, Resource } from "../../scim/protocol/schema/attribute.ts";
import { type Lookup, phoneForm } from "./identifiers.ts";
import { qualifiedName, type User } from "./model.ts";
import type { StoreName } from "./writing.ts";

/** The user whom an address identifies. */
export interface Holder {
  readonly id: string;
  /** The name when the address was written: the user may have another one since. */
  readonly named: StoreName;
}

/** What the rows of a user depend on. */
type Found = Pick<User, "profile" | "unproven" | "userName" | "userStore" | "isRecord">;

/** The most e-mail addresses of a user: each is two steps of a transaction when all are replaced. */
export const EMAILS_MAX = 15;
/** By how many telephone numbers of a user the user is found: the first ones. */
const PHONES_FOUND = 5;

const IDS_PER_PAGE = 1_000;

/** Begins the sort keys of addresses that do not count; ids begin with a digit or a letter. */
const UNPROVEN = "~";
const LAST_PROVEN = "}";

const nameRow = rowCodec<{ readonly name: string }>("address of a user", { name: text });

/** The form in which values are compared: e-mail addresses in any case, external ids exactly. */
export function lookupValue({ attribute, value }: Lookup): string {
  return attribute === "emails" ? foldName(value) : value;
}

/** A text for a value, and for no other. */
export function lookupText({ attribute, value }: Lookup): string {
  return `${attribute} ${value}`;
}

/** All values by which a profile is found, each once. */
export function lookupsOf(profile: Resource): readonly Lookup[] {
  const { externalId, emails, phoneNumbers } = profile;
  const phones = valuesIn(phoneNumbers).flatMap((value) => phoneForm(value) ?? []);
  const all: Lookup[] = [
    ...(typeof externalId === "string" ? [{ attribute: "externalId", value: externalId } as const] : []),
    ...valuesIn(emails).map((value) => ({ attribute: "emails", value }) as const),
    ...phones.slice(0, PHONES_FOUND).map((value) => ({ attribute: "phoneNumbers", value }) as const),
  ];
  const distinct = all.map((lookup) => {
    const one = { ...lookup, value: lookupValue(lookup) };
    return [lookupText(one), one] as const;
  });
  return [...new Map(distinct).values()];
}

function valuesIn(elements: Resource[string] | undefined): readonly string[] {
  return Array.isArray(elements)
    ? elements.flatMap((element) => {
        const { value } = element as JsonObject;
        return typeof value === "string" ? [value] : [];
      })
    : [];
}

/** The steps between the lookup rows of two states of a user, of which one is missing for a new or a removed one. */
export function lookupSteps(
  tenant: string,
  userId: string,
  { before, after }: { readonly before?: Found; readonly after?: Found },
  otherwise: Step["otherwise"],
): Step[] {
  const [old, fresh] = [rowsOf(tenant, userId, before), rowsOf(tenant, userId, after)];
  const isIn = (list: readonly Item[]) => (one: Item) => list.some(({ PK, SK }) => PK === one.PK && SK === one.SK);
  return [
    ...old
      .filter((one) => !isIn(fresh)(one))
      .map(({ PK, SK }): Step => ({ remove: { PK, SK }, when: "present", otherwise })),
    ...fresh.filter((one) => !isIn(old)(one)).map((put): Step => ({ put, when: "absent", otherwise })),
  ];
}

function rowsOf(tenant: string, userId: string, user: Found | undefined): readonly Item[] {
  if (!user) return [];
  const unproven = new Set(user.unproven);
  const found = lookupsOf(user.profile).filter(({ attribute }) => !user.isRecord || attribute === "externalId");
  return found.map((one) => {
    const mark = unproven.has(lookupText(one)) ? UNPROVEN : "";
    const key = keys.lookup(tenant, one.attribute, one.value, `${mark}${userId}`);
    return one.attribute === "externalId" ? { ...key } : { ...key, ...nameRow.write({ name: qualifiedName(user) }) };
  });
}

/** The ids of the users with a value; `most` + 1 where more than `most` have it. One round trip for each 1,000. */
export async function findByLookup(table: Table, tenant: string, lookup: Lookup, most: number): Promise<string[]> {
  const { PK } = keys.lookup(tenant, lookup.attribute, lookupValue(lookup), "-");
  const rows = await table.queryAll({ PK, limit: IDS_PER_PAGE }, most + 1);
  return rows.map(({ SK }) => (SK.startsWith(UNPROVEN) ? SK.slice(UNPROVEN.length) : SK));
}

/** The users with an address that counts: two where several have it. One round trip. */
export async function findHolders(table: Table, tenant: string, lookup: Lookup): Promise<readonly Holder[]> {
  const { PK } = keys.lookup(tenant, lookup.attribute, lookupValue(lookup), "-");
  const { items } = await table.query({ PK, to: LAST_PROVEN, limit: 2 });
  return items.map((item) => ({ id: item.SK, named: splitStore(nameRow.read(item).name) }));
}

/** Whether a user has an address that counts. */
export function isIdentifiedBy(
  { profile, unproven = [] }: Pick<User, "profile" | "unproven">,
  lookup: Lookup,
): boolean {
  const one = lookupText({ ...lookup, value: lookupValue(lookup) });
  return !unproven.includes(one) && lookupsOf(profile).some((each) => lookupText(each) === one);
}
