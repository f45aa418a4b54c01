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
  const found = await table.get(keys.inboundKey(tenant, kind, value));
  return typeof found?.application === "string" ? found.application : undefined;
}
