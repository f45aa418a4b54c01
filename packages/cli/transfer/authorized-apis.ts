/**
 * The APIs that an application may call. Files of applications have no place for them, so an export writes them beside the file,
 * and an import authorizes them again, as whoever runs it: by the identifier of the API, because ids are each service's own.
 */
import { readFile, rm } from "node:fs/promises";
import { type Api, listIn, reasonOf, textIn } from "./client.ts";
import { writeWhole } from "./files.ts";

/** One API, and the scopes of it that the application may have. */
interface Authorized {
  readonly identifier: string;
  readonly policy: string;
  readonly scopes: readonly string[];
}

/** What stands beside the file of an application. */
export interface Beside {
  readonly application: string;
  readonly apis: readonly Authorized[];
}

/** Finds APIs by their identifiers, each once: its id, or why there is none, as an object so that nobody takes it for an id. */
type Finder = (identifier: string) => Promise<string | { readonly why: string }>;

/** Authorizes an application for APIs, as far as it is not yet; answers what could not be done, a line for each. */
export type Authorize = (applicationId: string, apis: readonly Authorized[]) => Promise<readonly string[]>;

/** Where the APIs of the application in a file stand. */
export function besideOf(file: string): string {
  return file.replace(/\.xml$/, ".authorized-apis.json");
}

/** The APIs of an application, or why they cannot be read. A service that knows none of them (404) has none to lose. */
export async function authorizedOf(api: Api, applicationId: string): Promise<readonly Authorized[] | string> {
  const answer = await api.attempt("GET", pathOf(applicationId));
  if (answer.status === 404) return [];
  const shown = answer.status === 200 ? listIn(answer.body) : undefined;
  return shown?.flatMap((each) => shownIn(each) ?? []) ?? `without its authorized APIs: ${reasonOf(answer)}`;
}

function shownIn(api: unknown): Authorized | undefined {
  const [identifier, policy] = [textIn(api, "identifier"), textIn(api, "policyId") ?? "RBAC"];
  const scopes = (listIn(api, "authorizedScopes") ?? []).flatMap((scope) => textIn(scope, "name") ?? []);
  return identifier === undefined ? undefined : { identifier, policy, scopes };
}

/** Keeps the APIs of an application in a file; where there are none, there is none. */
export async function writeBeside(path: string, application: string, apis: readonly Authorized[]): Promise<void> {
  if (apis.length === 0) return rm(path, { force: true });
  await writeWhole(path, `${JSON.stringify({ application, authorizedApis: apis }, undefined, 2)}\n`);
}

/** Reads what an export wrote beside a file: `undefined` where there is nothing, and a sentence where it is something else. */
export async function readBeside(path: string): Promise<Beside | string | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  const trouble = "the file of its authorized APIs is not as an export writes it: mend or remove it";
  try {
    const body: unknown = JSON.parse(text);
    const application = textIn(body, "application");
    const apis = listIn(body, "authorizedApis")?.map(keptIn);
    if (application === undefined || !apis?.every((each) => each !== undefined)) return trouble;
    return { application, apis };
  } catch {
    return trouble;
  }
}

function keptIn(api: unknown): Authorized | undefined {
  const [identifier, policy] = [textIn(api, "identifier"), textIn(api, "policy")];
  const scopes = listIn(api, "scopes");
  const isText = scopes?.every((scope): scope is string => typeof scope === "string");
  return identifier !== undefined && policy !== undefined && isText
    ? { identifier, policy, scopes: scopes as readonly string[] }
    : undefined;
}

/** Opens that for one run. Nothing is taken away: what an application may call beyond that it still may. */
export function authorizing(api: Api): Authorize {
  const find = finderOf(api);
  const authorizeOne = async (
    path: string,
    had: Authorized | undefined,
    { identifier, policy, scopes }: Authorized,
  ): Promise<string | undefined> => {
    const missing = scopes.filter((scope) => !had?.scopes.includes(scope));
    if (had && missing.length === 0) return undefined;
    const id = await find(identifier);
    if (typeof id !== "string") return `${identifier} (${id.why})`;
    const answer = had
      ? await api.attempt("PATCH", `${path}/${encodeURIComponent(id)}`, { addedScopes: missing })
      : await api.attempt("POST", path, { id, policyIdentifier: policy, scopes });
    return answer.status < 300 ? undefined : `${identifier} (${reasonOf(answer)})`;
  };
  return async (applicationId, apis) => {
    const before = await authorizedOf(api, applicationId);
    if (typeof before === "string") return [before];
    const troubles: string[] = [];
    for (const each of apis) {
      const had = before.find(({ identifier }) => identifier === each.identifier);
      const trouble = await authorizeOne(pathOf(applicationId), had, each);
      if (trouble !== undefined) troubles.push(trouble);
    }
    return troubles;
  };
}

function finderOf(api: Api): Finder {
  const known = new Map<string, ReturnType<Finder>>();
  const find: Finder = async (identifier) => {
    const filter = encodeURIComponent(`identifier eq ${identifier}`);
    const answer = await api.attempt("GET", `/api-resources?limit=10&filter=${filter}`);
    if (answer.status !== 200) return { why: `APIs cannot be looked up: ${reasonOf(answer)}` };
    const found = listIn(answer.body, "apiResources")?.find((each) => textIn(each, "identifier") === identifier);
    return textIn(found, "id") ?? { why: "no such API there" };
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
