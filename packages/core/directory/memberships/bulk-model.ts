/**
 * Bulk memberships: changes of more members than one transaction holds (decision 0066). A bulk is committed in the
 * transaction that writes it into the row of its group or role; then its parts are carried out, each in a transaction.
 */
import { newId } from "../../kernel/ids.ts";

/** Longer than any request: after this time, the request that began a bulk has ended. */
export const ABANDONED_MS = 40_000;

/** `clear`: the owner is deleted, and its members are removed. `removing`: some members lose their membership. */
const purposes = ["adding", "removing", "clear"] as const;

/** What a bulk does. */
type Purpose = (typeof purposes)[number];

/** One bulk, as its owner's row names it. */
export interface Bulk {
  readonly id: string;
  readonly purpose: Purpose;
  readonly sinceMs: number;
  readonly parts: number;
}

/** Groups and roles can have bulks. What a deleted user leaves is cleared as what they leave. */
const kinds = ["group", "role", "user"] as const;

/** What a bulk belongs to. */
export type OwnerKind = (typeof kinds)[number];

/** A bulk that was begun and is not known to be finished, as the tenant lists it. */
export interface OpenBulk {
  readonly kind: OwnerKind;
  readonly ownerId: string;
  readonly bulk: Bulk;
}

const BULK = /^(\d+)\.(\d+)\.([a-z]+)\.(.+)$/;

/** A bulk that begins now. */
export function newBulk(purpose: Purpose, sinceMs: number, parts: number): Bulk {
  return { id: newId(), purpose, sinceMs, parts };
}

/** Whether the request that began a bulk has ended. */
export function isAbandoned({ sinceMs }: Bulk, nowMs: number): boolean {
  return nowMs - sinceMs > ABANDONED_MS;
}

/** A bulk as a text. */
export function bulkText({ id, purpose, sinceMs, parts }: Bulk): string {
  return `${sinceMs}.${parts}.${purpose}.${id}`;
}

/** Reads what `bulkText` wrote; `undefined` for any other text. */
export function bulkOf(text: string): Bulk | undefined {
  const [, since, parts, word, id] = BULK.exec(text) ?? [];
  const purpose = purposes.find((one) => one === word);
  if (purpose === undefined || id === undefined) return undefined;
  return { id, purpose, sinceMs: Number(since), parts: Number(parts) };
}

/** An open bulk as a text. */
export function openText({ kind, ownerId, bulk }: OpenBulk): string {
  return `${kind}#${bulkText(bulk)}#${ownerId}`;
}

/** Reads what `openText` wrote; `undefined` for any other text. */
export function openOf(text: string): OpenBulk | undefined {
  const [word, second = "", ...rest] = text.split("#");
  const kind = kinds.find((one) => one === word);
  const bulk = bulkOf(second);
  if (!kind || !bulk) return undefined;
  return { kind, bulk, ownerId: rest.join("#") };
}
