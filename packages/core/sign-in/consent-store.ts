/** What users have agreed to: the scopes that an application may have, until the user takes it back. */
import { keys } from "../table/keys.ts";
import { list, number, rowCodec, text, withDefault } from "../table/row.ts";
import type { Step, Table } from "../table/table.ts";
import { putting } from "../tokens/unconditional.ts";

/** The consent of a user for an application. */
export interface Consent {
  readonly scopes: readonly string[];
  /** Names of single claims that no scope gives. */
  readonly claims: readonly string[];
  readonly givenMs: number;
}

const rows = rowCodec<Consent>("consent", {
  scopes: list(text),
  claims: withDefault(list(text), []),
  givenMs: number,
});

/** The consent of a user for an application. One round trip. */
export async function findConsent(table: Table, tenant: string, userId: string, applicationId: string) {
  const item = await table.get(keys.consent(tenant, userId, applicationId));
  return item && rows.read(item);
}

/** Whether a user has agreed to scopes and single claims. */
export function covers(
  consent: Consent | undefined,
  scopes: readonly string[],
  claims: readonly string[] = [],
): boolean {
  if (!consent) return false;
  return (
    scopes.every((scope) => consent.scopes.includes(scope)) && claims.every((name) => consent.claims.includes(name))
  );
}

/** The step that stores a consent in place of an earlier one, whose scopes and claims it keeps. */
export function storingConsent(
  { tenant, userId, applicationId }: Readonly<Record<"tenant" | "userId" | "applicationId", string>>,
  before: Consent | undefined,
  { scopes, claims, givenMs }: Consent,
): Step {
  const all = {
    scopes: [...new Set([...(before?.scopes ?? []), ...scopes])],
    claims: [...new Set([...(before?.claims ?? []), ...claims])],
  };
  return putting({ ...keys.consent(tenant, userId, applicationId), ...rows.write({ ...all, givenMs }) });
}
