/**
 * The functions of an account over partitions with a limit, in virtual time. A request takes an environment of the
 * authorizer, then one of its function; the environments of all tenants together are limited, as those of an account
 * are. The table is the service's own, with its deadlines and its budget; only DynamoDB's side is a model.
 */

import { type OpenTable, openTable, type TableConfig } from "#core/database/table/dynamo.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Key, Table } from "#core/database/table/table.ts";
import { Fault } from "#core/kernel/faults.ts";
import { type PartitionLimits, partitionedDatabase } from "./partitioned-database.ts";
import { type VirtualTime, virtualTime } from "./virtual-time.ts";

/** Tenants that call alike. */
export interface Callers {
  readonly tenants: readonly string[];
  /** Requests a second of each tenant. */
  readonly perSecond: number;
}

/** What became of the requests of one tenant. */
export interface Served {
  requests: number;
  /** Answered with success within `timeMs`. */
  inTime: number;
  /** Answered with 503, and refused by Lambda for lack of an environment. */
  unavailable: number;
  refused: number;
  /** Milliseconds for which they held environments. */
  heldMs: number;
}

/** How the account and the requests are. */
export interface FleetOptions {
  readonly throttling: NonNullable<TableConfig["throttling"]>;
  /** Environments of all functions together. */
  readonly environments: number;
  /** Writes a second of the partition with the records of a tenant. */
  readonly limits: PartitionLimits;
  readonly seconds: number;
  /** The longest that a request may take. */
  readonly timeMs: number;
  /** Decides how long repeats wait. */
  readonly seed: number;
}

const NEVER = () => new Error("not absent");
const mainOf = (PK: string) => ({ PK, SK: "A" }) satisfies Key;

/** Runs all callers side by side. */
export async function runFleet(callers: readonly Callers[], options: FleetOptions): Promise<Map<string, Served>> {
  const time = virtualTime(options.seed);
  const database = partitionedDatabase(time, options.limits);
  const served = new Map<string, Served>();
  const lambda = newAccount(time, options.environments);
  const opener = (deadlineMs: number, requestDeadlineMs: number) => (): OpenTable =>
    openTable({
      tableName: "model",
      deadlineMs,
      requestDeadlineMs,
      throttling: options.throttling,
      openClient: () => database.client,
    });
  // The limits of functions/authorizer.ts and of the other functions.
  const authorizer = lambda.pool(opener(5_000, 6_500));
  const endpoint = lambda.pool(opener(9_000, 25_000));
  let made = 0;

  const request = async (tenant: string, of: Served): Promise<void> => {
    const fromMs = time.now();
    of.requests += 1;
    made += 1;
    const id = `${made}`;
    try {
      const authorizerMs = await authorizer(async (table) => {
        await table.getMany([mainOf(`T#${tenant}#TENANT`), mainOf(`T#${tenant}#U#${id}`)]);
      });
      of.heldMs += authorizerMs;
      const endpointMs = await endpoint(async (table) => {
        await table.get(mainOf(`T#${tenant}#U#${id}`));
        await table.write(
          { put: mainOf(`T#${tenant}#U#${id}`), when: "absent", otherwise: NEVER },
          { put: { PK: `T#${tenant}#LOG#0`, SK: id }, when: "absent", otherwise: NEVER },
        );
      });
      of.heldMs += endpointMs;
      if (time.now() - fromMs <= options.timeMs) of.inTime += 1;
    } catch (error) {
      if (error instanceof Refused) of.refused += 1;
      else if (error instanceof Held && error.cause instanceof Fault) {
        of.unavailable += 1;
        of.heldMs += error.heldMs;
      } else throw error;
    }
  };

  await time.run(async () => {
    const all: Promise<void>[] = [];
    for (const { tenants, perSecond } of callers) {
      for (const [at, tenant] of tenants.entries()) {
        const of: Served = { requests: 0, inTime: 0, unavailable: 0, refused: 0, heldMs: 0 };
        served.set(tenant, of);
        const stepMs = 1_000 / perSecond;
        // Tenants of one kind call in turn, not all in the same moment.
        const begin = async (): Promise<void> => {
          await time.pause((stepMs * at) / tenants.length);
          for (let number = 0; number < perSecond * options.seconds; number += 1) {
            all.push(request(tenant, of));
            await time.pause(stepMs);
          }
        };
        all.push(begin());
      }
    }
    for (let at = 0; at < all.length; at += 1) await all[at];
  });
  return served;
}

/** Lambda has no environment left. */
class Refused extends Error {}

/** A failed invocation, with the time for which it held its environment. */
class Held extends Error {
  readonly heldMs: number;
  constructor(cause: unknown, heldMs: number) {
    super("failed", { cause });
    this.heldMs = heldMs;
  }
}

/** Environments that serve one request at a time. A new request gets the one that was free last, or a new one. */
function newAccount({ now }: VirtualTime, most: number) {
  let busy = 0;
  return {
    pool(start: () => OpenTable) {
      const free: OpenTable[] = [];
      return async (serve: (table: Table) => Promise<void>): Promise<number> => {
        if (busy >= most) throw new Refused();
        busy += 1;
        const open = free.pop() ?? start();
        const fromMs = now();
        try {
          await serve(open(newMeter()));
          return now() - fromMs;
        } catch (error) {
          throw new Held(error, now() - fromMs);
        } finally {
          busy -= 1;
          free.push(open);
        }
      };
    },
  };
}
