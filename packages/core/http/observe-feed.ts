/** The log of a function that follows the changes of the table: lines for what it could not do. */
import { newLogger } from "./lines.ts";

/** Events that were not accepted, and come again. */
interface Refusal {
  readonly failed: number;
  readonly of: number;
  /** The names of errors. */
  readonly causes: readonly string[];
}

/** Reports what a batch could not do. */
export type FeedReport = ReturnType<typeof newFeedReport>;

/** The reporter of a container. */
export function newFeedReport(service: string) {
  const logger = newLogger(service);
  return {
    refused: (refusal: Refusal): void => logger.error("events refused", { ...refusal }),
    /** The index of changes by actor is behind. */
    notIndexed: (tenant: string, { name, message }: Error): void =>
      logger.warn("changes not indexed by actor", { tenant, cause: { name, message } }),
    unreadable: ({ tenant, id }: { readonly tenant: string; readonly id: string }, { name, message }: Error): void =>
      logger.error("change record cannot be read", { tenant, id, cause: { name, message } }),
  };
}
