/** The row of a user. */

import { keys } from "../../database/table/keys.ts";
import {
  as,
  bool,
  type Field,
  json,
  misfit,
  number,
  optional,
  rowCodec,
  text,
  textSet,
} from "../../database/table/row.ts";
import { stale } from "../../database/table/stale.ts";
import type { Item, Step, When } from "../../database/table/table.ts";
import type { Resource } from "../../scim/protocol/schema/attribute.ts";
import { isObject } from "../../scim/protocol/values.ts";
import type { User } from "./model.ts";

/** The attributes of the row that are about indexes. */
export const INDEXED = "_x";
export const UNSETTLED = "_xd";

/** Short forms of the attributes that most deployments index, so that rows stay small. They are stored. */
const shortForms: Readonly<Record<string, string>> = {
  active: "a",
  displayName: "d",
  "emails.value": "e",
  "name.familyName": "f",
  "name.givenName": "g",
  externalId: "x",
  "meta.created": "c",
  "meta.lastModified": "m",
};
const longForms = new Map(Object.entries(shortForms).map(([name, short]) => [short, name]));

const indexedNames: Field<readonly string[]> = {
  ...textSet,
  parse(stored) {
    const forms = textSet.parse(stored);
    return forms === misfit ? misfit : forms.map((form) => longForms.get(form) ?? form).sort();
  },
  write: (names) => textSet.write(names.map((name) => shortForms[name] ?? name)),
};

type Held = NonNullable<User["unsettled"]>;

const userRow = rowCodec<User>("user", {
  id: text,
  userName: text,
  userStore: text,
  active: bool,
  hasPassword: bool,
  createdMs: as("created", number),
  modifiedMs: as("modified", number),
  version: as("ver", number),
  profile: json("an object", isResource),
  groupIds: as("groups", textSet),
  roleIds: as("roles", textSet),
  unproven: optional(textSet),
  isRecord: as("record", optional(bool)),
  linksEndedMs: as("linksEnded", optional(number)),
  indexed: as(INDEXED, indexedNames),
  unsettled: as(UNSETTLED, optional(json("values by attribute", isHeld))),
});

/** The row of a user, also for a loader into an empty table. */
export function userItem(tenant: string, user: User): Item {
  return { ...keys.user(tenant, user.id), ...userRow.write(user) };
}

/** Reads the row of a user. */
export const toUser = userRow.read;

/** What a step on the row of a user depends on: what the user is, and what indexes hold of it. */
export function asRead({ version, indexed, unsettled }: User): Exclude<When, string> {
  const names = indexedNames.write(indexed);
  return {
    equal: {
      ver: version,
      ...(names !== undefined && { [INDEXED]: names }),
      ...(unsettled && { [UNSETTLED]: JSON.stringify(unsettled) }),
    },
    // A user comes into indexes without another version.
    lacking: [...(names === undefined ? [INDEXED] : []), ...(unsettled ? [] : [UNSETTLED])],
  };
}

/** The step that notes what indexes hold of a user. */
export function notingIndexes(tenant: string, user: User, noted: Pick<User, "indexed" | "unsettled">): Step {
  const { indexed, unsettled } = noted;
  const names = indexedNames.write(indexed);
  const set = {
    ...(names !== undefined && { [INDEXED]: names }),
    ...(unsettled && { [UNSETTLED]: JSON.stringify(unsettled) }),
  };
  const clear = [...(indexed.length > 0 ? [] : [INDEXED]), ...(unsettled ? [] : [UNSETTLED])];
  return { change: keys.user(tenant, user.id), set, clear, when: asRead(user), otherwise: stale };
}

function isResource(parsed: unknown): parsed is Resource {
  return isObject(parsed);
}

function isHeld(parsed: unknown): parsed is Held {
  return isObject(parsed) && Object.values(parsed).every((values) => Array.isArray(values) && values.every(isValue));
}

function isValue(one: unknown): boolean {
  return isObject(one) && typeof one.value === "string" && typeof one.facet === "string";
}
