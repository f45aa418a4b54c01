/**
 * On which day the secrets of a client were last used: one small row for each client, with an attribute for each secret
 * (decision 0079). It knows a secret by a digest of its sealed text, which no other secret ever has, whatever ids the
 * secret and the client have.
 */
import { createHash } from "node:crypto";
import { keys } from "../../database/table/keys.ts";
import { DamagedRow, misfit, number } from "../../database/table/row.ts";
import type { Item, Table } from "../../database/table/table.ts";
import { canBeId } from "../../kernel/ids.ts";
import { putting } from "../../tokens/unconditional.ts";
import type { UsableSecret } from "../protocols/client-secrets.ts";

/** The day of each secret's last use, by `useKeyOf` the secret. In days since 1970-01-01 (UTC). */
export type SecretUses = ReadonlyMap<string, number>;

/** The uses of the secrets of all clients. */
export interface SecretUseStore {
  /** What is stored of a client. It may miss the latest writes. One round trip, at half the price. */
  find(clientId: string): Promise<SecretUses>;
  /** Stores the day of one secret, and leaves those of others as they are. One round trip, one write unit. */
  note(clientId: string, useKey: string, day: number): Promise<void>;
  /** Stores these days only. One round trip, one write unit. */
  replace(clientId: string, uses: SecretUses): Promise<void>;
}

const DAY_MS = 86_400_000;
/** Begins the attribute of a secret. */
const DAY_OF = "day_";

/** The day of a time in milliseconds since 1970. */
export function dayOf(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS);
}

/** The start of a day, in seconds since 1970. */
export function startOfDay(day: number): number {
  return (day * DAY_MS) / 1_000;
}

/** By what a secret is known here: letters and digits, because expressions name attributes by it. */
export function useKeyOf({ sealedSecret }: Pick<UsableSecret, "sealedSecret">): string {
  return createHash("sha256").update(sealedSecret, "utf8").digest("hex").slice(0, 24);
}

/** Opens the store on the table of one request. */
export function secretUseStore(table: Table): SecretUseStore {
  return {
    async find(clientId) {
      // An impossible id is looked up too: it must take as long as a possible one.
      const item = await table.get(keys.clientUses(canBeId(clientId) ? clientId : ""), { consistent: false });
      return new Map(item ? daysIn(item) : []);
    },
    async note(clientId, useKey, day) {
      await table.count(keys.clientUses(clientId), {}, { [`${DAY_OF}${useKey}`]: day });
    },
    async replace(clientId, uses) {
      const days = Object.fromEntries([...uses].map(([useKey, day]) => [`${DAY_OF}${useKey}`, day]));
      await table.write(putting({ ...keys.clientUses(clientId), ...days }));
    },
  };
}

/** Throws `DamagedRow`. */
function daysIn(item: Item): readonly (readonly [string, number])[] {
  return Object.entries(item).flatMap(([attribute, stored]) => {
    if (!attribute.startsWith(DAY_OF)) return [];
    const day = number.parse(stored);
    if (day === misfit) throw new DamagedRow("uses of secrets", item, { attribute, expects: number.expects });
    return [[attribute.slice(DAY_OF.length), day] as const];
  });
}
