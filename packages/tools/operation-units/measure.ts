/** What one call of each operation costs in the table, on a data set of fixed size. */
import { type OperationId, operations } from "#core/service/catalogue.ts";
import { inLockstep } from "#tools/lockstep.ts";
import { type Caller, callerOf, type Received, type Units } from "./caller.ts";
import { type Calls, changes, reads } from "./calls.ts";
import { createFixture } from "./fixture.ts";
import { startForCalls } from "./service.ts";
import { stopTime } from "./still-time.ts";

/**
 * A container trusts names of groups and roles that it read at least a second after the last change of names (decision
 * 0014).
 */
const NAMES_SETTLED_MS = 1_100;

/** Makes the calls one after the other and returns the units of each operation. */
const run = async (call: Caller, calls: Calls): Promise<ReadonlyMap<OperationId, Units>> => {
  const received = new Map<OperationId, Received>();
  for (const [id, sent] of calls) {
    const made = (earlier: OperationId) => received.get(earlier)?.body ?? {};
    received.set(id, await call(id, typeof sent === "function" ? sent(made) : sent));
  }
  return new Map([...received].map(([id, { units }]) => [id, units]));
};

/**
 * Measures every operation of the catalogue once, in a fresh service in memory, with functions that have served
 * requests before. Throws where an operation has no call.
 */
export const measureUnits = async (): Promise<ReadonlyMap<string, Units>> => {
  const service = await startForCalls();
  const time = stopTime();
  try {
    const call = callerOf(service.url);
    const fixture = await createFixture(call);
    // The first round reads the names, the second caches them. After that they cost nothing.
    await run(call, reads(fixture));
    await run(call, [["requestToken", { as: fixture.client, form: { grant_type: "client_credentials" } }]]);
    time.pass(NAMES_SETTLED_MS);
    await run(call, reads(fixture));
    const measured = await inLockstep(
      async () => new Map([...(await run(call, reads(fixture))), ...(await run(call, changes(fixture)))]),
    );
    const missing = Object.keys(operations).filter((id) => !measured.has(id as OperationId));
    if (missing.length > 0) throw new Error(`operation-units/calls.yaml has no call for ${missing.join(", ")}`);
    return measured;
  } finally {
    time.resume();
    await service.close();
  }
};
