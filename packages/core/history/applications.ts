/** The handlers of the histories of applications, of their authorized APIs, and of the resident application. */
import { type AuthorizedApiStores, authorizedApiHandlers } from "../applications/authorized-apis/handlers.ts";
import { type ApplicationStores, applicationHandlers } from "../applications/management/handlers.ts";
import type { Handlers } from "../operation/operation.ts";
import { later } from "../platform/later.ts";
import type { applicationHistoryOperations } from "./contract-applications.ts";
import type { Subject } from "./history.ts";
import type { HistorySource } from "./source.ts";

type Stores = ApplicationStores & AuthorizedApiStores;

/** The dependencies of these handlers. */
export interface ApplicationHistoryStores extends Stores {
  readonly history: HistorySource<Stores>;
}

const [readHistory, storesAt] = later(() => import("./history.ts"), "readHistory", "storesAt");
const empty = { query: undefined, headers: undefined, body: undefined } as const;

export const applicationHistoryHandlers: Handlers<typeof applicationHistoryOperations, ApplicationHistoryStores> = {
  listApplicationHistory: ({ params, query }, context) =>
    readHistory(withKinds(context), application(context, params), query, () =>
      applicationHandlers.getApplication({ params, ...empty }, context),
    ),

  async getApplicationVersion({ params }, context) {
    const { version, ...own } = params;
    const read = (stores: Stores) =>
      applicationHandlers.getApplication({ params: own, ...empty }, { ...context, ...stores });
    return read(await storesAt(context.history, application(context, params), version, () => read(context)));
  },

  listAuthorizedApisHistory: ({ params, query }, context) =>
    readHistory(context, authorized(context, params), query, () =>
      applicationHandlers.getApplication({ params, ...empty }, context),
    ),

  async getAuthorizedApisVersion({ params }, context) {
    const { version, ...own } = params;
    const read = (stores: Stores) =>
      authorizedApiHandlers.listAuthorizedApis({ params: own, ...empty }, { ...context, ...stores });
    return read(await storesAt(context.history, authorized(context, params), version, () => read(context)));
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

interface InTenant {
  readonly tenant: string;
}

interface OfApplication {
  readonly applicationId: string;
}

function application({ tenant }: InTenant, { applicationId: id }: OfApplication): Subject {
  return { tenant, type: "application", id };
}

function authorized({ tenant }: InTenant, { applicationId: id }: OfApplication): Subject {
  return { tenant, type: "authorized-apis", id };
}

function resident({ tenant }: InTenant): Subject {
  return { tenant, type: "resident-application", id: "" };
}
