/** Restores deleted applications (decision 0084). */

import { namedItems } from "../../database/table/named-items.ts";
import { whileStale } from "../../database/table/stale.ts";
import type { Table } from "../../database/table/table.ts";
import { type Aside, itemOf, takingBack } from "../../database/trash/aside-rows.ts";
import { applicationKind } from "./application-rows.ts";
import { checkRestoredScopes, checkScript } from "./authorization-rules.ts";
import { authorizationsFrom, returningAuthorizedApis } from "./authorization-store.ts";
import { clientItem } from "./client-store.ts";
import { notingChange, placedSteps } from "./index-store.ts";
import { checkNewName, nameTaken } from "./rules.ts";
import { claimingClient, furtherSteps, namedClientOf } from "./store.ts";

/** How an application is restored. */
export interface Again {
  readonly tenant: string;
  readonly aside: Aside;
  /** Another name than it had. */
  readonly name: string | undefined;
  /** The scopes of the caller. */
  readonly scopes: ReadonlySet<string>;
  readonly absent: () => Error;
}

/**
 * Restores a deleted application with its protocols, secrets and authorized APIs, and returns its name. Throws
 * `application.name_taken`, `client.taken` and the faults of other keys that are in use, `authorized_api.elevation`,
 * `auth.forbidden` for a script, what `checkNewName` throws, and the error of `absent` where it is restored already. At
 * most two round trips.
 */
export async function returnApplication(table: Table, { tenant, aside, name, scopes, absent }: Again): Promise<string> {
  const items = namedItems(table, applicationKind);
  const { value, version } = applicationKind.item.read(itemOf(aside, aside.item));
  if (name !== undefined) checkNewName(name, tenant);
  const application = { ...value, ...(name !== undefined && { name }) };
  const authorized = authorizationsFrom(aside);
  checkRestoredScopes(authorized?.apis ?? [], scopes);
  checkScript(undefined, application, scopes);
  const client = namedClientOf(application);
  const owner = { tenant, applicationId: application.id };
  const returned = { value: application, version: version + 1 };
  await whileStale(async (attempt) =>
    table.write(
      ...takingBack(tenant, aside, undefined, absent),
      ...items.returning(tenant, { value: application, version }, () =>
        nameTaken({ name: application.name, inbound: {} }, tenant),
      ),
      ...(authorized ? [returningAuthorizedApis(tenant, application.id, authorized)] : []),
      ...(client
        ? [
            claimingClient(
              tenant,
              application,
              clientItem(client.clientId, owner, client.client, authorized?.apis ?? []),
            ),
          ]
        : []),
      ...furtherSteps(tenant, undefined, application),
      ...(await placedSteps(table, tenant, { after: returned }, { attempt })),
      notingChange(tenant, returned),
    ),
  );
  return application.name;
}
