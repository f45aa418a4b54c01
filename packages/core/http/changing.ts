/**
 * What a function with operations that change data loads when a request first needs it. Functions without such
 * operations leave it out, and their bundles too.
 */

import { loadedOnce } from "../kernel/later.ts";

/** Loads the table of rehearsals, the pipeline of repeatable requests, and the gate of conditional ones. */
export interface Changing {
  rehearsal(): Promise<typeof import("../database/table/overlay.ts").rehearsal>;
  serveOnce(): Promise<typeof import("./idempotency-pipeline.ts").serveOnce>;
  gateOf(): Promise<typeof import("./gate.ts").gateOf>;
  /** Looks for unknown members of bodies. */
  handleUnknown(): Promise<typeof import("./unknown-members.ts").handleUnknown>;
}

const overlay = loadedOnce(() => import("../database/table/overlay.ts"));
const pipeline = loadedOnce(() => import("./idempotency-pipeline.ts"));
const unknownMembers = loadedOnce(() => import("./unknown-members.ts"));
const gate = loadedOnce(() => import("./gate.ts"));

export const changing: Changing = {
  rehearsal: async () => (await overlay()).rehearsal,
  serveOnce: async () => (await pipeline()).serveOnce,
  handleUnknown: async () => (await unknownMembers()).handleUnknown,
  gateOf: async () => (await gate()).gateOf,
};
