/**
 * What is known of an address from the mails to it (decision 0188): one came back for good, or its reader took one for
 * spam. A mark belongs to a tenant and an address, of which the table has the digest alone.
 */
import { keys } from "../database/table/keys.ts";
import { number, rowCodec } from "../database/table/row.ts";
import type { Item, Step, Table } from "../database/table/table.ts";
import { addressDigest } from "./mail-link-store.ts";
import { putting } from "./unconditional.ts";

/** What the mail service says of a mail: its mailbox does not exist, or its reader complains. */
export type MarkKind = "bounced" | "complained";
/** `resumed`: mails go to the address again, whatever became of those before. */
const kinds = ["bounced", "complained", "resumed"] as const;

/** When the last mail was sent of which that is known; -1 where there is none. */
export type MailMarks = Readonly<Record<(typeof kinds)[number], number>>;

/** A mark that counts, and when the mail was sent that has caused it. */
export interface Mark {
  readonly kind: MarkKind;
  readonly sentMs: number;
}

/** Then one more mail is sent, which marks the address again if nothing has changed. */
const KEPT_MS = 365 * 24 * 60 * 60_000;

const rows = rowCodec<{ readonly sentMs: number; readonly expiresAtSeconds: number }>("mark of an address", {
  sentMs: number,
  expiresAtSeconds: number,
});

/** The marks of some addresses, in their order. One round trip. */
export async function mailMarks(table: Table, tenant: string, addresses: readonly string[]): Promise<MailMarks[]> {
  const keysOf = (address: string) => kinds.map((kind) => keys.mailMark(tenant, addressDigest(address), kind));
  const items = await table.getMany(addresses.flatMap(keysOf));
  return addresses.map((_, at) => {
    const [bounced, complained, resumed] = kinds.map((_kind, more) => {
      const item = items[at * kinds.length + more];
      return item ? rows.read(item).sentMs : -1;
    });
    return { bounced: bounced ?? -1, complained: complained ?? -1, resumed: resumed ?? -1 };
  });
}

/**
 * The mark that counts: of a mail that was sent after `sinceMs`, from when on the address is that of its user. That
 * there is no such mailbox is the stronger one.
 */
export function markOf({ bounced, complained, resumed }: MailMarks, sinceMs: number): Mark | undefined {
  const counts = (sentMs: number) => sentMs > Math.max(sinceMs, resumed);
  if (counts(bounced)) return { kind: "bounced", sentMs: bounced };
  return counts(complained) ? { kind: "complained", sentMs: complained } : undefined;
}

/** Marks an address. An event that comes twice, or after that of a later mail, changes nothing. One round trip. */
export async function markAddress(table: Table, tenant: string, address: string, { kind, sentMs }: Mark) {
  await table.putNewer(itemOf(tenant, address, kind, sentMs), "sentMs");
}

/** The step from which on mails go to an address again. */
export function resuming(tenant: string, address: string, nowMs: number): Step {
  return putting(itemOf(tenant, address, "resumed", nowMs));
}

function itemOf(tenant: string, address: string, kind: (typeof kinds)[number], sentMs: number): Item {
  const expiresAtSeconds = Math.ceil((sentMs + KEPT_MS) / 1_000);
  return { ...keys.mailMark(tenant, addressDigest(address), kind), ...rows.write({ sentMs, expiresAtSeconds }) };
}
