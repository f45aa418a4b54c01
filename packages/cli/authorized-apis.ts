/**
 * The authorized APIs of an application. Application files cannot hold them, so an export writes them to a second file
 * and an import authorizes them again with the rights of the caller. APIs are named by their identifier, because ids
 * differ between servers.
 */
import { type Api, listIn, reasonOf, textIn } from "./client.ts";
import { companions } from "./companions.ts";

/** An API and the scopes of it that an application may have. */
export interface AuthorizedApi {
  readonly identifier: string;
  readonly policy: string;
  readonly scopes: readonly string[];
}

/** Finds the id of an API by its identifier, with one request per identifier. */
type Finder = (identifier: string) => Promise<string | { readonly why: string }>;

/** Authorizes an application for the APIs that it lacks. Returns the failures, one text each. */
export type Authorize = (applicationId: string, apis: readonly AuthorizedApi[]) => Promise<readonly string[]>;

/** The files of authorized APIs. */
export const apiFiles = companions({
  word: "authorized-apis",
  member: "authorizedApis",
  what: "its authorized APIs",
  itemOf(api): AuthorizedApi | undefined {
    const [identifier, policy] = [textIn(api, "identifier"), textIn(api, "policy")];
    const scopes = listIn(api, "scopes");
    if (identifier === undefined || policy === undefined) return undefined;
    return scopes?.every((scope) => typeof scope === "string") ? { identifier, policy, scopes } : undefined;
  },
});

/**
 * The authorized APIs of an application, or the reason why they cannot be read. A server without this operation (404)
 * has none.
 */
export async function authorizedOf(api: Api, applicationId: string): Promise<readonly AuthorizedApi[] | string> {
  const answer = await api.attempt("GET", pathOf(applicationId));
  if (answer.status === 404) return [];
  const shown = answer.status === 200 ? listIn(answer.body) : undefined;
  return shown?.flatMap((each) => fromResponse(each) ?? []) ?? `without its authorized APIs: ${reasonOf(answer)}`;
}

function fromResponse(api: unknown): AuthorizedApi | undefined {
  const [identifier, policy] = [textIn(api, "identifier"), textIn(api, "policyId") ?? "RBAC"];
  const scopes = (listIn(api, "authorizedScopes") ?? []).flatMap((scope) => textIn(scope, "name") ?? []);
  return identifier === undefined ? undefined : { identifier, policy, scopes };
}

/** Prepares authorizing for one run. It only adds: further authorizations of the application stay. */
export function authorizing(api: Api): Authorize {
  const find = finderOf(api);
  const authorizeOne = async (
    path: string,
    before: AuthorizedApi | undefined,
    { identifier, policy, scopes }: AuthorizedApi,
  ): Promise<string | undefined> => {
    const missing = scopes.filter((scope) => !before?.scopes.includes(scope));
    if (before && missing.length === 0) return undefined;
    const id = await find(identifier);
    if (typeof id !== "string") return `${identifier} (${id.why})`;
    const answer = before
      ? await api.attempt("PATCH", `${path}/${encodeURIComponent(id)}`, { addedScopes: missing })
      : await api.attempt("POST", path, { id, policyIdentifier: policy, scopes });
    return answer.status < 300 ? undefined : `${identifier} (${reasonOf(answer)})`;
  };
  return async (applicationId, apis) => {
    const before = await authorizedOf(api, applicationId);
    if (typeof before === "string") return [before];
    const failures: string[] = [];
    for (const each of apis) {
      const same = before.find(({ identifier }) => identifier === each.identifier);
      const failure = await authorizeOne(pathOf(applicationId), same, each);
      if (failure !== undefined) failures.push(failure);
    }
    return failures;
  };
}

function finderOf(api: Api): Finder {
  const known = new Map<string, ReturnType<Finder>>();
  const find: Finder = async (identifier) => {
    const filter = encodeURIComponent(`identifier eq ${identifier}`);
    const answer = await api.attempt("GET", `/api-resources?limit=10&filter=${filter}`);
    if (answer.status !== 200) return { why: `cannot look up APIs: ${reasonOf(answer)}` };
    const found = listIn(answer.body, "apiResources")?.find((each) => textIn(each, "identifier") === identifier);
    return textIn(found, "id") ?? { why: "the server has no such API" };
  };
  return (identifier) => {
    const found = known.get(identifier) ?? find(identifier);
    known.set(identifier, found);
    return found;
  };
}

function pathOf(applicationId: string): string {
  return `/applications/${encodeURIComponent(applicationId)}/authorized-apis`;
}
