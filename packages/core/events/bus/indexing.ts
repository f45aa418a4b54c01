/**
 * Keeps the index of changes by actor up to date (decision 0083): now and then, with the batches of the stream. Batches
 * come to many containers, so each decides by chance; an index that is behind costs readers, and loses nothing.
 */
import { indexActors } from "../../database/changes/actor-index.ts";
import type { OpenTable } from "../../database/table/dynamo.ts";
import { newMeter } from "../../database/table/meter.ts";
import type { FeedReport } from "../../http/observe-feed.ts";
import type { Clock } from "../../kernel/clock.ts";
import { newRecordsIn, type StreamEvent } from "./stream-rows.ts";

/** One attempt for about so many changes: a block has four times as many or more. */
const CHANGES_PER_ATTEMPT = 512;

/** What an indexer uses. */
export interface Indexer {
  readonly open: OpenTable;
  readonly recordDays: number;
  readonly report: Pick<FeedReport, "notIndexed">;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** Called with each batch of the stream. It never fails: the batch is done, and must not come again for the index. */
export function newIndexer({ open, recordDays, report, clock, random }: Indexer) {
  return async (batch: StreamEvent): Promise<void> => {
    const counts = Map.groupBy(newRecordsIn(batch), ({ tenant }) => tenant);
    for (const [tenant, { length }] of counts) {
      if (random() * CHANGES_PER_ATTEMPT >= length) continue;
      try {
        await indexActors(open(newMeter()), tenant, { nowMs: clock.now(), recordDays });
      } catch (error) {
        report.notIndexed(tenant, error instanceof Error ? error : new Error(String(error)));
      }
    }
  };
}
