/** Resources in the form of SCIM 1.1. */

import { PRIMARY, splitStore } from "../../../kernel/domain/username.ts";
import { attributeValue, memberOf } from "../../../scim/protocol/resource.ts";
import type { Json, JsonObject, Resource } from "../../../scim/protocol/schema/attribute.ts";
import { membersSchema } from "../../../scim/protocol/schema/group.ts";
import { isObject } from "../../../scim/protocol/values.ts";
import type { Group } from "../../groups/model.ts";
import { type Extension, pathsOf } from "./naming.ts";
import { CORE, ENTERPRISE, WSO2, WSO2_MEMBER } from "./shapes.ts";

/** A user. */
export function userShown(resource: Resource, userStores: readonly string[]): Resource {
  const { id, groups, roles, ...rest } = plain(resource);
  const enterprise = extensionShown(resource, ENTERPRISE);
  const wso2 = extensionShown(resource, WSO2);
  return {
    ...(id !== undefined && { id }),
    schemas: [
      CORE,
      ...(Object.keys(enterprise).length > 0 ? [ENTERPRISE] : []),
      ...(Object.keys(wso2).length > 0 ? [WSO2] : []),
    ],
    ...rest,
    ...(groups !== undefined && { groups: withParts(groups, groupOfUser(userStores)) }),
    ...(roles !== undefined && { roles: withParts(roles, roleShown) }),
    ...filled(ENTERPRISE, enterprise),
    ...filled(WSO2_MEMBER, wso2),
    ...(resource.meta !== undefined && { meta: metaShown(resource.meta) }),
  };
}

function extensionShown(resource: Resource, extension: Extension): JsonObject {
  return Object.fromEntries(
    pathsOf(extension).flatMap((path): [string, Json][] => {
      const { name } = path.attribute;
      const value = attributeValue(resource, path);
      const shown = name === "manager" && value !== undefined ? managerShown(value) : value;
      return shown === undefined ? [] : [[name, shown]];
    }),
  );
}

function managerShown(manager: Json): JsonObject | undefined {
  const id = memberOf(manager, "value");
  return id === undefined ? undefined : { managerId: id };
}

function groupOfUser(userStores: readonly string[]) {
  return ({ value, display }: JsonObject): JsonObject => ({
    ...(value !== undefined && { value }),
    ...(typeof display === "string" && { display: prefixedName(display, userStores) }),
  });
}

/** The name of a group with its store, also where that is PRIMARY. */
function prefixedName(shownName: string, userStores: readonly string[]): string {
  return shownName.includes("/") && userStores.includes(splitStore(shownName).userStore)
    ? shownName
    : `${PRIMARY}/${shownName}`;
}

function roleShown({ value, display, type, primary }: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries({ value, display, type, primary }).filter(([, part]) => part !== undefined),
  ) as JsonObject;
}

function filled(name: string, members: JsonObject): Resource {
  return Object.keys(members).length > 0 ? { [name]: members } : {};
}

/** A group. Its name has the prefix of its store (S1-035). */
export function groupShown(resource: Resource, { userStore, displayName }: Group): Resource {
  const { id, members, ...rest } = plain(resource);
  return {
    ...(id !== undefined && { id }),
    schemas: [CORE, ...(resource[membersSchema.id] === undefined ? [] : [membersSchema.id])],
    ...rest,
    ...(rest.displayName !== undefined && { displayName: `${userStore}/${displayName}` }),
    ...(members !== undefined && { members: withParts(members, memberShown) }),
    ...(resource[membersSchema.id] !== undefined && { [membersSchema.id]: resource[membersSchema.id] }),
    ...(resource.meta !== undefined && { meta: metaShown(resource.meta) }),
  };
}

function memberShown({ value, display }: JsonObject): JsonObject {
  return {
    ...(value !== undefined && { value }),
    ...(display !== undefined && { display }),
  };
}

/** A resource in a list that shows a part of it, without `schemas`. */
export function summaryOf({ schemas: _, ...rest }: Resource): Resource {
  return rest;
}

/** A resource without extensions, `schemas` and `meta`, which have forms of their own. */
function plain(resource: Resource): Resource {
  return Object.fromEntries(
    Object.entries(resource).filter(([name]) => !name.includes(":") && name !== "schemas" && name !== "meta"),
  );
}

/** Elements with some of their parts. */
function withParts(list: Json, change: (element: JsonObject) => JsonObject): Json {
  return Array.isArray(list) ? list.map((element: Json) => (isObject(element) ? change(element) : element)) : list;
}

function metaShown(meta: Json): JsonObject {
  const { created, lastModified, location } = isObject(meta) ? meta : {};
  return {
    ...(created !== undefined && { created: instantShown(created) }),
    ...(lastModified !== undefined && { lastModified: instantShown(lastModified) }),
    ...(location !== undefined && { location }),
  };
}

/** `2016-01-26T18:31:57`: UTC, to the second, without a zone (S1-031). */
function instantShown(value: Json): Json {
  return typeof value === "string" ? value.slice(0, "yyyy-MM-ddTHH:mm:ss".length) : value;
}
