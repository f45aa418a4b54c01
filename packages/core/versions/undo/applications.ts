/** Restores versions of applications, of their authorized APIs and assignments, and of the resident application. */
import type { AssignmentStores } from "../../applications/assignments/handlers.ts";

import { type AuthorizedApiStores, lostScopes } from "../../applications/authorized-apis/handlers.ts";
import { type ApplicationStores, applicationHandlers } from "../../applications/management/handlers.ts";
import { presentProvisioning } from "../../applications/registry/present.ts";
import { namedRoles, withRoleNames } from "../../applications/registry/role-rules.ts";
import { checkApplication, checkRename, checkResident, notFound } from "../../applications/registry/rules.ts";
import { later } from "../../kernel/later.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import type { Subject } from "../history/history.ts";
import { empty, storesAt } from "../history/reading.ts";
import type { WithHistory } from "../history/source.ts";
import type { applicationUndoOperations } from "./contract-applications.ts";

type Stores = ApplicationStores & AuthorizedApiStores & AssignmentStores;

/** The dependencies of these handlers. */
export type ApplicationUndoStores = WithHistory<Stores>;

const { inboundAgain } = later(() => import("./protocols-again.ts"), "inboundAgain");
const { assignAgain } = later(() => import("./assignments-again.ts"), "assignAgain");
const { authorizationsAgain } = later(() => import("./authorizations-again.ts"), "authorizationsAgain");

export const applicationUndoHandlers: Handlers<typeof applicationUndoOperations, ApplicationUndoStores> = {
  async restoreApplicationVersion({ params: { version, applicationId: id } }, context) {
    const { tenant, scopes, history, applications, roles, protocols } = context;
    const subject: Subject = { tenant, type: "application", id };
    const past = await storesAt(history, subject, version, () =>
      applicationHandlers.getApplication({ params: { applicationId: id }, ...empty }, context),
    );
    const was = await past.applications.find(tenant, id);
    if (!was) throw notFound(id, tenant);
    const [named, inbound] = await Promise.all([
      roles.findMany(tenant, namedRoles(was)),
      inboundAgain(was.inbound, tenant, id, protocols),
    ]);
    await applications.update(tenant, id, scopes, (before) => {
      // Who owns it, and what an imported file had without effect, are no settings.
      const { kept: _, ...settings } = was;
      const { ownerId, kept } = before;
      const restored = {
        ...settings,
        ownerId,
        ...(kept !== undefined && { kept }),
        inbound: inbound(before.inbound),
      };
      const message = `Error restoring application with id: ${id}`;
      checkRename(before, restored.name);
      checkApplication(restored, tenant, message);
      return withRoleNames(restored, named, message);
    });
    return undefined;
  },

  async restoreAuthorizedApisVersion({ params: { version, applicationId: id } }, context) {
    const { tenant, scopes, history, authorizedApis, apiResources } = context;
    const subject: Subject = { tenant, type: "authorized-apis", id };
    const past = await storesAt(history, subject, version, () =>
      applicationHandlers.getApplication({ params: { applicationId: id }, ...empty }, context),
    );
    const was = await past.authorizedApis.of(tenant, id);
    await authorizedApis.update(tenant, id, (before) =>
      authorizationsAgain({ before, was, tenant, scopes, apiResources, lostScopes }),
    );
    return undefined;
  },

  async restoreAssignmentsVersion({ params: { version, applicationId: id } }, context) {
    const subject: Subject = { tenant: context.tenant, type: "assignments", id };
    const past = await storesAt(context.history, subject, version, () =>
      applicationHandlers.getApplication({ params: { applicationId: id }, ...empty }, context),
    );
    await assignAgain(id, past.assignments, context);
    return undefined;
  },

  async restoreResidentApplicationVersion({ params: { version } }, { tenant, history, applications }) {
    const subject: Subject = { tenant, type: "resident-application", id: "" };
    const past = await storesAt(history, subject, version, async () => undefined);
    const was = await past.applications.resident(tenant);
    checkResident(was);
    const settings = await applications.updateResident(tenant, () => was);
    return { provisioningConfigurations: presentProvisioning(settings) };
  },
};
