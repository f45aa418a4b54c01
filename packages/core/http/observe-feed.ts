/** The log of a function that follows the changes of the table: lines for what it could not do. */
import { Logger } from "@aws-lambda-powertools/logger";

/** Events that were not accepted, and come again. */
interface Refusal {
  readonly failed: number;
  readonly of: number;
  /** The names of errors. */
  readonly causes: readonly string[];
}

/** Reports what a batch could not do. */
export interface FeedReport {
  refused(refusal: Refusal): void;
  unreadable(record: { readonly tenant: string; readonly id: string }, damage: Error): void;
  /** The index of changes by actor is behind. */
  notIndexed(tenant: string, cause: Error): void;
}

/** The reporter of a container. */
export function newFeedReport(service: string): FeedReport {
  const logger = new Logger({ serviceName: service });
  return {
    refused: (refusal) => logger.error("events refused", { ...refusal }),
    notIndexed: (tenant, { name, message }) =>
      logger.warn("changes not indexed by actor", { tenant, cause: { name, message } }),
    unreadable: ({ tenant, id }, { name, message }) =>
      logger.error("change record cannot be read", { tenant, id, cause: { name, message } }),
  };
}
