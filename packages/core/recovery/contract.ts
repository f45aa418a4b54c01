/** The operations on deleted resources (decision 0084). */
import { endpointsOf } from "../operation/endpoints.ts";
import { operation } from "../operation/operation.ts";
import { LIMIT_MAX, wholeNumber } from "../platform/management-api.ts";
import * as z from "../platform/zod.ts";
import { type Act, furtherScopesTo, scopeTo } from "./scopes.ts";
import {
  DeletedId,
  DeletedResource,
  DeletedResourceList,
  ResourceType,
  RestoreBody,
  RestoredResource,
} from "./shapes.ts";

/** The default number of resources on a page. */
export const LIMIT_DEFAULT = 30;

const Path = z.object({ id: DeletedId });

const ListQuery = z.object({
  resourceType: ResourceType.optional().meta({ description: "Only resources of this type" }),
  limit: wholeNumber(
    {
      description: `The maximum number of resources on a page; a value above ${LIMIT_MAX} means ${LIMIT_MAX}`,
      default: LIMIT_DEFAULT,
      minimum: 1,
    },
    1,
  ),
  after: z.string().max(500).optional().meta({ description: "The page after this cursor, as `next` gives it" }),
});

const scopes = { view: scopeTo("view"), restore: scopeTo("restore"), remove: scopeTo("remove") } as const;
const at = endpointsOf("recovery", "/api/server/v1/deleted-resources", scopes, "decision 0084");
/** The scope of any type is enough to ask: the handler checks that of the type. */
const partial = (act: Act) => ({ seesScopes: true, partialScopes: furtherScopesTo(act) }) as const;

export const recoveryOperations = {
  listDeletedResources: operation({
    ...at("GET", "", "view"),
    ...partial("view"),
    summary: "List deleted resources that can be restored, the latest first: of the types that the caller may view",
    query: ListQuery,
    success: { status: 200, body: DeletedResourceList },
    failures: [400, 403],
  }),
  getDeletedResource: operation({
    ...at("GET", "/{id}", "view"),
    ...partial("view"),
    summary: "Read what is known of one deleted resource",
    params: Path,
    success: { status: 200, body: DeletedResource },
    failures: [403, 404],
  }),
  restoreDeletedResource: operation({
    ...at("POST", "/{id}/restore", "restore"),
    ...partial("restore"),
    summary: "Restore a deleted resource under its id, with its memberships, settings and secrets",
    params: Path,
    body: RestoreBody,
    bodyOptional: true,
    success: { status: 200, location: true, body: RestoredResource },
    failures: [400, 403, 404, 409],
  }),
  removeDeletedResource: operation({
    ...at("DELETE", "/{id}", "remove"),
    ...partial("remove"),
    summary: "Remove a deleted resource for good",
    params: Path,
    success: { status: 204 },
    failures: [403, 404],
  }),
} as const;
