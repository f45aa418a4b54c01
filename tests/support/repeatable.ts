/** Helpers for the tests of repeatable requests. */
import type { Item } from "#core/database/table/table.ts";
import type { RunningService } from "#local/service.ts";
import { tableOf } from "./people.ts";
import { allItems } from "./protocols.ts";
import type { Answer } from "./world.ts";

const ROW = /^T#([^#]*)#IDEM#/;

/** The header with a key. */
export const key = (text: string): { readonly "idempotency-key": string } => ({ "idempotency-key": `"${text}"` });

/** The rows of repeatable requests: those with their states, or all of them. */
export const rowsOf = async (service: RunningService, { all = false } = {}): Promise<Item[]> =>
  (await allItems(service)).filter(({ PK, SK }) => ROW.test(PK) && (all || SK === "A"));

/** The table without what expires, as one text for each row. */
export const contentOf = async (service: RunningService): Promise<string[]> => {
  const asText = (_: string, value: unknown): unknown => {
    if (value instanceof Set) return [...value].sort();
    if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  return (await allItems(service)).map((item) => JSON.stringify(item, asText)).sort();
};

/** Changes attributes of the row of the only request that is `state`. */
export const changeRow = async (
  service: RunningService,
  state: "running" | "done",
  set: Readonly<Record<string, string | number>>,
): Promise<void> => {
  const rows = (await rowsOf(service)).filter((row) => row.state === state);
  const [row] = rows;
  if (!row || rows.length > 1) throw new Error(`${rows.length} requests are ${state}`);
  await tableOf(service).write({
    change: { PK: row.PK, SK: row.SK },
    set,
    when: "present",
    otherwise: () => new Error("the row is gone"),
  });
};

/** What two answers to one request have in common. */
export const sameIn = ({ status, headers, text }: Answer) => ({
  status,
  text,
  location: headers.get("location"),
  etag: headers.get("etag"),
  type: headers.get("content-type"),
});
