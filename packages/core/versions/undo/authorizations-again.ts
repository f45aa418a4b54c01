/** The authorizations of an application as they were: for those APIs and scopes that exist. */
import { isDeepStrictEqual } from "node:util";
import type { ApiResourceStore, HeldApi } from "../../applications/apis/store.ts";
import type { lostScopes } from "../../applications/authorized-apis/handlers.ts";
import type { Authorization } from "../../applications/registry/authorization-model.ts";
import { checkElevation, mergeScopes, policyOf } from "../../applications/registry/authorization-rules.ts";
import type { AuthorizationChange } from "../../applications/registry/authorization-store.ts";
import { Fault } from "../../kernel/faults.ts";

interface Again {
  readonly before: readonly Authorization[];
  readonly was: readonly Authorization[];
  readonly tenant: string;
  /** Those of the caller. */
  readonly scopes: ReadonlySet<string>;
  readonly apiResources: ApiResourceStore;
  readonly lostScopes: typeof lostScopes;
}

/** APIs that one transaction can hold. */
const CHANGED_MAX = 80;

/**
 * The change back to former authorizations; `undefined` where nothing changes. Throws `authorized_api.elevation` for
 * added scopes that the caller does not have.
 */
export async function authorizationsAgain({
  before,
  was,
  tenant,
  scopes,
  apiResources,
  lostScopes: lost,
}: Again): Promise<AuthorizationChange | undefined> {
  const ids = [...new Set([...was, ...before].map(({ apiId }) => apiId))];
  const found = await Promise.all(ids.map((id) => apiResources.hold(tenant, id)));
  const held = new Map<string, HeldApi>();
  for (const [at, id] of ids.entries()) {
    const one = found[at];
    if (one) held.set(id, one);
  }
  const old = new Map(before.map((one) => [one.apiId, one]));
  const after = was.flatMap((one): Authorization[] => {
    const api = held.get(one.apiId)?.api;
    if (!api) return [];
    const own = mergeScopes({ ...one, policy: policyOf(one.policy, api) }, api, [], []);
    const had = new Set(old.get(one.apiId)?.scopeIds);
    const added = api.scopes.filter(({ id }) => own.scopeIds.includes(id) && !had.has(id)).map(({ name }) => name);
    checkElevation(api, added, scopes);
    return [own];
  });
  if (isDeepStrictEqual(after, before)) return undefined;
  const changed = after.filter((one) => !isDeepStrictEqual(one, old.get(one.apiId)));
  if (changed.length > CHANGED_MAX) {
    throw new Fault("request.invalid", `More than ${CHANGED_MAX} APIs would change at once. Change them one by one.`);
  }
  const now = new Map(after.map((one) => [one.apiId, one]));
  return {
    after,
    holding: changed.flatMap(({ apiId }) => held.get(apiId)?.holding ?? []),
    lostScopes: before.flatMap((one) => lost(one, now.get(one.apiId), held.get(one.apiId)?.api)),
  };
}
