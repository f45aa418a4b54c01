/** The assignments of an application as they were: of those users, groups and roles that exist. */
import { type AssignmentStores, removal } from "../../applications/assignments/handlers.ts";
import { existing } from "../../applications/assignments/principals.ts";
import { assignmentFaults, assignmentIdOf, checkSeen } from "../../applications/assignments/rules.ts";
import { notFound } from "../../applications/registry/rules.ts";
import type { Assigned, Held } from "../../directory/memberships/assignment-model.ts";
import { ASSIGNED_AT_ONCE, ASSIGNMENTS_MAX, type AssignmentStore } from "../../directory/memberships/assignments.ts";
import { principalTypes } from "../../kernel/domain/principals.ts";
import { Fault } from "../../kernel/faults.ts";
import type { ScopedContext } from "../../kernel/operation/context.ts";

/**
 * Changes the assignments back to what `past` has. Throws `application.not_found`, `assignment.unseen` for types that
 * the caller may not see and that would be assigned, and `request.invalid` where more changes than fit into one
 * transaction.
 */
export async function assignAgain(
  applicationId: string,
  past: AssignmentStore,
  context: ScopedContext & AssignmentStores,
): Promise<void> {
  const { tenant, scopes, applications, assignments } = context;
  const everything = { types: principalTypes, offset: 0, limit: ASSIGNMENTS_MAX };
  const was = await past.page(tenant, applicationId, await past.held(tenant, applicationId), everything);
  await assignments.update(tenant, applicationId, assignmentFaults, async (held: Held) => {
    const [owner, now] = await Promise.all([
      applications.find(tenant, applicationId),
      assignments.page(tenant, applicationId, held, everything),
    ]);
    if (!owner) throw notFound(applicationId, tenant);
    const [before, after] = [namesOf(now), namesOf(was)];
    const lacking = was.filter((one) => !before.has(assignmentIdOf(one)));
    const removing = now.filter((one) => !after.has(assignmentIdOf(one)));
    if (lacking.length + removing.length > ASSIGNED_AT_ONCE) {
      throw new Fault(
        "request.invalid",
        `More than ${ASSIGNED_AT_ONCE} assignments would change at once. Change them one by one.`,
      );
    }
    const adding = await existing(context, tenant, applicationId, lacking);
    const seen = adding.map(({ type }) => type);
    checkSeen(seen, scopes);
    const taken = await removal(owner, removing, context);
    return {
      ...taken,
      adding: adding.map(({ type, id }): Assigned => ({ type, id })),
    };
  });
}

function namesOf(some: readonly Assigned[]): ReadonlySet<string> {
  return new Set(some.map(assignmentIdOf));
}
