/**
 * What the owner of a webhook or a stream may do while it does not call (decision 0149): the scopes that it could have
 * at this moment. What acts later in its name is bounded by them.
 */
import { unusableBy } from "../../applications/registry/client-model.ts";
import type { ClientStore } from "../../applications/registry/client-store.ts";
import { directScopesOf } from "../../directory/roles/model.ts";
import type { RoleStore } from "../../directory/roles/store.ts";
import { maySignIn } from "../../directory/users/model.ts";
import type { UserStore } from "../../directory/users/store.ts";
import type { Clock } from "../../kernel/clock.ts";
import { systemScopePlaces, systemScopes } from "../../kernel/domain/system-apis.ts";
import { PRIMARY } from "../../kernel/domain/username.ts";
import { type RoleIdStores, roleIdsOf } from "./role-ids.ts";

/** Who acts later: a user, or an application by its client. */
export interface Owner {
  readonly kind: "user" | "client";
  /** The id of the user, or the client id. */
  readonly subject: string;
  /** The user store of a user; absent for PRIMARY. */
  readonly userStore?: string | undefined;
}

/**
 * The scopes of an owner; `undefined` for one that does not exist any more, or may not sign in. A user of a directory
 * has none: what it may do is known only while it calls.
 */
export type OwnerScopes = ReadonlySet<string> | undefined;

export interface OwnerStores {
  readonly clients: ClientStore;
  readonly users: Pick<UserStore, "find">;
  readonly groups: RoleIdStores["groups"];
  readonly roles: RoleStore;
}

/** The scopes of an owner are read again after this time. */
const FRESH_MS = 1_000;

/** Opens a reader for one run, which reads each owner at most once a second: one round trip; three for a user. */
export function newOwnerScopes(
  stores: OwnerStores,
  clock: Clock,
): (tenant: string, owner: Owner) => Promise<OwnerScopes> {
  const read = new Map<string, { readonly atMs: number; readonly scopes: Promise<OwnerScopes> }>();
  return (tenant, owner) => {
    const key = `${tenant}\n${owner.kind}\n${owner.subject}`;
    const known = read.get(key);
    const nowMs = clock.now();
    if (known && nowMs - known.atMs < FRESH_MS) return known.scopes;
    const scopes = (owner.kind === "user" ? scopesOfUser : scopesOfClient)(tenant, owner, stores);
    read.set(key, { atMs: nowMs, scopes });
    return scopes;
  };
}

/** An application must be enabled, and authorized for the API of a scope. */
async function scopesOfClient(tenant: string, { subject }: Owner, { clients }: OwnerStores): Promise<OwnerScopes> {
  const client = await clients.find(subject);
  if (client?.tenant !== tenant || unusableBy(client.settings)) return undefined;
  const isAuthorized = ({ apiId, id }: { readonly apiId: string; readonly id: string }) =>
    client.apis.some((api) => api.apiId === apiId && api.scopeIds.includes(id));
  return new Set([...systemScopePlaces].flatMap(([name, place]) => (isAuthorized(place) ? [name] : [])));
}

async function scopesOfUser(tenant: string, owner: Owner, stores: OwnerStores): Promise<OwnerScopes> {
  const { subject, userStore = PRIMARY } = owner;
  const user = await stores.users.find(tenant, subject);
  if (!user) return userStore === PRIMARY ? undefined : new Set();
  if (!maySignIn(user)) return undefined;
  const roles = await stores.roles.findMany(tenant, await roleIdsOf(stores, tenant, user));
  return new Set(roles.flatMap((role) => directScopesOf(role, systemScopes)));
}
