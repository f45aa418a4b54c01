/**
 * What ends the tokens of guests besides what ends all tokens of their application: their own tenant, their account,
 * and that the application takes no guests any more (decision 0134). Nothing of this is remembered by a container.
 */

import { keys } from "../../database/table/keys.ts";
import { number, rowCodec, withDefault } from "../../database/table/row.ts";
import type { Table } from "../../database/table/table.ts";
import { tenantStore } from "../../directory/tenant-store.ts";
import { type AccessToken, permissionOf } from "../../tokens/model.ts";
import { isEndedBy, revocationStore, subjects } from "../../tokens/revocation-store.ts";

/** When a client last stopped taking guests, which is an attribute of its own row. */
const clientRows = rowCodec<{ readonly guestsFromMs: number }>("client", { guestsFromMs: withDefault(number, 0) });

/**
 * Whether the token of a guest of a tenant is still valid: the tenant is active, no change of the account, no consent
 * that was taken back and no end of its session has ended it, and its client has taken guests since it was issued. One
 * round trip.
 */
export async function isGuestWelcome(
  { clientId, user, sid, ...issued }: AccessToken,
  home: string,
  { table, nowMs }: { readonly table: Table; readonly nowMs: number },
): Promise<boolean> {
  if (!user) return false;
  // What its own tenant can end: all of the user, what it allows the client, and the session.
  const grants = [permissionOf(user.id, clientId), ...(sid === undefined ? [] : [sid])];
  const marks = [subjects.user(user.id), ...grants.map(subjects.grant)];
  const [tenant, client, fromMs] = await Promise.all([
    tenantStore(table).find(home),
    table.get(keys.client(clientId)),
    revocationStore(table).validFrom(home, marks),
  ]);
  if (!tenant?.active || !client) return false;
  const { guestsFromMs } = clientRows.read(client);
  return ![guestsFromMs, ...fromMs].some((ms) => isEndedBy(ms, issued, nowMs));
}
