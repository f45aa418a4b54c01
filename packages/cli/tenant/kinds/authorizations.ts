/** The APIs that an application may call: the requests that make them as a document says. */
import type { Api } from "#client/client.ts";
import { type Document, isDocument, isSame, type Value } from "../document.ts";
import type { Step, Work } from "../kind.ts";
import { sending, texts } from "./simple.ts";

const APPLICATIONS = "/api/server/v1/applications";

/** The requests that authorise an application for these APIs, and no other. `apiIds` has the ids of those it has. */
export function authorizationSteps(id: string, before: Value, after: Value, apiIds: Document): readonly Step[] {
  const path = `${APPLICATIONS}/${encodeURIComponent(id)}/authorized-apis` as const;
  const list = (value: Value) => (Array.isArray(value) ? value.filter(isDocument) : []);
  const removed = list(before).filter((old) => !list(after).some(({ identifier }) => identifier === old.identifier));
  const one = (identifier: Value) => `${path}/${encodeURIComponent(String(apiIds[String(identifier)] ?? ""))}` as const;
  const kept = list(after).flatMap((next): readonly Step[] => {
    const old = list(before).find(({ identifier }) => identifier === next.identifier);
    if (isSame(old, next)) return [];
    const scopes = texts(next.scopes ?? []);
    if (old && isSame(old.policy, next.policy)) {
      const had = texts(old.scopes ?? []);
      const addedScopes = scopes.filter((scope) => !had.includes(scope));
      const removedScopes = had.filter((scope) => !scopes.includes(scope));
      return [sending("PATCH", one(next.identifier ?? ""), { addedScopes, removedScopes })];
    }
    const post: Step = {
      async run({ api, ids, dryRun }) {
        const apiId = apiIds[String(next.identifier)] ?? (await apiIdOf(api, ids, String(next.identifier)));
        const body = { id: apiId, policyIdentifier: next.policy ?? "RBAC", scopes };
        await api.send("POST", path, { body, dryRun });
      },
    };
    return old ? [sending("DELETE", one(next.identifier ?? "")), { ...post, isLater: true }] : [post];
  });
  return [...removed.map(({ identifier = "" }) => sending("DELETE", one(identifier))), ...kept];
}

/** The id of an API of the tenant or of the service. */
async function apiIdOf(api: Api, ids: Work["ids"], identifier: string): Promise<string> {
  const known = ids.find("api-resources", identifier);
  if (known !== undefined) return known;
  const found = await api.apiResources.list({ filter: `identifier eq ${identifier}` }).all();
  const id = found.find((one) => one.identifier === identifier)?.id;
  if (id === undefined) return ids.get("api-resources", identifier);
  ids.set("api-resources", identifier, id);
  return id;
}
