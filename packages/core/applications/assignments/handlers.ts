/** The handlers of the operations on assignments. */
import type * as z from "zod";
import type { Assigned } from "../../directory/memberships/assignment-model.ts";
import type { AssignmentStore } from "../../directory/memberships/assignments.ts";
import { LIMIT_DEFAULTS, LIMIT_MAX, type PageLink } from "../../kernel/management-api.ts";
import type { RequestContext, ScopedContext } from "../../kernel/operation/context.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import { lastTokenSeconds } from "../../tokens/refresh-family-store.ts";
import { revocationTime } from "../../tokens/revocation-store.ts";
import type { ProtocolSupport } from "../protocols/configure.ts";
import type { Application } from "../registry/model.ts";
import { selfOf } from "../registry/present.ts";
import { notFound } from "../registry/rules.ts";
import type { ApplicationStore } from "../registry/store.ts";
import type { Assignment, AssignmentList, AssignmentQuery, assignmentOperations } from "./contract.ts";
import { existing, type PrincipalStores, principalsOf } from "./principals.ts";
import {
  assignedIn,
  assignmentFaults,
  assignmentIdOf,
  assignmentUnknown,
  checkSeen,
  maySee,
  principalUnknown,
  typesIn,
} from "./rules.ts";
import { endingAccess, holdingApplication } from "./store.ts";

/** The dependencies of these handlers. */
export interface AssignmentStores extends PrincipalStores {
  readonly applications: Pick<ApplicationStore, "find">;
  readonly assignments: AssignmentStore;
  readonly protocols: Pick<ProtocolSupport, "limits">;
}

type Context = RequestContext & AssignmentStores;
type Shown = z.input<typeof Assignment>;
/** An assignment as it is stored. */
interface Row extends Assigned {
  readonly createdMs?: number | undefined;
}

export const assignmentHandlers: Handlers<typeof assignmentOperations, AssignmentStores> = {
  async listAssignments({ params: { applicationId }, query }, context) {
    await application(applicationId, context);
    return listAssignments(applicationId, query, context);
  },

  async assign({ params: { applicationId }, body }, context) {
    const { tenant, scopes, assignments } = context;
    const assigned: Assigned = { type: body.type, id: body.id };
    checkSeen([assigned.type], scopes);
    await assignments.update(tenant, applicationId, assignmentFaults, async () => {
      const [principal] = await existing(context, tenant, applicationId, [assigned]);
      if (!principal) {
        await application(applicationId, context);
        throw principalUnknown(assigned);
      }
      return {
        adding: [assigned],
        removing: [],
        steps: [holdingApplication(tenant, applicationId)],
      };
    });
    const found = await assignments.find(tenant, applicationId, assigned);
    // Read again: this function may not write people, so that its transaction cannot hold them.
    const [shown] = await present(applicationId, [found ?? assigned], context);
    if (!shown) {
      await assignments.update(tenant, applicationId, assignmentFaults, async () => {
        const [left] = await assignments.among(tenant, applicationId, [assigned]);
        return left && { adding: [], removing: [assigned], steps: [] };
      });
      throw principalUnknown(assigned);
    }
    return { location: `${selfOf(tenant, applicationId)}/assignments/${encodeURIComponent(shown.id)}`, body: shown };
  },

  async getAssignment({ params: { applicationId, assignmentId } }, context) {
    const assigned = assignedIn(assignmentId);
    const [, found] = await Promise.all([
      application(applicationId, context),
      assigned && context.assignments.find(context.tenant, applicationId, assigned),
    ]);
    const [shown] = found ? await present(applicationId, [found], context) : [];
    if (!shown) throw assignmentUnknown(assignmentId);
    return shown;
  },

  async unassign({ params: { applicationId, assignmentId } }, context) {
    const { tenant, assignments } = context;
    const assigned = assignedIn(assignmentId);
    await assignments.update(tenant, applicationId, assignmentFaults, async () => {
      const [owner, found] = await Promise.all([
        application(applicationId, context),
        assigned && assignments.find(tenant, applicationId, assigned),
      ]);
      if (!found || !assigned) throw assignmentUnknown(assignmentId);
      return removal(owner, [assigned], context);
    });
    return undefined;
  },
};

/** The change that takes assignments away, with the tokens that nothing else gives. Two round trips for a user. */
export async function removal(owner: Application, removing: readonly Assigned[], context: Context) {
  const { tenant, protocols, now } = context;
  const fromMs = revocationTime();
  const untilSeconds = lastTokenSeconds(protocols.limits, now);
  const keeping = await stillAssigned(owner, removing, context);
  const ended = endingAccess({ application: owner, tenant, removing, keeping, fromMs, untilSeconds });
  return {
    adding: [],
    removing,
    removedMs: ended.length > 0 ? fromMs : undefined,
    steps: [holdingApplication(tenant, owner.id), ...ended],
  };
}

/** The ids of those users among some principals who have access by another assignment. */
async function stillAssigned(
  owner: Application,
  removing: readonly Assigned[],
  context: Context,
): Promise<ReadonlySet<string>> {
  const { tenant, assignments, users } = context;
  const isRemoved = ({ type, id }: Assigned) => removing.some((one) => one.type === type && one.id === id);
  const ids = removing.flatMap(({ type, id }) => (type === "user" ? [id] : []));
  if (ids.length === 0 || !owner.advancedConfigurations.enableAuthorization) return new Set();
  const found = await users.findMany(tenant, ids);
  const kept = await Promise.all(
    found.map(async (user) => {
      if (!user) return [];
      const others = (await principalsOf(context, tenant, user)).filter((one) => !isRemoved(one));
      return (await assignments.among(tenant, owner.id, others)).length > 0 ? [user.id] : [];
    }),
  );
  return new Set(kept.flat());
}

/** A page of assignments, or those by which one user has access. Throws `assignment.unseen` and faults of filters. */
export async function listAssignments(
  applicationId: string,
  query: z.output<typeof AssignmentQuery>,
  context: ScopedContext & AssignmentStores,
): Promise<z.input<typeof AssignmentList>> {
  const { tenant, scopes, assignments } = context;
  const { startIndex = 1, user: userId } = query;
  const limit = Math.min(query.count ?? LIMIT_DEFAULTS.applications, LIMIT_MAX);
  const types = typesIn(query.filter);
  const offset = startIndex - 1;
  if (userId !== undefined) checkSeen(["user"], scopes);
  const { total, rows } =
    userId === undefined
      ? await pageOfAll(applicationId, { types, offset, limit }, context)
      : await pageOfUser(userId, applicationId, { types, offset, limit }, context);
  const shown = await present(applicationId, rows, context);
  return {
    totalResults: total,
    startIndex,
    count: shown.length,
    assignments: shown,
    links: linksOf(`${selfOf(tenant, applicationId)}/assignments`, query, { offset, limit, total }),
  };

  async function pageOfAll(id: string, range: Parameters<AssignmentStore["page"]>[3], _: Context) {
    const held = await assignments.held(tenant, id);
    const counts = { group: held.counts.groups, role: held.counts.roles, user: held.counts.users };
    const all = types.reduce((sum, type) => sum + counts[type], 0);
    return { total: all, rows: offset < all ? await assignments.page(tenant, id, held, range) : [] };
  }
}

async function pageOfUser(
  userId: string,
  applicationId: string,
  { types, offset, limit }: Parameters<AssignmentStore["page"]>[3],
  context: Context,
) {
  const { tenant, users, assignments } = context;
  const user = await users.find(tenant, userId);
  const possible = user ? await principalsOf(context, tenant, user) : [];
  const found = await assignments.among(
    tenant,
    applicationId,
    possible.filter(({ type }) => types.includes(type)),
  );
  return { total: found.length, rows: found.slice(offset, offset + limit) };
}

/** Assignments as callers see them, without those of principals that are deleted. One round trip. */
async function present(
  applicationId: string,
  rows: readonly Row[],
  context: ScopedContext & AssignmentStores,
): Promise<Shown[]> {
  const found = await existing(context, context.tenant, applicationId, rows);
  const names = new Map(found.map((one) => [assignmentIdOf(one), one.displayName]));
  return rows.flatMap((row): Shown[] => {
    const [id, { type, createdMs }] = [assignmentIdOf(row), row];
    const displayName = names.get(id);
    if (displayName === undefined) return [];
    return [
      {
        id,
        type,
        principal: { id: row.id, ...(maySee(type, context.scopes) && { displayName }) },
        ...(createdMs !== undefined && { createdAt: new Date(createdMs).toISOString() }),
      },
    ];
  });
}

function linksOf(
  path: string,
  { filter, user }: z.output<typeof AssignmentQuery>,
  { offset, limit, total }: Readonly<Record<"offset" | "limit" | "total", number>>,
): PageLink[] {
  const rest = { ...(filter?.trim() && { filter }), ...(user !== undefined && { user }) };
  const link = (rel: PageLink["rel"], from: number, count: number): PageLink => ({
    rel,
    href: `${path}?${new URLSearchParams({ startIndex: String(from + 1), count: String(count), ...rest })}`,
  });
  const before = Math.min(offset, total);
  return [
    ...(offset + limit < total ? [link("next", offset + limit, limit)] : []),
    ...(before > 0 ? [link("previous", Math.max(0, before - limit), Math.min(limit, before))] : []),
  ];
}

async function application(id: string, { tenant, applications }: Context): Promise<Application> {
  const found = await applications.find(tenant, id);
  if (!found) throw notFound(id, tenant);
  return found;
}
