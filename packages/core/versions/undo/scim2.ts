/** Restores versions of users, groups and roles: by the code of their replacement, without what does not exist now. */

import { scim2Handlers } from "../../directory/scim-api/v2/handlers.ts";
import type { Scim2Stores } from "../../directory/scim-api/v2/stores.ts";
import { later } from "../../kernel/later.ts";
import type { ScopedContext } from "../../kernel/operation/context.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import type { Subject } from "../history/history.ts";
import { pastOf } from "../history/scim2-past.ts";
import type { WithHistory } from "../history/source.ts";
import type { scim2UndoOperations } from "./contract-scim2.ts";

/** The dependencies of these handlers. */
export type Scim2UndoStores = WithHistory<Scim2Stores>;

type Context = ScopedContext & Scim2UndoStores;
type Type = "user" | "group" | "role";

const { userBody, groupBody, roleBody } = later(
  () => import("./scim2-bodies.ts"),
  ...(["userBody", "groupBody", "roleBody"] as const),
);
const brief = { query: { attributes: "id" }, headers: undefined, body: undefined } as const;

export const scim2UndoHandlers: Handlers<typeof scim2UndoOperations, Scim2UndoStores> = {
  async restoreUserVersion({ params: { version, ...params }, query }, context) {
    const past = await before(context, "user", params.id, version, () =>
      scim2Handlers.getUser({ params, ...brief }, context),
    );
    const body = await userBody(context, past, params.id);
    return scim2Handlers.replaceUser({ params, query, headers: undefined, body }, context);
  },

  async restoreGroupVersion({ params: { version, ...params }, query }, context) {
    const past = await before(context, "group", params.id, version, () =>
      scim2Handlers.getGroup({ params, ...brief }, context),
    );
    const body = await groupBody(context, past, params.id);
    return scim2Handlers.replaceGroup({ params, query, headers: undefined, body }, context);
  },

  async restoreRoleVersion({ params: { version, ...params }, query }, context) {
    const past = await before(context, "role", params.id, version, () =>
      scim2Handlers.getRole({ params, ...brief }, context),
    );
    const body = await roleBody(context, past, params.id);
    return scim2Handlers.replaceRole({ params, query, headers: undefined, body }, context);
  },
};

/** The stores as they were for a resource after a change. */
async function before(
  context: Context,
  type: Type,
  id: string,
  version: string,
  readNow: () => Promise<unknown>,
): Promise<Scim2Stores> {
  const subject: Subject = { tenant: context.tenant, type, id };
  const { stores } = await pastOf(context, subject, version, readNow);
  return stores;
}
