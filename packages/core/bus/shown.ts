/** Change records as the API shows them. */
import type { ChangeRecord } from "../changes/model.ts";

/** The JSON of a record. */
export function shownRecord({ id, atMs, tenant, ...rest }: ChangeRecord): object {
  return { id, time: new Date(atMs).toISOString(), tenant, ...rest };
}
