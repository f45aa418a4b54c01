/** What changes of users, groups and roles read in resources. */
import { Fault, refuse } from "../../kernel/faults.ts";
import { trimName } from "../../kernel/fold.ts";
import { isPossibleId } from "../../kernel/ids.ts";
import type { Resource } from "../../scim/protocol/schema/attribute.ts";

/**
 * Checks the ids that a change removes without effect: that of an element which is gone may be repeated, but a name in
 * the place of an id removes nothing (decision 0152). Throws `scim.no_target`.
 */
export function checkRemoved(list: string, ids: Iterable<string>, isThere: (id: string) => boolean): void {
  for (const id of ids) {
    if (isThere(id) || isPossibleId(id)) continue;
    throw new Fault(
      "scim.no_target",
      `${list}: no element has the value "${id.slice(0, 100)}", which is no id. Send the id, or compare display with a name.`,
    );
  }
}

/** The fault for a missing attribute. */
export function missing(attribute: string): Fault {
  return refuse(`Required attribute ${attribute} is missing in the SCIM object.`);
}

/** The trimmed text of a required attribute. Throws `request.invalid`. */
export function textOf(resource: Resource, attribute: string): string {
  const value = resource[attribute];
  if (typeof value !== "string") throw missing(attribute);
  return trimName(value);
}
