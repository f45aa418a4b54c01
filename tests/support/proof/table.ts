/** The raw table, for proofs: what rows say, past the API. */

import { inflateRawSync } from "node:zlib";
import { DynamoDBClient, type DynamoDBClientConfig, ScanCommand } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { shown } from "#core/database/changes/diff.ts";
import { recordedKinds, typeIn } from "#core/database/changes/documents.ts";
import type { Change, ChangeRecord } from "#core/database/changes/model.ts";
import { recordedPlaceOf } from "#core/database/changes/places.ts";
import { toRecord } from "#core/database/changes/record-rows.ts";
import type { Item } from "#core/database/table/table.ts";
import { type Doc, keyOf, type Replayed } from "./replay.ts";

/** How a table is reached. */
export interface Reached {
  readonly tableName: string;
  readonly client: DynamoDBClientConfig;
}

/** All rows. */
export const allRows = async ({ tableName, client }: Reached): Promise<Item[]> => {
  const dynamo = new DynamoDBClient(client);
  const items: Item[] = [];
  for (let from: ReturnType<typeof Object> | undefined; ; ) {
    const { Items = [], LastEvaluatedKey } = await dynamo.send(
      new ScanCommand({ TableName: tableName, ConsistentRead: true, ...(from && { ExclusiveStartKey: from }) }),
    );
    for (const item of Items) items.push(unmarshall(item) as Item);
    if (!LastEvaluatedKey) return items;
    from = LastEvaluatedKey;
  }
};

const RECORD = /^T#([^#]+)#LOG#[0-7]$/;
const PART = /^T#([^#]+)#LOGP#(.+)$/;

const textIn = ({ r }: Item): string => (typeof r === "string" ? r : inflateRawSync(r as Uint8Array).toString("utf8"));

/** The texts of all rows of the log. */
export const logTexts = (rows: readonly Item[]): string[] =>
  rows.filter(({ PK }) => RECORD.test(PK) || PART.test(PK)).map((row) => `${row.PK} ${row.SK} ${textIn(row)}`);

/** All change records of all tenants, with the changes of their further rows. */
export const recordsOf = (rows: readonly Item[]): ChangeRecord[] => {
  const parts = Map.groupBy(
    rows.filter(({ PK }) => PART.test(PK)),
    ({ PK }) => PK,
  );
  return rows.flatMap((row) => {
    const [, tenant] = RECORD.exec(row.PK) ?? [];
    if (tenant === undefined) return [];
    const { record, parts: count } = toRecord(tenant, row);
    if (count === 0) return [record];
    const more = (parts.get(`T#${tenant}#LOGP#${record.id}`) ?? []).sort((a, b) => (a.SK < b.SK ? -1 : 1));
    if (more.length !== count) throw new Error(`record ${record.id} has ${more.length} of ${count} parts`);
    return [{ ...record, changes: [...record.changes, ...more.flatMap((one) => JSON.parse(textIn(one)) as Change[])] }];
  });
};

const MEMBER_PAIRS = { member: "members", "role of user": "users", "role of group": "groups" } as const;

/** The documents of all resources, from their rows and the rows of their members. */
export const documentsOf = (rows: readonly Item[]): Map<string, Replayed> => {
  const documents = new Map<string, Replayed>();
  for (const row of rows) {
    const place = recordedPlaceOf(row);
    const recorded = place && recordedKinds[place.kind];
    if (!place || !recorded) continue;
    const { tenant } = place;
    const id = place.id || (place.kind === "tenant" && typeof row.id === "string" ? row.id : tenant);
    const doc = shown(recorded.documentOf(row)) as Doc;
    const type = typeIn(recorded, row);
    documents.set(keyOf(tenant, type, id), { tenant, type, id, doc, ids: [] });
  }
  for (const row of rows) {
    const place = recordedPlaceOf(row);
    const set = place && (MEMBER_PAIRS as Readonly<Record<string, string>>)[place.kind];
    if (!place || set === undefined) continue;
    const doc = documents.get(keyOf(place.tenant, place.kind === "member" ? "group" : "role", place.id))?.doc;
    if (!doc) continue;
    doc[set] = { ...(doc[set] as Doc | undefined), [place.member]: {} };
  }
  return documents;
};
