/** The function that sends mails: what calls it, and for how long it works. */
import type { OpenTable } from "../../database/table/dynamo.ts";
import { newMeter } from "../../database/table/meter.ts";
import type { Table } from "../../database/table/table.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Noted } from "../../kernel/noted.ts";
import type { WorkerEvent } from "../delivery/worker.ts";
import { markTold, toldBy } from "./bounces.ts";
import type { MailDeps } from "./deps.ts";
import { mailDue } from "./work.ts";

/** A call of the function. `source`: of an event of EventBridge. */
export interface Called extends Pick<WorkerEvent, "all"> {
  readonly source?: unknown;
}

/** What the function is made of. */
export interface MailWorkerParts {
  readonly open: OpenTable;
  /** Absent where the deployment sends no mail: then nothing is read. */
  readonly depsOf: ((table: Table, untilMs: number) => MailDeps) | undefined;
  /** The configuration set of Amazon SES by which mails leave; its events name it. */
  readonly configurationSet: string | undefined;
  /** The domains of all tenants, for a call that serves all. */
  readonly tenantsOf: (table: Table) => Promise<readonly string[]>;
  readonly defect: (cause: unknown) => void;
  readonly clock: Clock;
}

/** No attempt begins after this time: the function has 60 seconds. */
const RUN_MS = 35_000;

/**
 * Builds the function. The schedule calls it with nothing: it serves the tenants that the delivery has noted, and those
 * of which mails wait for another attempt. The local service calls it with `{ all: true }`, and EventBridge with an
 * event of Amazon SES.
 */
export function newMailWorker({ open, depsOf, configurationSet, tenantsOf, defect, clock }: MailWorkerParts) {
  return async (event: Called): Promise<void> => {
    if (!depsOf) return;
    const table = open(newMeter());
    const deps = depsOf(table, clock.now() + RUN_MS);
    try {
      if (event.source === undefined) return await mailDue(deps, event.all ? await tenantsOf(table) : undefined);
      const told = toldBy(event, configurationSet);
      if (told) await markTold(told, deps);
    } catch (error) {
      defect(error instanceof Noted ? error.cause : error);
      if (!(error instanceof Noted)) throw error;
    }
  };
}
