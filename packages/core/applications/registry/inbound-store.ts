/** Finds applications by the keys of their protocols. */
import { keys } from "../../database/table/keys.ts";
import type { Table } from "../../database/table/table.ts";
import type { KeyKind } from "../protocols/kinds.ts";

/** The id of the application of a tenant that has a key; `undefined` where none has it. One round trip. */
export async function findInbound(
  table: Table,
  tenant: string,
  kind: Exclude<KeyKind, "OIDC">,
  value: string,
): Promise<string | undefined> {
  const [found] = await findInbounds(table, tenant, kind, [value]);
  return found;
}

/** The ids of the applications that have some keys, in the order of the keys. One round trip. */
export async function findInbounds(
  table: Table,
  tenant: string,
  kind: Exclude<KeyKind, "OIDC">,
  values: readonly string[],
): Promise<readonly string[]> {
  const found = await table.getMany(values.map((value) => keys.inboundKey(tenant, kind, value)));
  return found.flatMap((item) => (typeof item?.application === "string" ? [item.application] : []));
}
