/** The handlers of the histories of users, groups and roles. */
import type { RequestContext } from "../operation/context.ts";
import type { Handlers } from "../operation/operation.ts";
import { Fault } from "../platform/faults.ts";
import { later } from "../platform/later.ts";
import { scim2Handlers } from "../scim-api/v2/handlers.ts";
import type { Scim2Stores } from "../scim-api/v2/stores.ts";
import type { scim2HistoryOperations } from "./contract-scim2.ts";
import type { ReadNow, Subject } from "./history.ts";
import type { HistorySource } from "./source.ts";

/** The dependencies of these handlers. */
export interface Scim2HistoryStores extends Scim2Stores {
  readonly history: HistorySource<Scim2Stores>;
}

type Shown = Readonly<Record<string, unknown>>;
type Read = (stores: Scim2Stores) => Promise<{ readonly body: Shown }>;

const [readHistory, storesAt] = later(() => import("./history.ts"), "readHistory", "storesAt");
const empty = { headers: undefined, body: undefined } as const;
/** What is needed to see whether a resource exists. */
const brief = { attributes: "id" } as const;

export const scim2HistoryHandlers: Handlers<typeof scim2HistoryOperations, Scim2HistoryStores> = {
  listUserHistory: ({ params, query }, context) =>
    readHistory(context, subject(context, "user", params.id), query, () =>
      scim2Handlers.getUser({ params, query: brief, ...empty }, context),
    ),
  getUserVersion: ({ params: { version, ...params }, query }, context) =>
    shownAt(context, subject(context, "user", params.id), version, (stores) =>
      scim2Handlers.getUser({ params, query, ...empty }, { ...context, ...stores }),
    ),

  listGroupHistory: ({ params, query }, context) =>
    readHistory(context, subject(context, "group", params.id), query, () =>
      scim2Handlers.getGroup({ params, query: brief, ...empty }, context),
    ),
  getGroupVersion: ({ params: { version, ...params }, query }, context) =>
    shownAt(context, subject(context, "group", params.id), version, (stores) =>
      scim2Handlers.getGroup({ params, query, ...empty }, { ...context, ...stores }),
    ),

  listRoleHistory: ({ params, query }, context) =>
    readHistory(context, subject(context, "role", params.id), query, () =>
      scim2Handlers.getRole({ params, query: brief, ...empty }, { ...context, scopes: new Set<string>() }),
    ),
  getRoleVersion: ({ params: { version, ...params }, query }, context) =>
    shownAt(context, subject(context, "role", params.id), version, (stores) =>
      scim2Handlers.getRole({ params, query, ...empty }, { ...context, ...stores }),
    ),
};

async function shownAt(
  context: RequestContext & Scim2HistoryStores,
  place: Subject,
  version: string,
  read: Read,
): Promise<Record<string, unknown>> {
  const readNow: ReadNow = () => read(context);
  const stores = await storesAt(context.history, place, version, readNow).catch(async (error: unknown) => {
    if (!(error instanceof Fault && error.fault === "service.unavailable")) throw error;
    // Reading it as it is now carries out a bulk membership that is not finished.
    await readNow();
    return storesAt(context.history, place, version, readNow);
  });
  const { body } = await read(stores);
  const { version: _, ...meta } = (body.meta ?? {}) as Shown;
  // The entity tag is the one of the resource as it is now.
  return { ...body, ...(body.meta !== undefined && { meta }) };
}

function subject({ tenant }: RequestContext, type: "user" | "group" | "role", id: string): Subject {
  return { tenant, type, id };
}
