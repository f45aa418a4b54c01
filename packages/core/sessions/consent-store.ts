/** What users have agreed to: the scopes that an application may have, until the user takes it back. */
import { keys } from "../table/keys.ts";
import { list, number, rowCodec, text } from "../table/row.ts";
import type { Step, Table } from "../table/table.ts";
import { putting } from "../tokens/unconditional.ts";

/** The consent of a user for an application. */
export interface Consent {
  readonly scopes: readonly string[];
  readonly givenMs: number;
}

const rows = rowCodec<Consent>("consent", { scopes: list(text), givenMs: number });

/** The consent of a user for an application. One round trip. */
export async function findConsent(table: Table, tenant: string, userId: string, applicationId: string) {
  const item = await table.get(keys.consent(tenant, userId, applicationId));
  return item && rows.read(item);
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
