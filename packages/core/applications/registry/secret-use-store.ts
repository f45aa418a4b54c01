/**
 * On which day the secrets of a client were last used: one small row for each client (decision 0079). It knows a secret
 * by a digest of its sealed text, which no other secret ever has, whatever ids the secret and the client have.
 */
import { createHash } from "node:crypto";
import { canBeId } from "../../platform/ids.ts";
import { keys } from "../../table/keys.ts";
import { json, optional, rowCodec } from "../../table/row.ts";
import type { Table } from "../../table/table.ts";
import type { UsableSecret } from "../protocols/client-secrets.ts";

/** The day of each secret's last use, by `useKeyOf` the secret. In days since 1970-01-01 (UTC). */
export type SecretUses = Readonly<Record<string, number>>;

/** The uses of the secrets of all clients. */
export interface SecretUseStore {
  /** What is stored of a client. It may miss the latest writes. One round trip at half the price. */
  find(clientId: string): Promise<SecretUses>;
  /** Replaces what was stored. Without effect where another request did so since. One round trip. */
  replace(clientId: string, before: SecretUses, after: SecretUses): Promise<void>;
}

const DAY_MS = 86_400_000;

const uses = json<SecretUses>(
  "a day for each secret",
  (parsed): parsed is SecretUses =>
    typeof parsed === "object" &&
    parsed !== null &&
    !Array.isArray(parsed) &&
    Object.values(parsed).every((day) => Number.isInteger(day)),
);
const rows = rowCodec<{ readonly uses: SecretUses | undefined }>("uses of secrets", { uses: optional(uses) });

/** Another request changed the row first. */
class Overtaken extends Error {}

/** The day of a time in milliseconds since 1970. */
export function dayOf(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS);
}

/** The start of a day, in seconds since 1970. */
export function startOfDay(day: number): number {
  return (day * DAY_MS) / 1_000;
}

/** By what a secret is known here. */
export function useKeyOf({ sealedSecret }: Pick<UsableSecret, "sealedSecret">): string {
  return createHash("sha256").update(sealedSecret, "utf8").digest("base64url").slice(0, 22);
}

/** Opens the store on the table of one request. */
export function secretUseStore(table: Table): SecretUseStore {
  return {
    async find(clientId) {
      // An impossible id is looked up too: it must take as long as a possible one.
      const item = await table.get(keys.clientUses(canBeId(clientId) ? clientId : ""), { consistent: false });
      return (item && rows.read(item).uses) ?? {};
    },
    async replace(clientId, before, after) {
      const stored = rows.write({ uses: before });
      const overtaken = () => new Overtaken();
      const isNew = Object.keys(before).length === 0;
      try {
        await table.write({
          put: { ...keys.clientUses(clientId), ...rows.write({ uses: after }) },
          when: isNew ? "absent" : { equal: { uses: stored.uses ?? "" } },
          otherwise: overtaken,
        });
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error;
      }
    },
  };
}
