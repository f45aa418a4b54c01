/**
 * How authorized APIs are stored: all of an application in one row of the application's partition. One round trip reads
 * them, changes follow each other, and they are deleted with the application in one transaction. Names of APIs and
 * scopes are not stored here: a deleted API or scope is no longer shown. The row also names the OAuth client of the
 * application; the client's row has a copy of the authorizations (client-store.ts).
 */

import { keys } from "../../database/table/keys.ts";
import { version } from "../../database/table/named-items.ts";
import { optional, rowCodec, text } from "../../database/table/row.ts";
import { stale, whileStale } from "../../database/table/stale.ts";
import type { Step, Table } from "../../database/table/table.ts";
import { type Aside, type Attributes, itemOf } from "../../database/trash/aside-rows.ts";
import { applicationKind } from "./application-rows.ts";
import type { Authorization } from "./authorization-model.ts";
import { authorizations, authorizingClient } from "./client-store.ts";
import { notFound } from "./rules.ts";

/** The new authorizations, and the steps that check what they were derived from. */
export interface AuthorizationChange {
  readonly after: readonly Authorization[];
  readonly holding: readonly Step[];
  /** Names of scopes that are no longer authorized: tokens with one of them are revoked. */
  readonly lostScopes?: readonly string[];
}

/** The authorized APIs of all applications. */
export type AuthorizedApiStore = ReturnType<typeof authorizedApiStore>;

/** The row as it was read. */
export interface AuthorizationRow {
  readonly version: number;
  readonly apis: readonly Authorization[];
  readonly clientId: string | undefined;
}

const codec = rowCodec<AuthorizationRow>("authorized APIs", {
  version,
  apis: authorizations,
  clientId: optional(text),
});

/** Opens the store on the table of one request. */
export function authorizedApiStore(table: Table) {
  return {
    /** In the order in which they were authorized. One round trip. */
    of: async (tenant: string, applicationId: string): Promise<readonly Authorization[]> =>
      (await readAuthorizations(table, tenant, applicationId))?.apis ?? [],

    /**
     * Optimistic locking: `change` derives the new authorizations from the current ones and is called again after each
     * conflict; `undefined` writes nothing. Throws `application.not_found` and what `change` throws. Two round trips
     * besides those of `change`.
     */
    update: (
      tenant: string,
      applicationId: string,
      change: (before: readonly Authorization[]) => Promise<AuthorizationChange | undefined>,
    ): Promise<void> =>
      whileStale(async () => {
        const found = await readAuthorizations(table, tenant, applicationId);
        const key = keys.application(tenant, applicationId);
        const [changed, item] = await Promise.all([
          change(found?.apis ?? []),
          // Only the first authorization reads the application: from then on this row names the client.
          found ? undefined : table.get(key),
        ]);
        if (!changed) return;
        const application = item && applicationKind.item.read(item);
        const { after, holding, lostScopes = [] } = changed;
        const clientId = found ? found.clientId : application?.value.inbound.oidc?.clientId;
        await table.write(
          {
            check: key,
            when: application ? { equal: { ver: application.version } } : "present",
            otherwise: (now) => (now ? stale() : notFound(applicationId, tenant)),
          },
          ...holding,
          ...(clientId === undefined ? [] : authorizingClient(clientId, { tenant, applicationId }, after, lostScopes)),
          // Stored even when it is empty: a writer that read an older version must see the change.
          putting(tenant, applicationId, found, { apis: after, clientId }),
        );
      }),
  };
}

/** One round trip. */
export async function readAuthorizations(
  table: Table,
  tenant: string,
  applicationId: string,
): Promise<AuthorizationRow | undefined> {
  const item = await table.get(keys.authorizedApis(tenant, applicationId));
  return item && codec.read(item);
}

/** The step that removes the authorizations with their application, given the row as it was read. */
export function removingAuthorizedApis(
  tenant: string,
  applicationId: string,
  found: AuthorizationRow | undefined,
): Step {
  const key = keys.authorizedApis(tenant, applicationId);
  return { ...(found ? { remove: key } : { check: key }), when: unchanged(found), otherwise: stale };
}

/** The authorizations of an application that is deleted, to be put aside. */
export function authorizationsAside(found: AuthorizationRow | undefined): Attributes | undefined {
  return found && codec.write(found);
}

/** Reads what `authorizationsAside` returned. */
export function authorizationsFrom(aside: Aside): AuthorizationRow | undefined {
  return aside.apis && codec.read(itemOf(aside, aside.apis));
}

/** The step that writes the authorizations of a restored application. */
export function returningAuthorizedApis(tenant: string, applicationId: string, before: AuthorizationRow): Step {
  const row = {
    ...keys.authorizedApis(tenant, applicationId),
    ...codec.write({ ...before, version: before.version + 1 }),
  };
  return { put: row, when: "absent", otherwise: stale };
}

/** The step that holds the authorizations of an application as they were read. */
export function holdingAuthorizedApis(
  tenant: string,
  applicationId: string,
  found: AuthorizationRow | undefined,
): Step {
  return { check: keys.authorizedApis(tenant, applicationId), when: unchanged(found), otherwise: stale };
}

/**
 * The step that notes the client of an application, given the row as it was read. Without a row nothing is noted: the
 * first authorization reads the application.
 */
export function linkingClient(
  tenant: string,
  applicationId: string,
  found: AuthorizationRow | undefined,
  clientId: string | undefined,
): Step {
  if (!found) return { check: keys.authorizedApis(tenant, applicationId), when: "absent", otherwise: stale };
  return putting(tenant, applicationId, found, { apis: found.apis, clientId });
}

function putting(
  tenant: string,
  applicationId: string,
  found: AuthorizationRow | undefined,
  after: Omit<AuthorizationRow, "version">,
): Step {
  return {
    put: {
      ...keys.authorizedApis(tenant, applicationId),
      ...codec.write({ ...after, version: (found?.version ?? 0) + 1 }),
    },
    when: unchanged(found),
    otherwise: stale,
  };
}

/** The row is as it was read, or still absent. */
function unchanged(found: AuthorizationRow | undefined): Step["when"] {
  return found ? { equal: { ver: found.version } } : "absent";
}
