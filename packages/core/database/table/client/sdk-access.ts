/** The access that the AWS SDK finds: its chain of credentials, its profiles, and its table of endpoints. */
import { DynamoDBClient, type DynamoDBClientConfig, GetItemCommand } from "@aws-sdk/client-dynamodb";

/** What the SDK would call with these options. Throws what it throws where it finds no region. */
export async function accessOfSdk(options: DynamoDBClientConfig) {
  const client = new DynamoDBClient(options);
  const [region, url] = await Promise.all([client.config.region(), endpointOf(client)]);
  // The provider of the SDK renews temporary credentials before they expire.
  return { url, region, credentials: () => client.config.credentials() };
}

interface Addressed {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
}

/** Prepares a request and does not send it: only then the SDK chooses the endpoint. */
async function endpointOf(client: DynamoDBClient): Promise<URL> {
  let found: Addressed | undefined;
  client.middlewareStack.add(
    () => async (args) => {
      found = (args as { readonly request: Addressed }).request;
      return { response: undefined, output: { $metadata: {} } };
    },
    { step: "build", name: "endpointOf" },
  );
  await client.send(new GetItemCommand({ TableName: "none", Key: { PK: { S: "none" } } }));
  client.middlewareStack.remove("endpointOf");
  if (!found) throw new Error("the SDK chose no endpoint");
  const { protocol, hostname, port, path } = found;
  return new URL(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`);
}
