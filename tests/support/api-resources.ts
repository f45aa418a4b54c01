/** What the tests of API resources and of authorized APIs share. */
import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { clientFor } from "#local/database.ts";
import type { RunningService } from "#local/service.ts";
import { APPLICATIONS, type World } from "./world.ts";

/** The path of the collection. */
export const API_RESOURCES = "/api/server/v1/api-resources";

/** An id that nothing has. */
export const NOBODY = "00000000-0000-0000-0000-000000000000";

/** Scopes of these names, for a body. */
export const scopesNamed = (...names: string[]) => names.map((name) => ({ name }));

/** Requests on API resources and authorized APIs. */
export const apiResourcesOf = ({ ask }: World) => ({
  /** Registers an API and answers its id. */
  async register(body: Readonly<Record<string, unknown>>): Promise<string> {
    const answer = await ask("POST", API_RESOURCES, { body });
    if (answer.status !== 201) throw new Error(`create answered ${answer.status}: ${answer.text}`);
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
  /** The names of the scopes that an application has of an API. */
  async scopesOf(applicationId: string, apiId: string): Promise<string[]> {
    const { body } = await ask("GET", `${APPLICATIONS}/${applicationId}/authorized-apis`);
    const found = body.find(({ id }: { id: string }) => id === apiId);
    return found?.authorizedScopes.map(({ name }: { name: string }) => name);
  },
});

/** The keys of all items of a running service, in no order. */
export const everyKey = async ({ endpoint, tableName }: RunningService): Promise<string[]> => {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(clientFor(endpoint) as DynamoDBClientConfig));
  const found: string[] = [];
  for (let start: Record<string, unknown> | undefined, more = true; more; more = start !== undefined) {
    const page = await client.send(new ScanCommand({ TableName: tableName, Limit: 1_000, ExclusiveStartKey: start }));
    found.push(...(page.Items ?? []).map(({ PK, SK }) => `${PK} / ${SK}`));
    start = page.LastEvaluatedKey;
  }
  return found.sort();
};
