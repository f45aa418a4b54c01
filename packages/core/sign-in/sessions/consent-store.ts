/** What users have agreed to: the scopes that an application may have, until the user takes it back. */

import type { Application } from "../../applications/registry/model.ts";
import { keys } from "../../database/table/keys.ts";
import { list, number, optional, rowCodec, text } from "../../database/table/row.ts";
import { stale } from "../../database/table/stale.ts";
import { LAST, type Step, type Table } from "../../database/table/table.ts";
import { newId } from "../../kernel/ids.ts";
import { removing } from "../../tokens/unconditional.ts";

/** The consent of a user for an application. */
export interface Consent {
  /** The tenant of an application that the user is a guest of; absent for one of the user's tenant. */
  readonly tenant?: string | undefined;
  readonly scopes: readonly string[];
  /** Names of single claims that no scope gives. */
  readonly claims: readonly string[];
  readonly givenMs: number;
  /** Another one for each time that the user agrees: two may be in one millisecond. */
  readonly version: string;
}

const PAGE = 1_000;

const rows = rowCodec<Consent>("consent", {
  tenant: optional(text),
  scopes: list(text),
  claims: list(text),
  givenMs: number,
  version: text,
});

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

/** Whether the administrators of an application agree for its users: for those of their tenant (decision 0134). */
export function skipsConsent(
  { advancedConfigurations }: Pick<Application, "advancedConfigurations">,
  isGuest: boolean,
): boolean {
  return advancedConfigurations.skipLoginConsent === true && !isGuest;
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

/**
 * The step that stores a consent in place of an earlier one, whose scopes and claims it keeps. Another one that was
 * given, or taken back, since the earlier one was read makes it stale.
 */
export function storingConsent(
  { tenant, userId, applicationId }: Readonly<Record<"tenant" | "userId" | "applicationId", string>>,
  before: Consent | undefined,
  { tenant: ofApplication, scopes, claims, givenMs }: Omit<Consent, "version">,
): Step {
  const all = {
    scopes: [...new Set([...(before?.scopes ?? []), ...scopes])],
    claims: [...new Set([...(before?.claims ?? []), ...claims])],
  };
  const version = newId();
  const row = rows.write({ ...all, tenant: ofApplication, givenMs, version });
  return {
    put: { ...keys.consent(tenant, userId, applicationId), ...row },
    when: before ? { equal: { version: before.version } } : "absent",
    // The row of this very step shows that its response was lost.
    otherwise: (found) => (found?.version === version ? "applied" : stale()),
  };
}
