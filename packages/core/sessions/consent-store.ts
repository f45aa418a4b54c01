/** What users have agreed to: the scopes that an application may have, until the user takes it back. */
import { keys } from "../table/keys.ts";
import { list, number, rowCodec, text } from "../table/row.ts";
import { LAST, type Step, type Table } from "../table/table.ts";
import { putting, removing } from "../tokens/unconditional.ts";

/** The consent of a user for an application. */
export interface Consent {
  readonly scopes: readonly string[];
  readonly givenMs: number;
}

const PAGE = 1_000;

const rows = rowCodec<Consent>("consent", { scopes: list(text), givenMs: number });

/** The consent of a user for an application. One round trip. */
export async function findConsent(table: Table, tenant: string, userId: string, applicationId: string) {
  const item = await table.get(keys.consent(tenant, userId, applicationId));
  return item && rows.read(item);
}

/** A consent in the list of its user. */
export interface ListedConsent extends Consent {
  readonly applicationId: string;
}

/** All consents of a user, in the order of the ids of their applications. One round trip. */
export async function consentsOf(table: Table, tenant: string, userId: string): Promise<ListedConsent[]> {
  const items = await table.queryAll({ PK: keys.consent(tenant, userId, "").PK, to: LAST, limit: PAGE });
  return items.map((item) => ({ applicationId: item.SK, ...rows.read(item) }));
}

/** The step that takes a consent back, if there is one. */
export function removingConsent(tenant: string, userId: string, applicationId: string): Step {
  return removing(keys.consent(tenant, userId, applicationId));
}

/** Whether a user has agreed to scopes. */
export function covers(consent: Consent | undefined, scopes: readonly string[]): boolean {
  return consent !== undefined && scopes.every((scope) => consent.scopes.includes(scope));
}

/** The step that stores a consent in place of an earlier one, whose scopes it keeps. */
export function storingConsent(
  { tenant, userId, applicationId }: Readonly<Record<"tenant" | "userId" | "applicationId", string>>,
  before: Consent | undefined,
  { scopes, givenMs }: Consent,
): Step {
  const all = [...new Set([...(before?.scopes ?? []), ...scopes])];
  return putting({ ...keys.consent(tenant, userId, applicationId), ...rows.write({ scopes: all, givenMs }) });
}
