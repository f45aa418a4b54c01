/** Restores deleted API resources (decision 0084). */

import { namedItems } from "../../database/table/named-items.ts";
import type { Step, Table } from "../../database/table/table.ts";
import { type Aside, itemOf, takingBack } from "../../database/trash/aside-rows.ts";
import { identifierTaken, newNamesOf, scopeTaken } from "./rules.ts";
import { scopeItem } from "./scope-store.ts";
import { apiResourceKind } from "./store.ts";

/** How an API resource is restored. */
interface Again {
  readonly tenant: string;
  readonly aside: Aside;
  /** Another identifier than it had. */
  readonly identifier: string | undefined;
  readonly absent: () => Error;
}

/**
 * Restores a deleted API resource with its scopes, and returns its identifier. Throws `api_resource.exists`,
 * `api_resource.scope_exists`, what `newNamesOf` throws, and the error of `absent` where it is restored already. One
 * round trip.
 */
export async function returnApiResource(table: Table, { tenant, aside, identifier, absent }: Again): Promise<string> {
  const { value, version } = apiResourceKind.item.read(itemOf(aside, aside.item));
  const api = { ...value, ...(identifier !== undefined && newNamesOf({ name: value.name, identifier }, tenant)) };
  const taken = () => identifierTaken(api.identifier, tenant);
  await table.write(
    ...takingBack(tenant, aside, undefined, absent),
    ...namedItems(table, apiResourceKind).returning(tenant, { value: api, version }, taken),
    ...api.scopes.map((scope): Step => {
      const otherwise = () => scopeTaken(scope.name, tenant);
      return { put: scopeItem(tenant, api.id, scope), when: "absent", otherwise };
    }),
  );
  return api.identifier;
}
