/** Helpers for the tests of inbound protocols. */
import { readFile } from "node:fs/promises";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import type { Item } from "#core/database/table/table.ts";
import { clientFor } from "#local/database.ts";
import type { RunningService } from "#local/service.ts";

/** A request body of WSO2's own tests. */
export const upstreamBody = async (name: string) =>
  JSON.parse(await readFile(new URL(`../data/wso2/${name}.json`, import.meta.url), "utf8"));

/** All items of the table. */
export const allItems = async ({
  endpoint,
  tableName,
}: Pick<RunningService, "endpoint" | "tableName">): Promise<Item[]> => {
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient(clientFor(endpoint)));
  const items: Item[] = [];
  for (let from: Record<string, unknown> | undefined; ; ) {
    const { Items = [], LastEvaluatedKey } = await documents.send(
      new ScanCommand({ TableName: tableName, Limit: 1_000, ...(from && { ExclusiveStartKey: from }) }),
    );
    items.push(...(Items as Item[]));
    if (!LastEvaluatedKey) return items;
    from = LastEvaluatedKey;
  }
};

/** All items of the table, without the records of changes and what is kept of deleted resources. */
export const liveItems = async (service: RunningService): Promise<Item[]> =>
  (await allItems(service)).filter(
    ({ PK, expiresAtSeconds }) =>
      !/^T#[^#]*#(?:LOGP?|GONE|ASIDEL?)#/.test(PK) && !(PK.includes("#CRED#") && expiresAtSeconds !== undefined),
  );

/** SAML metadata of a service provider. */
export const metadata = ({ entityId = "https://sp.example", inside = "", before = "", acs = true } = {}): string =>
  `<?xml version="1.0"?>${before}<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}">
  <md:SPSSODescriptor AuthnRequestsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${inside}
  ${acs ? `<md:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${entityId}/acs" index="1"/>` : ""}
  </md:SPSSODescriptor></md:EntityDescriptor>`;

export const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");
