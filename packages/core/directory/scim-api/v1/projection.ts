/**
 * Which attributes a response of SCIM 1.1 shows: all, or those that are always shown and those that the request names.
 */

import { Fault } from "../../../kernel/faults.ts";
import { pathName } from "../../../scim/protocol/filter/bound.ts";
import { type Projection, projectionOf } from "../../../scim/protocol/projection.ts";
import type { ResourceType } from "../../../scim/protocol/schema/attribute.ts";
import { attributesNamed } from "./naming.ts";

/** The most names in `attributes`. */
const NAMES_MAX = 1_000;

const always: Readonly<Record<string, readonly string[]>> = {
  User: ["id", "userName", "meta"],
  Group: ["id", "displayName", "meta"],
};

/** All attributes. */
export function everything(type: ResourceType): Projection {
  return projectionOf(type, {});
}

/** The attributes that a list shows, and those that a request names. Throws `request.invalid` for too many names. */
export function summary(type: ResourceType, attributes = ""): Projection {
  return projectionOf(type, { attributes: [...(always[type.name] ?? []), ...namesOf(type, attributes)] });
}

/** The projection of a request for one resource. Throws as `summary` does. */
export function projectionFor(type: ResourceType, attributes = ""): Projection {
  return attributes.trim() === "" ? everything(type) : summary(type, attributes);
}

/** The names of SCIM 2.0 for a comma-separated list. Names that SCIM 1.1 does not have are ignored. */
function namesOf(type: ResourceType, list: string): readonly string[] {
  const names = new Set(list.split(","));
  if (names.size > NAMES_MAX) {
    throw new Fault("request.invalid", `attributes can have at most ${NAMES_MAX} names, not ${names.size}.`);
  }
  return [...names].flatMap((name) => attributesNamed(type, name).map(pathName));
}
