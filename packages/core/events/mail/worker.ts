/** The function that sends mails: what calls it, and for how long it works. */
import type { OpenTable } from "../../database/table/dynamo.ts";
import { newMeter } from "../../database/table/meter.ts";
import type { Table } from "../../database/table/table.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Noted } from "../../kernel/noted.ts";
import type { WorkerEvent } from "../delivery/worker.ts";
import type { MailDeps } from "./deps.ts";
import { mailDue } from "./work.ts";

/** What the function is made of. */
export interface MailWorkerParts {
  readonly open: OpenTable;
  /** Absent where the deployment sends no mail: then nothing is read. */
  readonly depsOf: ((table: Table, untilMs: number) => MailDeps) | undefined;
  /** The domains of all tenants, for a call that serves all. */
  readonly tenantsOf: (table: Table) => Promise<readonly string[]>;
  readonly defect: (cause: unknown) => void;
  readonly clock: Clock;
}

/** No attempt begins after this time: the function has 60 seconds. */
const RUN_MS = 35_000;

/**
 * Builds the function. The schedule calls it with nothing: it serves the tenants that the delivery has noted, and those
 * of which mails wait for another attempt. The local service calls it with `{ all: true }`.
 */
export function newMailWorker({ open, depsOf, tenantsOf, defect, clock }: MailWorkerParts) {
  return async ({ all }: Pick<WorkerEvent, "all">): Promise<void> => {
    if (!depsOf) return;
    const table = open(newMeter());
    try {
      await mailDue(depsOf(table, clock.now() + RUN_MS), all ? await tenantsOf(table) : undefined);
    } catch (error) {
      defect(error instanceof Noted ? error.cause : error);
      if (!(error instanceof Noted)) throw error;
    }
  };
}
