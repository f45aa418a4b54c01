/**
 * How authorized APIs are kept: all of an application's in one item of its own partition. So they are read in one round trip,
 * change one after the other, and go with the application in one transaction. What an API or a scope is called is not kept here:
 * one that is gone is no longer shown. Where the application has a client, its id stands here too, and the client's item has a copy
 * (clients/store.ts).
 */

import { keys } from "../../table/keys.ts";
import { stale, whileStale } from "../../table/stale.ts";
import type { Item, Step, Table } from "../../table/table.ts";
import type { Authorization } from "./authorization-model.ts";
import { authorizingClient } from "./client-store.ts";
import type { Application } from "./model.ts";
import { notFound } from "./rules.ts";

/** What shall be, and the steps that hold in place what it was decided on. */
export interface AuthorizationChange {
  readonly after: readonly Authorization[];
  readonly holding: readonly Step[];
  /** The names of scopes that were authorized before and are no more: tokens that hold one end. */
  readonly lostScopes?: readonly string[];
}

/** The authorized APIs of all applications. */
export interface AuthorizedApiStore {
  /** Those of one application, in the order in which they were authorized. One round trip. */
  of(tenant: string, applicationId: string): Promise<readonly Authorization[]>;
  /**
   * Changes them: `change` is given what is there and answers what shall be (nothing is written for `undefined`), and is called
   * again when another writer was faster. Throws `application.not_found` and what `change` throws. Two round trips beside what
   * `change` needs.
   */
  update(
    tenant: string,
    applicationId: string,
    change: (before: readonly Authorization[]) => Promise<AuthorizationChange | undefined>,
  ): Promise<void>;
}

/** The authorizations in their item, if there is one. */
export function toAuthorizations(item: Item | undefined): readonly Authorization[] {
  return (item?.apis as unknown as readonly Authorization[] | undefined) ?? [];
}

/** The step that takes the authorizations away with their application, given their item as it was read, if it was there. */
export function removingAuthorizedApis(tenant: string, applicationId: string, found: Item | undefined): Step {
  const key = keys.authorizedApis(tenant, applicationId);
  return { ...(found ? { remove: key } : { check: key }), when: unchanged(found), otherwise: stale };
}

/**
 * The step that notes which client an application has, given the item of its authorizations as it was read. While there is
 * none, nothing is noted: whoever makes it looks at the application.
 */
export function linkingClient(
  tenant: string,
  applicationId: string,
  found: Item | undefined,
  clientId: string | undefined,
): Step {
  const key = keys.authorizedApis(tenant, applicationId);
  if (!found) return { check: key, when: "absent", otherwise: stale };
  return {
    put: { ...key, ver: (found.ver as number) + 1, apis: found.apis, clientId },
    when: unchanged(found),
    otherwise: stale,
  };
}

/** Opens the store on the table of one request. */
export function authorizedApiStore(table: Table): AuthorizedApiStore {
  return {
    of: async (tenant, applicationId) => toAuthorizations(await table.get(keys.authorizedApis(tenant, applicationId))),

    update: (tenant, applicationId, change) =>
      whileStale(async () => {
        const key = keys.authorizedApis(tenant, applicationId);
        const found = await table.get(key);
        const [changed, application] = await Promise.all([
          change(toAuthorizations(found)),
          // Asked once: from then on the client stands in the item itself.
          found ? undefined : table.get(keys.application(tenant, applicationId)),
        ]);
        if (!changed) return;
        const { after, holding, lostScopes = [] } = changed;
        const clientId = found ? (found.clientId as string | undefined) : clientIdOf(application);
        await table.write(
          {
            check: keys.application(tenant, applicationId),
            when: application ? { equal: { ver: application.ver as number } } : "present",
            otherwise: (now) => (now ? stale() : notFound(applicationId, tenant)),
          },
          ...holding,
          ...(clientId === undefined ? [] : authorizingClient(clientId, { tenant, applicationId }, after, lostScopes)),
          {
            // Kept when it is empty too: its version tells whoever read an older one.
            put: {
              ...key,
              ver: ((found?.ver as number | undefined) ?? 0) + 1,
              apis: after as unknown as Item["apis"],
              clientId,
            },
            when: unchanged(found),
            otherwise: stale,
          },
        );
      }),
  };
}

/** The client id in the item of an application. */
function clientIdOf(application: Item | undefined): string | undefined {
  return (application?.application as unknown as Application | undefined)?.inbound.oidc?.clientId;
}

/** The condition that an item which was read is still the same, or still absent. */
function unchanged(found: Item | undefined): Step["when"] {
  return found ? { equal: { ver: found.ver as number } } : "absent";
}
