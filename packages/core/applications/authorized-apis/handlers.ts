/** The handlers of the operations on authorized APIs. */
import type * as z from "zod";
import type { ApiResource } from "../../kernel/domain/api-resource.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import type { ApiResourceStore } from "../apis/store.ts";
import type { Authorization } from "../registry/authorization-model.ts";
import {
  alreadyAuthorized,
  apiUnknown,
  checkElevation,
  checkRoom,
  checkScopes,
  mergeScopes,
  notAuthorized,
  policyOf,
} from "../registry/authorization-rules.ts";
import type { AuthorizedApiStore } from "../registry/authorization-store.ts";
import type { AuthorizedApi, authorizedApiOperations } from "./contract.ts";

/** The dependencies of these handlers. */
export interface AuthorizedApiStores {
  readonly apiResources: ApiResourceStore;
  readonly authorizedApis: AuthorizedApiStore;
}

export const authorizedApiHandlers: Handlers<typeof authorizedApiOperations, AuthorizedApiStores> = {
  async listAuthorizedApis({ params }, { tenant, apiResources, authorizedApis }) {
    const authorizations = await authorizedApis.of(tenant, params.applicationId);
    const apis = await apiResources.findMany(tenant, idsOf(authorizations));
    return authorizations.flatMap((authorization) => {
      const api = apis.get(authorization.apiId);
      return api ? [presentAuthorizedApi(authorization, api)] : [];
    });
  },

  async authorizeApi({ params: { applicationId }, body }, { tenant, scopes: own, apiResources, authorizedApis }) {
    const { id: apiId, policyIdentifier, scopes = [] } = body;
    if (!apiId) throw apiUnknown(apiId);
    await authorizedApis.update(tenant, applicationId, async (before) => {
      const [held, apis] = await Promise.all([
        apiResources.hold(tenant, apiId),
        apiResources.findMany(tenant, idsOf(before)),
      ]);
      // Authorizations of deleted APIs are dropped on the way.
      const alive = before.filter((authorization) => apis.has(authorization.apiId));
      if (held && idsOf(alive).includes(apiId)) throw alreadyAuthorized(apiId, applicationId);
      if (!held) throw apiUnknown(apiId);
      checkScopes(held.api, scopes);
      checkElevation(held.api, scopes, own);
      const fresh: Authorization = { apiId, policy: policyOf(policyIdentifier, held.api), scopeIds: [] };
      checkRoom(alive);
      return { after: [...alive, mergeScopes(fresh, held.api, scopes, [])], holding: held.holding };
    });
    return undefined;
  },

  async patchAuthorizedApi({ params, body }, { tenant, scopes: own, apiResources, authorizedApis }) {
    const { applicationId, apiId } = params;
    const { addedScopes = [], removedScopes = [] } = body;
    await authorizedApis.update(tenant, applicationId, async (before) => {
      const held = await apiResources.hold(tenant, apiId);
      if (!held) throw apiUnknown(apiId);
      checkScopes(held.api, addedScopes);
      const old = before.find((authorization) => authorization.apiId === apiId);
      if (!old) throw notAuthorized(apiId, applicationId);
      checkElevation(held.api, addedScopes, own);
      const merged = mergeScopes(old, held.api, addedScopes, removedScopes);
      return {
        after: before.map((authorization) => (authorization === old ? merged : authorization)),
        holding: held.holding,
        lostScopes: lostScopes(old, merged, held.api),
      };
    });
    return undefined;
  },

  async deleteAuthorizedApi({ params: { applicationId, apiId } }, { tenant, apiResources, authorizedApis }) {
    await authorizedApis.update(tenant, applicationId, async (before) => {
      const old = before.find((authorization) => authorization.apiId === apiId);
      if (!old) return undefined;
      const api = await apiResources.find(tenant, apiId);
      return {
        after: before.filter((authorization) => authorization !== old),
        holding: [],
        lostScopes: lostScopes(old, undefined, api),
      };
    });
    return undefined;
  },
};

function idsOf(authorizations: readonly Authorization[]): string[] {
  return authorizations.map(({ apiId }) => apiId);
}

/** The current names; scopes that the API no longer has are omitted. */
function presentAuthorizedApi({ policy, scopeIds }: Authorization, api: ApiResource): z.input<typeof AuthorizedApi> {
  const authorized = new Set(scopeIds);
  return {
    id: api.id,
    identifier: api.identifier,
    displayName: api.name,
    policyId: policy,
    type: api.type,
    authorizedScopes: api.scopes
      .filter(({ id }) => authorized.has(id))
      .map(({ id, name, displayName }) => ({ id, name, displayName })),
  };
}

/** The names of the scopes that `after` no longer has, or has for users with a role alone. */
export function lostScopes(
  before: Authorization,
  after: Authorization | undefined,
  api: ApiResource | undefined,
): string[] {
  const isNarrower = after?.policy === "RBAC" && before.policy !== "RBAC";
  const kept = new Set(isNarrower ? [] : after?.scopeIds);
  const lost = new Set(before.scopeIds.filter((id) => !kept.has(id)));
  return (api?.scopes ?? []).filter(({ id }) => lost.has(id)).map(({ name }) => name);
}
