/**
 * Lookup rows: one for each value by which users are found, other than their names, written with the user. They are no
 * uniqueness guards: several users may have one value.
 */
import { foldName } from "../../platform/fold.ts";
import type { JsonObject, Resource } from "../../scim/schema/attribute.ts";
import { keys } from "../../table/keys.ts";
import type { Step, Table } from "../../table/table.ts";

/** An attribute by which users are found. */
export type LookupAttribute = "externalId" | "emails";

/** A value of such an attribute. */
export interface Lookup {
  readonly attribute: LookupAttribute;
  readonly value: string;
}

/** The most e-mail addresses of a user: each is two steps of a transaction when all are replaced. */
export const EMAILS_MAX = 15;

const IDS_PER_PAGE = 1_000;

/** The form in which values are compared: e-mail addresses in any case, external ids exactly. */
export function lookupValue({ attribute, value }: Lookup): string {
  return attribute === "emails" ? foldName(value) : value;
}

/** All values by which a profile is found, each once. */
export function lookupsOf(profile: Resource): readonly Lookup[] {
  const { externalId } = profile;
  const all: Lookup[] = [
    ...(typeof externalId === "string" ? [{ attribute: "externalId", value: externalId } as const] : []),
    ...emailsOf(profile).map((value) => ({ attribute: "emails", value }) as const),
  ];
  const distinct = all.map((lookup) => {
    const value = lookupValue(lookup);
    return [`${lookup.attribute} ${value}`, { ...lookup, value }] as const;
  });
  return [...new Map(distinct).values()];
}

function emailsOf({ emails }: Resource): readonly string[] {
  return Array.isArray(emails)
    ? emails.flatMap((email) => {
        const { value } = email as JsonObject;
        return typeof value === "string" ? [value] : [];
      })
    : [];
}

/** The steps between the lookup rows of two states of a user. */
export function lookupSteps(
  tenant: string,
  userId: string,
  before: Resource,
  after: Resource,
  otherwise: Step["otherwise"],
): Step[] {
  const [old, fresh] = [lookupsOf(before), lookupsOf(after)];
  const keyOf = ({ attribute, value }: Lookup) => keys.lookup(tenant, attribute, value, userId);
  const isIn = (list: readonly Lookup[]) => (one: Lookup) =>
    list.some(({ attribute, value }) => attribute === one.attribute && value === one.value);
  return [
    ...old.filter((one) => !isIn(fresh)(one)).map((one): Step => ({ remove: keyOf(one), when: "present", otherwise })),
    ...fresh
      .filter((one) => !isIn(old)(one))
      .map((one): Step => ({ put: { ...keyOf(one) }, when: "absent", otherwise })),
  ];
}

/** The ids of the users with a value; `most` + 1 where more than `most` have it. One round trip for each 1,000. */
export async function findByLookup(table: Table, tenant: string, lookup: Lookup, most: number): Promise<string[]> {
  const { PK } = keys.lookup(tenant, lookup.attribute, lookupValue(lookup), "-");
  return (await table.queryAll({ PK, limit: IDS_PER_PAGE }, most + 1)).map(({ SK }) => SK);
}
