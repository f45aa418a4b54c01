/** Shared by the tests of PATCH. */
import { applyPatch } from "#core/scim/protocol/patch/apply.ts";
import { type PatchOptions, readPatch } from "#core/scim/protocol/patch/read.ts";
import type { JsonObject, Resource, ResourceType } from "#core/scim/protocol/schema/attribute.ts";
import { userType } from "#core/scim/protocol/schema/resource-types.ts";
import { ENTERPRISE, frozen, kim, PATCH } from "./support.ts";

export type Operations = readonly unknown[];

/** Applies operations to frozen resources. */
export const patch = (
  operations: Operations,
  resource: Resource = kim,
  type: ResourceType = userType,
  options: PatchOptions = {},
): Resource =>
  applyPatch(type, frozen(resource), readPatch(type, frozen({ schemas: [PATCH], Operations: operations }), options));

/** A resource with other members, without those that are `undefined`. */
export const having = (resource: Resource, members: Readonly<Record<string, unknown>>): unknown =>
  Object.fromEntries(Object.entries({ ...resource, ...members }).filter(([, value]) => value !== undefined));

export const add = (path: string | undefined, value: unknown) => ({ op: "add", path, value });
export const replace = (path: string | undefined, value: unknown) => ({ op: "replace", path, value });
export const remove = (path: string, value?: unknown) => ({ op: "remove", path, value });

/** E-mail addresses of Kim, and another one. */
export const work = { value: "kim@work.test", type: "work", primary: true };
export const home = { value: "kim@home.test", type: "home" };
export const other = { value: "kim@other.test", type: "other" };
export const manager = { value: "26118915", $ref: "https://x.test/Users/26118915" };
/** The enterprise extension of Kim with other attributes. */
export const inEnterprise = (members: JsonObject) => ({ [ENTERPRISE]: { department: "Sales", manager, ...members } });
