/** Shows users: reads the names of their groups and roles, and applies projections. */

import { PRIMARY } from "../../../kernel/domain/username.ts";
import { type Projection, present, wants } from "../../../scim/protocol/projection.ts";
import type { JsonObject, Resource } from "../../../scim/protocol/schema/attribute.ts";
import { systemSchema } from "../../../scim/protocol/schema/system.ts";
import type { NamesState, ShownName } from "../../memberships/shown-names.ts";
import { settleOpenBulks } from "../../provisioning/open-bulks.ts";
import { qualifiedName, type User } from "../../users/model.ts";
import type { ScimCall, ScimStores } from "./call.ts";
import { type ShownNames, userResource } from "./present.ts";

/** Users as they are shown, and the names of their groups and roles. */
export interface Named {
  readonly users: readonly User[];
  readonly names: ReadonlyMap<string, ShownName>;
}

/**
 * The state of the names of groups and roles, where a projection shows such names. A caller reads it together with the
 * users, and passes it to `showUsers`: this saves a round trip.
 */
export function readNamesState(
  { stores: { names }, tenant }: ScimCall,
  projection: Projection,
): Promise<NamesState> | undefined {
  if (!showsNames(projection)) return undefined;
  const state = names.state(tenant);
  // Another fault may come first, and then this is not awaited.
  state.catch(() => undefined);
  return state;
}

/**
 * The names of the groups and roles of users. Users are read again where a bulk membership is not carried out yet: it
 * is carried out first.
 */
export async function namedUsers(
  { stores, tenant }: ScimCall,
  read: readonly User[],
  given?: Promise<NamesState>,
): Promise<Named> {
  const hasIds = read.some(({ groupIds, roleIds }) => groupIds.length + roleIds.length > 0);
  if (!given && !hasIds) return { users: read, names: new Map() };
  const { version, openBulks } = await (given ?? stores.names.state(tenant));
  const isStale = openBulks.length > 0 && (await settleOpenBulks(stores, tenant, openBulks));
  const users = isStale ? await readAgain(stores, tenant, read) : read;
  const ids = users.flatMap(({ groupIds, roleIds }) => [...groupIds, ...roleIds]);
  return { users, names: ids.length > 0 ? await stores.names.find(tenant, version, ids) : new Map() };
}

/** Carries out the bulk memberships that are committed. Returns whether users read meanwhile may be outdated. */
export async function settledBulks({ stores, tenant }: ScimCall): Promise<boolean> {
  const { openBulks } = await stores.names.state(tenant);
  return openBulks.length > 0 && (await settleOpenBulks(stores, tenant, openBulks));
}

/**
 * The ids of a user's groups once the bulk memberships that are committed are carried out; none for an unknown user.
 * One round trip where no bulk is open.
 */
export async function groupIdsOf(
  { stores, tenant }: ScimCall,
  id: string,
  settled: Promise<boolean>,
): Promise<readonly string[]> {
  const find = () => stores.users.find(tenant, id);
  const [read, isStale] = await Promise.all([find(), settled]);
  const user = isStale ? await find() : read;
  return user?.groupIds ?? [];
}

/** The names of users, with their stores, without those of users that do not exist. One round trip, none for no ids. */
export async function namesOfUsers({ stores, tenant }: ScimCall, ids: readonly string[]): Promise<ShownNames> {
  const found = ids.length > 0 ? await stores.users.findMany(tenant, ids) : [];
  return new Map(found.flatMap((user) => (user ? [[user.id, qualifiedName(user)]] : [])));
}

/** A user that was deleted meanwhile stays as it was read. */
async function readAgain({ users }: ScimStores, tenant: string, read: readonly User[]): Promise<readonly User[]> {
  const found = await users.findMany(
    tenant,
    read.map(({ id }) => id),
  );
  return read.map((user, at) => found[at] ?? user);
}

/** Users in the form of SCIM 2.0. */
export async function showUsers(
  call: ScimCall,
  read: readonly User[],
  projection: Projection,
  state?: Promise<NamesState>,
): Promise<readonly Resource[]> {
  const { stores, tenant } = call;
  const { users, names } = showsNames(projection)
    ? await namedUsers(call, read, state)
    : { users: read, names: new Map() };
  // Looked up once: a page has up to a thousand users.
  const showsReadOnly = wants(projection, `${systemSchema.id}:isReadOnlyUser`);
  return users.map((user) => {
    const stored = userResource(user, names, call, stores.dialect.showsUsername);
    const isReadOnly = () => stores.users.elsewhere?.isReadOnly(tenant, user.userStore) === true;
    const resource = showsReadOnly ? withReadOnly(stored, isReadOnly()) : stored;
    return present(projection, resource, { ...(stores.dialect.showsUsername && { usernameAlias: aliasOf(user) }) });
  });
}

function showsNames(projection: Projection): boolean {
  return wants(projection, "groups") || wants(projection, "roles");
}

/** Adds what a user shows only where a request names it: whether its store is read-only. */
function withReadOnly(resource: Resource, isReadOnlyUser: boolean): Resource {
  const { id } = systemSchema;
  return { ...resource, [id]: { ...(resource[id] as JsonObject | undefined), isReadOnlyUser } };
}

/** `username`: the name with its store, also where that is PRIMARY. */
function aliasOf({ userName, userStore }: User): string {
  return `${userStore || PRIMARY}/${userName}`;
}
