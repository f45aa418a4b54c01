/** The handlers of the operations on deleted resources. */
import { returnApiResource } from "../../applications/apis/return-store.ts";
import { returnApplication } from "../../applications/registry/return-store.ts";
import { returnTemplate } from "../../applications/templates/store.ts";
import type { Table } from "../../database/table/table.ts";
import type { Aside } from "../../database/trash/aside-rows.ts";
import type { AsideStore } from "../../database/trash/aside-store.ts";
import type { Deleted, DeletedType } from "../../database/trash/model.ts";
import { forgetAssignments, returnAssignments } from "../../directory/memberships/assignment-clearing.ts";
import { nothingLeftOut, type Restored } from "../../directory/restoring/model.ts";
import type { PrincipalType } from "../../kernel/domain/principals.ts";
import { Fault } from "../../kernel/faults.ts";
import { LIMIT_MAX } from "../../kernel/management-api.ts";
import { callerId, type ScopedContext } from "../../kernel/operation/context.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import { LIMIT_DEFAULT, type recoveryOperations } from "./contract.ts";
import { cursorFrom, cursorOf } from "./cursor.ts";
import type { People } from "./people.ts";
import { checkScope, typesFor } from "./scopes.ts";

/** The dependencies of these handlers. */
export interface RecoveryStores {
  readonly asides: AsideStore;
  readonly table: Table;
  readonly people: People;
}

type Context = ScopedContext & RecoveryStores;

export const recoveryHandlers: Handlers<typeof recoveryOperations, RecoveryStores> = {
  async listDeletedResources({ query }, { tenant, scopes, asides, now }) {
    const { resourceType, limit = LIMIT_DEFAULT, after } = query;
    if (resourceType) checkScope("view", resourceType, scopes);
    const { found, next } = await asides.list(tenant, {
      types: resourceType ? [resourceType] : typesFor("view", scopes),
      limit: Math.min(limit, LIMIT_MAX),
      after: after === undefined ? undefined : cursorFrom(after),
      nowMs: now,
    });
    return { deletedResources: found.map(shown), ...(next !== undefined && { next: cursorOf(next) }) };
  },

  async getDeletedResource({ params }, { tenant, scopes, asides, now }) {
    const aside = await asides.find(tenant, params.id, now);
    if (!aside || aside.left) throw absent(params.id);
    checkScope("view", aside.type, scopes);
    return shown(aside);
  },

  async restoreDeletedResource({ params, body }, context) {
    const { tenant, scopes, asides, now } = context;
    const aside = await asides.find(tenant, params.id, now);
    if (!aside) throw absent(params.id);
    const { type, id } = aside;
    checkScope("restore", type, scopes);
    const { name, leftOut } = await restored(context, aside, body?.name);
    return { location: `/t/${tenant}${collections[type]}/${id}`, body: { id, resourceType: type, name, leftOut } };
  },

  async removeDeletedResource({ params }, { tenant, scopes, asides, table, now }) {
    const aside = await asides.find(tenant, params.id, now);
    if (!aside || aside.left) throw absent(params.id);
    checkScope("remove", aside.type, scopes);
    await asides.remove(tenant, aside, () => absent(params.id));
    if (aside.type === "application") await forgetAssignments(table, tenant, aside.id);
    return undefined;
  },
};

async function restored(context: Context, aside: Aside, name: string | undefined): Promise<Restored> {
  const { tenant, scopes, principal, now, table, people } = context;
  const gone = () => absent(aside.id);
  const whole = async (restoring: Promise<string>) => ({ name: await restoring, leftOut: nothingLeftOut });
  const caller = { tenant, subject: callerId(principal), scopes, now };
  const withAssignments = async (kind: PrincipalType, restoring: Promise<Restored>) => {
    const done = await restoring;
    await returnAssignments(table, tenant, { type: kind, id: aside.id });
    return done;
  };
  switch (aside.type) {
    case "application":
      return whole(returnApplication(table, { tenant, aside, name, scopes, absent: gone }));
    case "application-template":
      return whole(returnTemplate(table, { tenant, aside, name, absent: gone }));
    case "api-resource":
      return whole(returnApiResource(table, { tenant, aside, identifier: name, absent: gone }));
    case "user":
      return withAssignments("user", people.restoreUser(caller, aside, name, gone));
    case "group":
      return withAssignments("group", people.restoreGroup(caller, aside, name, gone));
    case "role":
      return withAssignments("role", people.restoreRole(caller, aside, name, gone));
  }
}

function shown({ id, type, name, deletedMs, expiresAtSeconds }: Deleted) {
  return {
    id,
    resourceType: type,
    name,
    deletedAt: new Date(deletedMs).toISOString(),
    expiresAt: new Date(expiresAtSeconds * 1_000).toISOString(),
  };
}

const collections: Readonly<Record<DeletedType, string>> = {
  application: "/api/server/v1/applications",
  "application-template": "/api/server/v1/applications/templates",
  "api-resource": "/api/server/v1/api-resources",
  user: "/scim2/Users",
  group: "/scim2/Groups",
  role: "/scim2/v2/Roles",
};

function absent(id: string): Fault {
  return new Fault(
    "deleted.not_found",
    `No deleted resource that can be restored has the id ${id.slice(0, 100)}. It is restored already, removed for good, or its time is over.`,
  );
}
