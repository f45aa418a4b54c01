/**
 * What users are found by beside their names: one item per value, written with the user (reference dynamodb.md section 7).
 * Not claims: several users may have one value.
 */

import { foldName } from "../../platform/fold.ts";
import type { JsonObject, Resource } from "../../scim/schema/attribute.ts";
import { keys } from "../../table/keys.ts";
import { LAST, type Step, type Table } from "../../table/table.ts";

/** An attribute that users are looked up by. */
export type LookupAttribute = "externalId" | "emails";

/** A value of one. */
export interface Lookup {
  readonly attribute: LookupAttribute;
  readonly value: string;
}

/** The most e-mail addresses of a user: each is two steps of a transaction when all are replaced. */
export const EMAILS_MAX = 15;

const IDS_PER_PAGE = 1_000;

/** The form in which values are compared: e-mail addresses in any case, external ids as they are. */
export function lookupValue({ attribute, value }: Lookup): string {
  return attribute === "emails" ? foldName(value) : value;
}

/** Everything that a profile is found by, each value once. */
export function lookupsOf(profile: Resource): readonly Lookup[] {
  const { externalId } = profile;
  const all: Lookup[] = [
    ...(typeof externalId === "string" ? [{ attribute: "externalId", value: externalId } as const] : []),
    ...emailsOf(profile).map((value) => ({ attribute: "emails", value }) as const),
  ];
  return [
    ...new Map(
      all.map((lookup) => {
        const value = lookupValue(lookup);
        return [`${lookup.attribute} ${value}`, { ...lookup, value }];
      }),
    ).values(),
  ];
}

function emailsOf({ emails }: Resource): readonly string[] {
  return Array.isArray(emails)
    ? emails.flatMap((email) => {
        const { value } = email as JsonObject;
        return typeof value === "string" ? [value] : [];
      })
    : [];
}

/** The steps between the lookup items of two states of a user. */
export function lookupSteps(
  tenant: string,
  userId: string,
  before: Resource,
  after: Resource,
  otherwise: Step["otherwise"],
): Step[] {
  const [old, wished] = [lookupsOf(before), lookupsOf(after)];
  const isIn = (list: readonly Lookup[]) => (one: Lookup) =>
    list.some(({ attribute, value }) => attribute === one.attribute && value === one.value);
  return [
    ...old
      .filter((one) => !isIn(wished)(one))
      .map((one): Step => ({ remove: keyOf(tenant, one, userId), when: "present", otherwise })),
    ...wished
      .filter((one) => !isIn(old)(one))
      .map((one): Step => ({ put: { ...keyOf(tenant, one, userId) }, when: "absent", otherwise })),
  ];
}

/** The ids of the users with a value; more than `most` are answered where there are more. One round trip to 1,000. */
export async function findByLookup(table: Table, tenant: string, lookup: Lookup, most: number): Promise<string[]> {
  const { PK } = keyOf(tenant, { ...lookup, value: lookupValue(lookup) }, "-");
  const ids: string[] = [];
  for (let from = ""; ids.length <= most; ) {
    const { items, next } = await table.query({
      PK,
      limit: IDS_PER_PAGE,
      to: LAST,
      ...(from && { after: { PK, SK: from } }),
    });
    ids.push(...items.map(({ SK }) => SK));
    if (!next) break;
    from = next.SK;
  }
  return ids;
}

function keyOf(tenant: string, { attribute, value }: Lookup, userId: string) {
  return keys.lookup(tenant, attribute, value, userId);
}
