/** What a PUT makes of a user (reference scim.md section 2.5): all that SCIM 1.1 can name is replaced, the rest stays. */

import { isMeant } from "../../scim/patch/elements.ts";
import { attributeValue, memberOf, withAttributeValue } from "../../scim/resource.ts";
import type { Json, Resource, ResourceType } from "../../scim/schema/attribute.ts";
import { isObject } from "../../scim/values.ts";
import { type Sent, settingsOf } from "./input.ts";
import { pathsOf } from "./naming.ts";
import { WSO2 } from "./shapes.ts";

/** The user that a PUT asks for. A complex value that stays what it was keeps the parts that SCIM 1.1 has no names for. */
export function replaced(type: ResourceType, before: Resource, sent: Sent): Resource {
  const extensions = settingsOf(sent, before).reduce(
    (resource, { path, value }) => {
      const present = attributeValue(before, path);
      const isThere = isObject(value) && present !== undefined && isMeant(value, present);
      return withAttributeValue(resource, path, isThere ? present : value);
    },
    unnamed(type, before),
  );
  return { ...sent.core, ...extensions };
}

/** What the extensions hold beyond the names of SCIM 1.1. */
function unnamed(type: ResourceType, before: Resource): Resource {
  const held = Object.fromEntries(
    type.extensions.flatMap(({ id }): [string, Json][] => {
      const value = before[id];
      return value === undefined ? [] : [[id, value]];
    }),
  );
  return pathsOf(WSO2)
    .filter((path) => isShown(attributeValue(held, path)))
    .reduce((rest, path) => withAttributeValue(rest, path, undefined), held);
}

/** Whether SCIM 1.1 shows anything of a value: of a manager it is the id. */
function isShown(value: Json | undefined): boolean {
  return !isObject(value) || memberOf(value, "value") !== undefined;
}
