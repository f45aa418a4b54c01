/** What the owner of a stream may do while it does not call: for events that are pushed. */
import type { ClientStore } from "../applications/registry/client-store.ts";
import { type RoleIdStores, roleIdsOf } from "../auth/role-ids.ts";
import { systemScopePlaces, systemScopes } from "../domain/system-apis.ts";
import { isFor, scopesOf } from "../identities/roles/model.ts";
import type { RoleStore } from "../identities/roles/store.ts";
import { maySignIn } from "../identities/users/model.ts";
import type { UserStore } from "../identities/users/store.ts";
import type { Stream } from "./model.ts";
import { readableBy, type SubjectType, subjectTypes } from "./subjects.ts";

/** The rights of an owner; `undefined` where it may not receive events any more. */
export type OwnerRights = { readonly readable: ReadonlySet<SubjectType> } | undefined;

export interface OwnerStores {
  readonly clients: ClientStore;
  readonly users: Pick<UserStore, "find">;
  readonly groups: RoleIdStores["groups"];
  readonly roles: RoleStore;
}

/** One of them lets a caller receive events. */
const RECEIVING = ["ssf.read", "ssf.manage"];

/**
 * The rights of the owner of a stream. An application must be enabled and authorized for the Shared Signals API; a user
 * must be able to sign in and have a role for it, and gets no data. One round trip; three for a user.
 */
export async function ownerRights(
  { tenant, owner }: Pick<Stream, "tenant" | "owner">,
  stores: OwnerStores,
): Promise<OwnerRights> {
  const isUser = owner.kind === "user";
  const scopes = await (isUser ? scopesOfUser : scopesOfClient)(tenant, owner.subject, stores);
  if (!RECEIVING.some((name) => scopes.has(name))) return undefined;
  return { readable: isUser ? new Set() : readableBy(scopes) };
}

async function scopesOfClient(tenant: string, id: string, { clients }: OwnerStores): Promise<ReadonlySet<string>> {
  const client = await clients.find(id);
  if (client?.tenant !== tenant || !client.settings.isEnabled || client.settings.state !== "ACTIVE") return new Set();
  const names = [...RECEIVING, ...Object.values(subjectTypes).map(({ scope }) => scope)];
  const isAuthorized = (name: string) => {
    const place = systemScopePlaces.get(name);
    return client.apis.some(({ apiId, scopeIds }) => apiId === place?.apiId && scopeIds.includes(place.id));
  };
  return new Set(names.filter(isAuthorized));
}

async function scopesOfUser(tenant: string, id: string, stores: OwnerStores): Promise<ReadonlySet<string>> {
  const user = await stores.users.find(tenant, id);
  if (!user || !maySignIn(user)) return new Set();
  const roles = await stores.roles.findMany(tenant, await roleIdsOf(stores, tenant, user));
  return new Set(roles.filter((role) => isFor(role)).flatMap((role) => scopesOf(role, systemScopes)));
}
