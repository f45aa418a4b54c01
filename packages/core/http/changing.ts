/**
 * What a function with operations that change data loads when a request first needs it. Functions without such
 * operations leave it out, and their bundles too.
 */

/** Loads the table of rehearsals, the pipeline of repeatable requests, and the gate of conditional ones. */
export interface Changing {
  rehearsal(): Promise<typeof import("../table/overlay.ts").rehearsal>;
  serveOnce(): Promise<typeof import("./idempotency-pipeline.ts").serveOnce>;
  gateOf(): Promise<typeof import("./gate.ts").gateOf>;
  /** Looks for unknown members of bodies. */
  handleUnknown(): Promise<typeof import("./unknown-members.ts").handleUnknown>;
}

export const changing: Changing = {
  rehearsal: async () => (await import("../table/overlay.ts")).rehearsal,
  serveOnce: async () => (await import("./idempotency-pipeline.ts")).serveOnce,
  handleUnknown: async () => (await import("./unknown-members.ts")).handleUnknown,
  gateOf: async () => (await import("./gate.ts")).gateOf,
};
