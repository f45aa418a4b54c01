/**
 * The table of this release, and the recorded ones of earlier releases: this release reads every kind of row of them
 * through its API, and changes it (decision 0072). tests/releases/record.ts records one.
 */
import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type AttributeValue,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
} from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clientFor, createTable } from "#local/database.ts";
import { type Engine, startEngine } from "#local/engine.ts";
import { type RunningService, startService, TABLE_NAME } from "#local/service.ts";
import { changes, reads } from "#tests/releases/checks.ts";
import { everything, type Made, type Send, sender } from "#tests/releases/everything.ts";

const folder = fileURLToPath(new URL("../../data/releases", import.meta.url));
const recorded = existsSync(folder) ? readdirSync(folder) : [];
const THIS = "this release";
const BYTES_MAX = 200 * 1_024;
const DAY_SECONDS = 86_400;

type Row = Record<string, AttributeValue>;

const rowsOf = async (release: string): Promise<Row[]> => {
  const text = await readFile(join(folder, release, "table.jsonl"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line, bytesOf));
};
/** Bytes are texts in Base64. */
const bytesOf = (name: string, value: unknown): unknown =>
  name === "B" && typeof value === "string" ? Buffer.from(value, "base64") : value;

/** What a row is, by its key: without tenants, names and ids. */
const formOf = (row: Row): string => {
  const [PK = "", SK = ""] = [row.PK?.S, row.SK?.S];
  const [scope, ...parts] = PK.split("#");
  const form =
    scope === "G"
      ? ["G", parts[0]]
      : ["T", ...(/^(X|G)$/.test(parts[1] ?? "") ? parts.slice(1, 3) : parts.slice(1, 2))];
  const part = /#R$/.test(PK) ? " range" : /#L#/.test(PK) ? " leaf" : "";
  const own = /^(?:APIS$|M#|USER#|GROUP#|SEAL$)/.exec(SK)?.[0];
  return `${form.join("#")}${part}${own ? ` ${own}` : ""}`;
};

describe.each([THIS, ...recorded])("the table of %s", (release) => {
  const isRecorded = release !== THIS;
  let directory: string;
  let engine: Engine;
  let service: RunningService;
  let client: DynamoDBClient;
  let send: Send;
  let made: Made;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "release-"));
    if (isRecorded) {
      const { sealKey, ...rest } = JSON.parse(await readFile(join(folder, release, "made.json"), "utf8"));
      made = rest;
      await writeFile(join(directory, "seal.key"), sealKey);
    }
    engine = await startEngine();
    await createTable(engine.endpoint, TABLE_NAME);
    client = new DynamoDBClient(clientFor(engine.endpoint));
    for (const Item of isRecorded ? await rowsOf(release) : [])
      await client.send(new PutItemCommand({ TableName: TABLE_NAME, Item }));
    service = await startService({
      port: 0,
      mtlsPort: undefined,
      dataDirectory: directory,
      administrator: { username: "admin", password: "admin" },
      endpoint: engine.endpoint,
      deploymentFile: undefined,
    });
    send = sender(service.url);
    if (!isRecorded) made = await everything(send, DAY_SECONDS);
  });
  afterAll(async () => {
    await service?.close();
    client?.destroy();
    await engine?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  test.runIf(isRecorded)("is small", async () => {
    const sizes = await Promise.all(
      (await readdir(join(folder, release))).map(async (name) => (await readFile(join(folder, release, name))).length),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(BYTES_MAX);
  });

  test("has one of everything that a release stores", async () => {
    const { Items = [] } = await client.send(new ScanCommand({ TableName: TABLE_NAME }));
    const forms = [...new Set(Items.map(formOf))].sort();
    expect(forms).toMatchSnapshot();
  });

  test.each(reads)("$name", ({ run }) => run(send, made));

  test("a row of a later release is refused, not changed and not shown", async () => {
    const Key = { PK: { S: `T#carbon.super#U#${made.many6}` }, SK: { S: "A" } };
    const read = async () => (await client.send(new GetItemCommand({ TableName: TABLE_NAME, Key }))).Item;
    const Item = { ...(await read()), _v: { N: "2" }, later: { S: "what this release does not know" } };
    await client.send(new PutItemCommand({ TableName: TABLE_NAME, Item }));
    const path = `/scim2/Users/${made.many6}`;
    const patch = {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
      Operations: [{ op: "replace", value: { nickName: "x" } }],
    };
    for (const [method, body] of [
      ["GET", undefined],
      ["PATCH", patch],
      ["DELETE", undefined],
    ] as const) {
      const answer = await send(method, path, body);
      expect([method, answer.status]).toEqual([method, 503]);
      expect(answer.body.detail).toBe("A later release of the service stored this. Try again.");
    }
    expect(await read()).toEqual(Item);
    const { _v, later, ...before } = Item;
    await client.send(new PutItemCommand({ TableName: TABLE_NAME, Item: before }));
  });

  test.each(changes)("$name", ({ run }) => run(send, made));
});
