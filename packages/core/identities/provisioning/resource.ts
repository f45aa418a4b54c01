/** What changes of users, groups and roles read in resources. */
import { Fault } from "../../platform/faults.ts";
import type { Resource } from "../../scim/schema/attribute.ts";

/** The fault for a resource that breaks a rule. */
export function refuse(description: string): Fault {
  return new Fault("request.invalid", description);
}

/** The fault for a missing attribute. */
export function missing(attribute: string): Fault {
  return refuse(`Required attribute ${attribute} is missing in the SCIM object.`);
}

/** The trimmed text of a required attribute. Throws `request.invalid`. */
export function textOf(resource: Resource, attribute: string): string {
  const value = resource[attribute];
  if (typeof value !== "string") throw missing(attribute);
  return value.trim();
}
