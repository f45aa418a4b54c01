/** The functions behind the SCIM 1.1 operations. */

import { callerId, type RequestContext, type ScopedContext } from "../../operation/context.ts";
import type { Handlers } from "../../operation/operation.ts";
import { Fault } from "../../platform/faults.ts";
import { groupType, userType } from "../../scim/schema/resource-types.ts";
import { bulk } from "./bulk.ts";
import type { scim1Operations } from "./contract.ts";
import { patchGroup, postGroup, putGroup, readGroup, removeGroup } from "./groups.ts";
import { listGroups, listUsers } from "./list.ts";
import { type Asking, wantedOf } from "./show.ts";
import type { Scim1Stores } from "./stores.ts";
import { patchUser, postUser, putUser, readUser, removeUser, type Whom } from "./users.ts";

export const scim1Handlers: Handlers<typeof scim1Operations, Scim1Stores> = {
  createScim1User: ({ body }, context) => postUser(context, askingOf(context), body),
  listScim1Users: ({ query }, context) => listUsers(context, askingOf(context), query),
  getScim1User: ({ params, query }, context) =>
    readUser(context, askingOf(context), params, wantedOf(userType, query.attributes)),
  replaceScim1User: ({ params, body }, context) => putUser(context, askingOf(context), params, body),
  patchScim1User: ({ params, body }, context) => patchUser(context, askingOf(context), params, body),
  async deleteScim1User({ params }, context) {
    await removeUser(context, askingOf(context), params.id);
    return undefined;
  },

  getScim1Me: async ({ query }, context) =>
    readUser(context, askingOf(context), selfIn(context), wantedOf(userType, query.attributes)),
  replaceScim1Me: async ({ body }, context) => putUser(context, askingOf(context), selfIn(context), body),
  patchScim1Me: async ({ body }, context) => patchUser(context, askingOf(context), selfIn(context), body),
  async deleteScim1Me(_, context) {
    await removeUser(context, askingOf(context), "me");
    return undefined;
  },

  createScim1Group: ({ body }, context) => postGroup(context, askingOf(context), body),
  listScim1Groups: ({ query }, context) => listGroups(context, askingOf(context), query),
  getScim1Group: ({ params, query }, context) =>
    readGroup(context, askingOf(context), params.id, wantedOf(groupType, query.attributes)),
  replaceScim1Group: ({ params, body }, context) => putGroup(context, askingOf(context), params.id, body),
  patchScim1Group: ({ params, body }, context) => patchGroup(context, askingOf(context), params.id, body),
  async deleteScim1Group({ params }, context) {
    await removeGroup(context, askingOf(context), params.id);
    return undefined;
  },

  scim1Bulk: ({ body }, context) => bulk(context, askingOf(context), context, body),
};

/** Paths are the same in every tenant: the credential says which it is (spec access-and-scim.md, "SCIM 1.1"). */
function askingOf({ origin, tenant, now, principal, scopes }: RequestContext & Partial<ScopedContext>): Asking {
  return {
    origin,
    tenant,
    now,
    subject: callerId(principal),
    scopes,
    base: "/svc/scim",
  };
}

/** The user who asks. An application that calls on its own account is none. */
function selfIn({ principal }: RequestContext): Whom {
  if (principal.kind === "user") return { id: principal.subject, isSelf: true };
  throw new Fault("scim.forbidden", "/Users/me is for users; the credential belongs to an application.");
}
