/** The audit itself: it notices a missing item of each kind. */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import type { Item } from "#core/database/table/table.ts";
import { everything } from "#tests/unit/identities/audit.ts";
import { audit } from "./audit.ts";
import { type Client, newClient } from "./client.ts";
import { newLedger } from "./ledger.ts";
import { addGroup, values } from "./people.ts";
import { idInLocation } from "./run-of-seed.ts";
import { type FaultyService, startFaultyService } from "./service.ts";

const KINDS_LEAST = 25;
const MANAGEMENT = "/api/server/v1";
const [before = ""] = keys.tenant("?").PK.split("?");
/**
 * Items that nothing else in the table repeats: tokens and what ends them, locks, keys, records, counters, settings, and
 * which indexes lists may use.
 */
const alone = [
  keys.keyRing().PK,
  keys.signingKeys().PK,
  ...[
    "#UVS#",
    "#REV#",
    "#REVS",
    "#REVG",
    "#LOCK#",
    "#SHOWN",
    "#RESIDENT",
    "#FAM#",
    "#LOG#",
    "#LOGP#",
    "#GONE#",
    "#ASIDE",
  ].map((kind) => `${before}carbon.super${kind}`),
  `${before}audited.example#SHOWN`,
  `${before}audited.example#UVS#`,
  `${before}audited.example#LOG#`,
];

let service: FaultyService;
let client: Client;
let documents: DynamoDBDocumentClient;
beforeAll(async () => {
  service = await startFaultyService(1);
  client = newClient(service, newLedger());
  documents = DynamoDBDocumentClient.from(new DynamoDBClient(service.table().client));
});
afterAll(async () => {
  documents.destroy();
  await service.close();
});

const post = async (path: string, body: unknown) => {
  const reply = await client.send("POST", path, { body });
  if (reply.status >= 300) throw new Error(`${path}: ${reply.text}`);
  return reply;
};

/** The kind of an item: its key without tenant, ids and names. */
const kindOf = ({ PK, SK }: Item): string => {
  const partition = PK.replace(/^T#[^#]+/, "T").replaceAll(/[0-9a-f]{8}-[-0-9a-f]{27}|audited.*$/g, "?");
  return `${partition} ${/^[A-Z]+#?/.exec(SK)?.[0] ?? "?"}`;
};

/** The kind of the row that reserves the domain of a tenant while it is created. */
const RESERVATION = "T#TENANT R";

/** One resource of each kind, related to each other. */
const fill = async (): Promise<void> => {
  const { body: user } = await post("/scim2/Users", { userName: "audited", password: "Audited-1", externalId: "x" });
  await addGroup(client, "Audited", [user.id]);
  await post("/scim2/v2/Roles", { displayName: "audited", users: values([user.id]) });
  const { body: api } = await post(`${MANAGEMENT}/api-resources`, {
    name: "audited",
    identifier: "audited",
    scopes: [{ name: "audited" }],
  });
  const created = await post(`${MANAGEMENT}/applications`, {
    name: "audited",
    inboundProtocolConfiguration: {
      oidc: { grantTypes: ["client_credentials"] },
      saml: { manualConfiguration: { issuer: "audited", assertionConsumerUrls: ["https://sp.example/acs"] } },
    },
  });
  const path = `${MANAGEMENT}/applications/${idInLocation(created)}/authorized-apis`;
  await post(path, { id: api.id, policyIdentifier: "RBAC", scopes: ["audited"] });
  await post(`${MANAGEMENT}/applications/templates`, { name: "audited", application: { name: "audited" } });
  await post(`${MANAGEMENT}/tenants`, {
    domain: "audited.example",
    owners: [{ username: "owner", password: "Owner-1-password", provisioningMethod: "inline-password" }],
  });
};

test("reports nothing in a table that is whole, and a missing item of each kind", async () => {
  await fill();
  expect(await audit(service.table())).toEqual([]);
  const { tableName: TableName } = service.table();
  const items = (await everything(service.table())).filter(({ PK }) => !alone.some((one) => PK.startsWith(one)));
  const oneOfEach = [...new Map(items.map((item) => [kindOf(item), item])).values()];
  expect(oneOfEach.length).toBeGreaterThan(KINDS_LEAST);
  const unnoticed: string[] = [];
  for (const item of oneOfEach) {
    // A tenant that was created needs its reservation no longer.
    if (kindOf(item) === RESERVATION) continue;
    await documents.send(new DeleteCommand({ TableName, Key: { PK: item.PK, SK: item.SK } }));
    // A table may be damaged so badly that the audit cannot read it.
    const isNoticed = await audit(service.table()).then(
      (problems) => problems.length > 0,
      () => true,
    );
    if (!isNoticed) unnoticed.push(`${item.PK} ${item.SK}`);
    await documents.send(new PutCommand({ TableName, Item: item as Item & Record<string, unknown> }));
  }
  process.stdout.write(`${oneOfEach.length} kinds of items\n`);
  expect(unnoticed).toEqual([]);
});
