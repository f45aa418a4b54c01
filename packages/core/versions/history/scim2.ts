/** The handlers of the histories of users, groups and roles. */

import { scim2Handlers } from "../../directory/scim-api/v2/handlers.ts";
import type { Scim2Stores } from "../../directory/scim-api/v2/stores.ts";
import type { RequestContext } from "../../kernel/operation/context.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import type { scim2HistoryOperations } from "./contract-scim2.ts";
import type { Subject } from "./history.ts";
import { readHistory } from "./reading.ts";
import { pastOf } from "./scim2-past.ts";
import type { WithHistory } from "./source.ts";

/** The dependencies of these handlers. */
export type Scim2HistoryStores = WithHistory<Scim2Stores>;

type Shown = Readonly<Record<string, unknown>>;
type Read = (stores: Scim2Stores) => Promise<{ readonly body: Shown }>;

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
  const shown = async () => {
    const { stores, isStale } = await pastOf(context, place, version, () => read(context));
    const { body } = await read(stores);
    return { body, isStale: isStale() };
  };
  const first = await shown();
  const { body } = first.isStale ? await shown() : first;
  const { version: _, ...meta } = (body.meta ?? {}) as Shown;
  // The entity tag is the one of the resource as it is now.
  return { ...body, ...(body.meta !== undefined && { meta }) };
}

function subject({ tenant }: RequestContext, type: "user" | "group" | "role", id: string): Subject {
  return { tenant, type, id };
}
