/** The APIs that an application may call. A declared list is the whole list. */
import type { AnswerOf, Api } from "../../client/client.ts";
import type { DeclaredApi } from "../declarations.ts";
import { type Change, hasUnknown, type Part } from "./declared.ts";
import { Refusal } from "./resource.ts";

const KEY = "authorizedApis";

export interface AuthorizedNow {
  readonly items: AnswerOf<"GET /api/server/v1/applications/{applicationId}/authorized-apis">;
  readonly etag: string | undefined;
}

export async function authorized(api: Api, applicationId: string): Promise<AuthorizedNow> {
  const { body, etag } = await api.request("GET /api/server/v1/applications/{applicationId}/authorized-apis", {
    params: { applicationId },
  });
  return { items: body, etag };
}

/** The declared list and that of the service in one order. */
export function apisPart(
  declared: readonly DeclaredApi[],
  before: readonly DeclaredApi[] | undefined,
  { items }: AuthorizedNow,
): Part {
  const policies = new Map(declared.map(({ identifier, policyIdentifier }) => [identifier, policyIdentifier]));
  const now = items.map(({ identifier, policyId, authorizedScopes }) => ({
    identifier,
    scopes: authorizedScopes.map(({ name }) => name),
    // In the letter case of the declaration, if that is the only difference.
    policyIdentifier: [policies.get(identifier)].find((each) => each?.toUpperCase() === policyId) ?? policyId,
  }));
  return {
    key: KEY,
    declared: ordered(declared),
    written: declared,
    before: before && ordered(before),
    now: ordered(now),
  };
}

/**
 * The requests that make the list as declared; `undefined` for `dropped` removes all others, a list only those.
 * Throws a `Refusal` for an API or a scope that neither the service nor the program has, and for another policy.
 */
export async function apiChanges(
  api: Api,
  application: `/${string}`,
  { items, etag: ifMatch }: AuthorizedNow,
  declared: readonly DeclaredApi[],
  dropped: readonly DeclaredApi[] | undefined,
): Promise<readonly Change[]> {
  const base: `/${string}` = `${application}/authorized-apis`;
  const changes: Change[] = [];
  for (const each of declared) {
    const now = items.find(({ identifier }) => identifier === each.identifier);
    if (hasUnknown(each)) {
      changes.push({ keys: [KEY], method: "POST", path: base, isLate: true });
      continue;
    }
    if (!now) {
      const { id, isLate } = await checkApi(api, each);
      const { policyIdentifier, scopes } = each;
      const body = { id, scopes, ...(policyIdentifier && { policyIdentifier }) };
      changes.push({ keys: [KEY], method: "POST", path: base, body, isLate });
      continue;
    }
    if (each.policyIdentifier && each.policyIdentifier.toUpperCase() !== now.policyId.toUpperCase()) {
      throw new Refusal(
        KEY,
        `The policy of ${each.identifier} is ${now.policyId} and cannot change. Remove the API, deploy, and add it again.`,
      );
    }
    const has = now.authorizedScopes.map(({ name }) => name);
    const addedScopes = each.scopes.filter((name) => !has.includes(name));
    const removedScopes = has.filter((name) => !each.scopes.includes(name));
    if (addedScopes.length + removedScopes.length === 0) continue;
    const { isLate } = addedScopes.length > 0 ? await checkApi(api, each) : { isLate: false };
    changes.push({
      keys: [KEY],
      method: "PATCH",
      path: `${base}/${encodeURIComponent(now.id)}`,
      body: { addedScopes, removedScopes },
      ifMatch,
      isLate,
    });
  }
  const kept = new Set(declared.map(({ identifier }) => identifier));
  for (const { id, identifier } of items) {
    if (kept.has(identifier) || (dropped && !dropped.some((each) => each.identifier === identifier))) continue;
    changes.push({ keys: [KEY], method: "DELETE", path: `${base}/${encodeURIComponent(id)}`, ifMatch });
  }
  return changes;
}

/**
 * The id of a declared API. `isLate`: it, or one of its scopes, is declared by the same program and does not exist yet.
 * Throws a `Refusal` for what neither the service nor the program has.
 */
export async function checkApi(
  api: Api,
  declared: DeclaredApi,
): Promise<{ readonly id: string | undefined; readonly isLate: boolean }> {
  const { identifier, scopes, offered } = declared;
  if (hasUnknown(declared)) return { id: undefined, isLate: true };
  const found = await api
    .list("GET /api/server/v1/api-resources", { query: { filter: `identifier eq ${identifier}` } })
    .all();
  const id = found.find((each) => each.identifier === identifier)?.id;
  if (!id && !offered) {
    throw new Refusal(
      KEY,
      `No API resource has the identifier ${identifier}. If this program declares it, write { api: <the resource> }.`,
    );
  }
  const { scopes: existing } = id ? await api.apiResources.get(id) : { scopes: [] };
  const names = existing.map(({ name }) => name);
  const missing = scopes.filter((name) => !names.includes(name));
  const unknown = missing.filter((name) => !offered?.includes(name));
  if (unknown.length > 0) {
    throw new Refusal(
      KEY,
      `The API resource ${identifier} has no scope ${unknown.map((name) => `'${name}'`).join(", ")}.`,
    );
  }
  return { id, isLate: !id || missing.length > 0 };
}

/** Without what only a deployment needs, in an order of its own. */
function ordered(list: readonly DeclaredApi[]) {
  return list
    .map(({ offered: _, ...each }) => ({ ...each, scopes: [...each.scopes].sort() }))
    .sort((a, b) => (a.identifier < b.identifier ? -1 : 1));
}
