/** What only one subscriber of a tenant may have, such as an endpoint: a row for each. */
import { createHash } from "node:crypto";
import { keys } from "../../database/table/keys.ts";
import { stale } from "../../database/table/stale.ts";
import type { Step } from "../../database/table/table.ts";

/** The step of a claim. `own` says what it means that the subscriber has it already. */
export function claiming(
  tenant: string,
  id: string,
  claim: string | undefined,
  taken: () => Error,
  own: () => ReturnType<Step["otherwise"]>,
): Step[] {
  if (claim === undefined) return [];
  const put = { ...keys.subscriberClaim(tenant, digestOf(claim)), owner: id };
  return [{ put, when: "absent", otherwise: (found) => (found?.owner === id ? own() : taken()) }];
}

/** The step that gives a claim back, if the subscriber has it. */
export function releasing(tenant: string, id: string, claim: string | undefined): Step[] {
  if (claim === undefined) return [];
  const when = { equal: { owner: id } };
  return [{ remove: keys.subscriberClaim(tenant, digestOf(claim)), when, otherwise: stale }];
}

/** A slot as a claim. Those of subscribers are URLs, which have no blank. */
export function slotClaim(slot: string): string {
  return `slot ${slot}`;
}

/** Claims may be long, and keys may not. */
function digestOf(claim: string): string {
  return createHash("sha256").update(claim, "utf8").digest("base64url");
}
