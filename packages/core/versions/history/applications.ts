/** The handlers of the histories of applications, of what belongs to them, and of the resident application. */
import { type AssignmentStores, listAssignments } from "../../applications/assignments/handlers.ts";
import { type AuthorizedApiStores, authorizedApiHandlers } from "../../applications/authorized-apis/handlers.ts";
import { type ApplicationStores, applicationHandlers } from "../../applications/management/handlers.ts";
import type { RequestContext } from "../../kernel/operation/context.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import type { applicationHistoryOperations } from "./contract-applications.ts";
import type { Subject } from "./history.ts";
import { empty, historyHandlers, readHistory, storesAt } from "./reading.ts";
import type { WithHistory } from "./source.ts";

type Stores = ApplicationStores & AuthorizedApiStores & AssignmentStores;
type Context = RequestContext & Stores;

/** The dependencies of these handlers. */
export type ApplicationHistoryStores = WithHistory<Stores>;

interface Path {
  readonly applicationId: string;
}

const application = historyHandlers("application", idIn, (params: Path, context: Context) =>
  applicationHandlers.getApplication({ params, ...empty }, context),
);
const authorized = historyHandlers("authorized-apis", idIn, (params: Path, context: Context) =>
  authorizedApiHandlers.listAuthorizedApis({ params, ...empty }, context),
);

export const applicationHistoryHandlers: Handlers<typeof applicationHistoryOperations, ApplicationHistoryStores> = {
  listApplicationHistory: (input, context) => application.list(input, withKinds(context)),
  getApplicationVersion: application.at,

  listAuthorizedApisHistory: ({ params, query }, context) =>
    readHistory(context, { tenant: context.tenant, type: "authorized-apis", id: idIn(params) }, query, () =>
      applicationHandlers.getApplication({ params, ...empty }, context),
    ),
  getAuthorizedApisVersion: authorized.at,

  listAssignmentsHistory: ({ params, query }, context) =>
    readHistory(context, { tenant: context.tenant, type: "assignments", id: idIn(params) }, query, () =>
      applicationHandlers.getApplication({ params, ...empty }, context),
    ),
  async getAssignmentsVersion({ params, query }, context) {
    const { tenant, history } = context;
    const subject: Subject = { tenant, type: "assignments", id: idIn(params) };
    const past = await storesAt(history, subject, params.version, () =>
      applicationHandlers.getApplication({ params, ...empty }, context),
    );
    // The principals are those of now, by the names that they have now.
    return listAssignments(params.applicationId, query, { ...context, assignments: past.assignments });
  },

  listResidentApplicationHistory: ({ query }, context) =>
    readHistory(context, resident(context), query, async () => undefined),
  async getResidentApplicationVersion({ params }, context) {
    const stores = await storesAt(context.history, resident(context), params.version, async () => undefined);
    return applicationHandlers.getResidentApplication({ params: undefined, ...empty }, { ...context, ...stores });
  },
};

function withKinds<C extends ApplicationStores>(context: C) {
  return { ...context, customKinds: context.protocols.customKinds };
}

function idIn({ applicationId }: Path): string {
  return applicationId;
}

function resident({ tenant }: RequestContext): Subject {
  return { tenant, type: "resident-application", id: "" };
}
