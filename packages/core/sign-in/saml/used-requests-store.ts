/** Requests that were answered: the ID of a request counts once for a service provider (decision 0195). */
import { createHash, randomUUID } from "node:crypto";
import { keys } from "../../database/table/keys.ts";
import { number, rowCodec, text } from "../../database/table/row.ts";
import type { Step } from "../../database/table/table.ts";
import { Fault } from "../../kernel/faults.ts";

/** How long after it was taken a request can be answered: its pages can be open that long. */
export const ANSWERABLE_MS = 2 * 60 * 60_000;
/** Longer than that, although a request can be taken twice some minutes apart. */
const REMEMBERED_SECONDS = 3 * 60 * 60;

const rows = rowCodec<{ readonly use: string; readonly expiresAtSeconds: number }>("answered request", {
  use: text,
  expiresAtSeconds: number,
});

/** The step that uses a request up. It throws `request.invalid` where the request was answered before. */
export function usingRequest(of: { readonly clientId: string; readonly id: string }, nowMs: number): Step {
  const digest = createHash("sha256")
    .update(JSON.stringify([of.clientId, of.id]), "utf8")
    .digest("base64url");
  const use = randomUUID();
  return {
    put: {
      ...keys.samlRequest(digest),
      ...rows.write({ use, expiresAtSeconds: Math.ceil(nowMs / 1_000) + REMEMBERED_SECONDS }),
    },
    when: "absent",
    // The row of this very use shows that its response was lost.
    otherwise: (found) =>
      found?.use === use
        ? "applied"
        : new Fault("request.invalid", "This request was answered before. Go back to the application and start again."),
  };
}
