/** What the unit tests of SCIM 1.1 share: stores on a table, and random resources. */
import fc from "fast-check";
import type { Table } from "#core/database/table/table.ts";
import { defaultPasswordLimits } from "#core/directory/credentials/password-limits.ts";
import { groupStore } from "#core/directory/groups/store.ts";
import { type NameMemory, nameStore, newNameMemory } from "#core/directory/memberships/shown-names.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import type { ScimCall } from "#core/directory/scim-api/resources/call.ts";
import { newIsAdministrator } from "#core/directory/scim-api/v1/administrators.ts";
import type { Scim1Call, Scim1Stores } from "#core/directory/scim-api/v1/stores.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { userStore } from "#core/directory/users/store.ts";
import type { Attribute, Json, JsonObject, Resource, ResourceType } from "#core/scim/protocol/schema/attribute.ts";

/** State with the lifetime of a container. */
export interface Container {
  /** Advances two seconds at each read, so that names that were read are no longer recent. */
  readonly clock: () => number;
  readonly memory: NameMemory;
  readonly isAdministrator: Scim1Stores["isAdministrator"];
}

export const newContainer = (): Container => {
  let nowMs = 0;
  const clock = () => {
    nowMs += 2_000;
    return nowMs;
  };
  return { clock, memory: newNameMemory(clock), isAdministrator: newIsAdministrator() };
};

/** What a request uses. */
export const storesOn = (
  table: Table,
  userStores: readonly string[] = ["PRIMARY"],
  { clock, memory, isAdministrator }: Container = newContainer(),
): Scim1Stores => {
  const [groups, roles] = [groupStore(table), roleStore(table)];
  return {
    users: userStore(table),
    groups,
    roles,
    tenants: tenantStore(table),
    names: nameStore(table, memory, [groups.namesOf, roles.namesOf], clock),
    isAdministrator,
    userStores,
    passwords: defaultPasswordLimits,
    dialect: { showsUsername: false, needsPassword: false, listsWhole: false, requiresIfMatch: false },
  };
};

/** Where links begin, and the tenant. */
export const linksIn = (tenant: string): Omit<ScimCall, "stores"> => ({
  origin: "https://scim.example",
  base: "/svc/scim",
  tenant,
  now: 0,
});

/** A request of the service itself, which may do anything. */
export const callOn = (tenant: string, stores: Scim1Stores): Scim1Call => ({ ...linksIn(tenant), stores });

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).filter((one) => one.trim() === one);

const simple = ({ type, format }: Attribute): fc.Arbitrary<Json> => {
  if (type === "boolean") return fc.boolean();
  if (type === "integer") return fc.integer();
  if (type === "binary") return fc.constantFrom("AQID", "BAUG", "/+8=");
  return format === "date" ? fc.constant("1970-01-01") : text;
};

const withoutHoles = (given: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

const objectOf = (attributes: readonly Attribute[]): fc.Arbitrary<JsonObject> =>
  fc
    .record(
      Object.fromEntries(
        attributes
          .filter(({ mutability }) => mutability !== "readOnly" && mutability !== "writeOnly")
          .map((attribute) => [attribute.name, fc.option(anyOf(attribute), { nil: undefined, freq: 2 })]),
      ),
    )
    .map(withoutHoles);

const oneOf = (attribute: Attribute): fc.Arbitrary<Json> =>
  attribute.type === "complex"
    ? objectOf(attribute.subAttributes ?? []).filter((one) => Object.keys(one).length > 0)
    : simple(attribute);

const isPrimary = (element: Json): boolean => (element as JsonObject).primary === true;

/** Elements as they are stored: each once, at most one primary. */
const listOf = (attribute: Attribute): fc.Arbitrary<Json> =>
  fc
    .uniqueArray(oneOf(attribute), { minLength: 1, maxLength: 4, selector: (one) => JSON.stringify(one) })
    .filter((list) => list.filter(isPrimary).length < 2);

const anyOf = (attribute: Attribute): fc.Arbitrary<Json> =>
  attribute.multiValued ? listOf(attribute) : oneOf(attribute);

/** Resources in canonical form, with all attributes that a client may write. */
export const resources = ({ schema, extensions }: ResourceType): fc.Arbitrary<Resource> =>
  fc
    .tuple(
      objectOf(schema.attributes),
      fc.record(Object.fromEntries(extensions.map(({ id, attributes }) => [id, objectOf(attributes)]))),
    )
    .map(([core, more]) => ({
      ...core,
      ...Object.fromEntries(Object.entries(more).filter(([, members]) => Object.keys(members).length > 0)),
    }));
