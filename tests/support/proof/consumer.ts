/**
 * A consumer of the feed that crashes at random: it continues from the cursor that it kept, and sees again what it had
 * seen since.
 */
import { setTimeout as pause } from "node:timers/promises";
import { SETTLED_MS } from "#core/database/changes/feed.ts";
import type { ChangeRecord } from "#core/database/changes/model.ts";
import { seeded } from "../hostile-database.ts";
import type { Ask } from "../world.ts";
import type { Sender } from "./pool.ts";

/** A record, as the feed shows it: what is used of it. */
interface ShownRecord {
  readonly id: string;
  readonly resource: { readonly type: string; readonly id: string; readonly applicationId?: string };
}

/** A running consumer of one tenant. */
export interface Consumer {
  /**
   * Reads until it has seen every record, now that nothing is written any more: of a busy tenant, the feed holds back
   * some of the latest. Returns the problems with what it saw, at the latest when all records are old enough.
   */
  finish(records: readonly ChangeRecord[]): Promise<readonly string[]>;
}

const LIMIT = 37;
const IDLE_MS = 40;
/** After this, the feed holds back no record that was there before. */
const WAIT_MS = SETTLED_MS + 10_000;
const CRASHES = 0.2;
const SENTENCES_MOST = 5;

/** The history that a record belongs to: a protocol changes with its application. */
const historyOf = ({ type, id, applicationId }: ShownRecord["resource"]): string =>
  type === "inbound-protocol" ? `application ${applicationId}` : `${type} ${id}`;

/** Starts to read the feed of a tenant. */
export const startConsumer = (
  send: Sender,
  {
    tenant,
    prefix,
    as,
    seed,
  }: { readonly tenant: string; readonly prefix: string; readonly as: Ask["as"]; readonly seed: number },
): Consumer => {
  const random = seeded(seed);
  /** The ids in the order in which each was seen first, and of the last one of each history. */
  const seen = new Map<string, string>();
  const order: string[] = [];
  let [isOn, kept] = [true, ""];

  /** Reads one page. False where there was nothing new, or no answer. */
  const step = async (cursor: string): Promise<{ readonly next: string; readonly isNew: boolean } | undefined> => {
    const query = new URLSearchParams({ limit: String(LIMIT), ...(cursor && { after: cursor }) });
    const ask = as === undefined ? {} : { as };
    const { status, body, text } = await send("GET", `${prefix}/api/server/v1/changes?${query}`, ask);
    if (status === 0 || status >= 500) return undefined;
    if (status !== 200) throw new Error(`the feed of ${tenant} returned ${status}: ${text}`);
    for (const { id, resource } of body.records as readonly ShownRecord[]) {
      if (seen.has(id)) continue;
      const history = historyOf(resource);
      seen.set(id, history);
      order.push(id);
    }
    return { next: body.next, isNew: body.records.length > 0 };
  };
  const work = async (): Promise<void> => {
    let cursor = kept;
    while (isOn) {
      const page = await step(cursor);
      if (page) cursor = page.next;
      // A crash forgets what was read since the cursor was kept.
      if (random() < CRASHES) cursor = kept;
      else kept = cursor;
      if (!page?.isNew) await pause(IDLE_MS);
    }
  };
  const working = work();
  return {
    async finish(records) {
      isOn = false;
      await working;
      const own = records.filter((record) => record.tenant === tenant);
      let end = performance.now() + WAIT_MS;
      while (performance.now() < end) {
        const page = await step(kept);
        if (page) kept = page.next;
        if (page?.isNew) {
          // A busy machine has many pages left: only a feed that shows nothing new has missed something.
          end = performance.now() + WAIT_MS;
          continue;
        }
        if (own.every(({ id }) => seen.has(id))) break;
        await pause(IDLE_MS);
      }
      const missed = own
        .filter(({ id }) => !seen.has(id))
        .map(({ id, operation }) => `record ${id} of ${operation} is missing`);
      const unknown = order
        .filter((id) => !own.some((one) => one.id === id))
        .map((id) => `record ${id} does not exist`);
      const last = new Map<string, string>();
      const early = order.flatMap((id) => {
        const history = seen.get(id) ?? "";
        const before = last.get(history);
        last.set(history, id);
        return before !== undefined && before > id ? [`${history}: record ${id} came after ${before}`] : [];
      });
      return [...missed, ...unknown, ...early]
        .slice(0, SENTENCES_MOST)
        .map((sentence) => `the feed of ${tenant}: ${sentence}`);
    },
  };
};
