/** Helpers for the tests of API resources and authorized APIs. */
import type { RunningService } from "#local/service.ts";
import { liveItems } from "./protocols.ts";
import { APPLICATIONS, type World } from "./world.ts";

/** The path of the API resources. */
export const API_RESOURCES = "/api/server/v1/api-resources";

/** An unknown id. */
export const UNKNOWN_ID = "00000000-0000-0000-0000-000000000000";

/** Scopes with these names, for a body. */
export const scopesNamed = (...names: string[]) => names.map((name) => ({ name }));

/** Requests on API resources and authorized APIs. */
export const apiResourcesOf = ({ ask }: World) => ({
  /** Registers an API and returns its id. */
  async register(body: Readonly<Record<string, unknown>>): Promise<string> {
    const answer = await ask("POST", API_RESOURCES, { body });
    if (answer.status !== 201) throw new Error(`create returned ${answer.status}: ${answer.text}`);
    return answer.body.id;
  },
  read: async (id: string) => (await ask("GET", `${API_RESOURCES}/${id}`)).body,
  /** The id of the system API with that identifier. */
  async system(identifier: string): Promise<string> {
    const { body } = await ask("GET", `${API_RESOURCES}?filter=identifier+eq+${identifier}`);
    return body.apiResources[0].id;
  },
  pathOf: (applicationId: string, apiId?: string): string =>
    `${APPLICATIONS}/${applicationId}/authorized-apis${apiId === undefined ? "" : `/${apiId}`}`,
  authorize: (applicationId: string, body: unknown) =>
    ask("POST", `${APPLICATIONS}/${applicationId}/authorized-apis`, { body }),
  authorized: async (applicationId: string) =>
    (await ask("GET", `${APPLICATIONS}/${applicationId}/authorized-apis`)).body,
  /** The names of the scopes of an API that an application has. */
  async scopesOf(applicationId: string, apiId: string): Promise<string[]> {
    const { body } = await ask("GET", `${APPLICATIONS}/${applicationId}/authorized-apis`);
    const found = body.find(({ id }: { id: string }) => id === apiId);
    return found?.authorizedScopes.map(({ name }: { name: string }) => name);
  },
});

/** The keys of all rows of a running service, sorted, without the records of changes. */
export const everyKey = async (service: RunningService): Promise<string[]> =>
  (await liveItems(service)).map(({ PK, SK }) => `${PK} / ${SK}`).sort();
