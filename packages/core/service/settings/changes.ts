/** The section `[changes]` of deployment.toml. */
import * as z from "../../kernel/zod.ts";
import { section } from "./section.ts";
import { table } from "./shared.ts";

export interface ChangeSettings {
  /** How long change records are kept. */
  readonly recordDays: number;
  /** How long deleted resources can be restored; 0 deletes them at once. */
  readonly deletedDays: number;
}

const DAYS_MAX = 3_660;

const Changes = table({
  record_days: z.int().min(1).max(DAYS_MAX).default(400),
  deleted_days: z.int().min(0).max(DAYS_MAX).default(30),
});

/** How long changes are remembered. */
export const changesSection = section(
  { changes: Changes.prefault({}) },
  ({ changes }): { readonly changes: ChangeSettings } => ({
    changes: { recordDays: changes.record_days, deletedDays: changes.deleted_days },
  }),
);
