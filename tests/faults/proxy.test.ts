/** The proxy itself: each kind of fault is what DynamoDB or the network would show, and the engine behind it is real. */
import {
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { clientFor, createTable } from "#local/database.ts";
import { type Engine, startEngine } from "#local/engine.ts";
import { type FaultKind, type FaultProxy, NO_FAULTS, startFaultProxy } from "#tests/support/fault-proxy.ts";

const TableName = "proxy-test";
const SILENT_MS = 300;

let engine: Engine;
let proxy: FaultProxy;
let client: DynamoDBClient;
let calm: DynamoDBClient;
let made = 0;

beforeAll(async () => {
  engine = await startEngine();
  await createTable(engine.endpoint, TableName);
  proxy = await startFaultProxy(engine.endpoint, 1);
  client = new DynamoDBClient({ ...clientFor(proxy.url), maxAttempts: 1 });
  calm = new DynamoDBClient(clientFor(engine.endpoint));
});
afterAll(async () => {
  client.destroy();
  calm.destroy();
  await proxy.close();
  await engine.stop();
});
beforeEach(() => {
  proxy.calm();
  made += 1;
});

const key = () => ({ PK: { S: `item ${made}` }, SK: { S: "A" } });
const put = () => client.send(new PutItemCommand({ TableName, Item: key() }));
const transact = (ClientRequestToken: string) =>
  client.send(
    new TransactWriteItemsCommand({
      ClientRequestToken,
      TransactItems: [{ Put: { TableName, Item: key(), ConditionExpression: "attribute_not_exists(PK)" } }],
    }),
  );
const isThere = async () =>
  (await calm.send(new GetItemCommand({ TableName, Key: key(), ConsistentRead: true }))).Item !== undefined;
const only = (kind: FaultKind) => proxy.rule(() => kind);
const failureOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => "no failure",
    (error: unknown) => error,
  );

test("passes calls unchanged without odds", async () => {
  await put();
  expect(await isThere()).toBe(true);
});

test("throttles with an error of throttling", async () => {
  only("throttle");
  expect(await failureOf(put())).toMatchObject({
    name: expect.stringMatching(/^(ProvisionedThroughputExceeded|Throttling)Exception$/),
  });
  expect(await isThere()).toBe(false);
});

test("cancels a transaction with a reason for each of its items", async () => {
  only("conflict");
  const failure = await failureOf(transact("conflict"));
  expect(failure).toBeInstanceOf(TransactionCanceledException);
  expect(failure).toMatchObject({ CancellationReasons: [{ Code: "TransactionConflict" }] });
  expect(await failureOf(put())).toMatchObject({ name: "TransactionConflictException" });
  expect(await isThere()).toBe(false);
});

test("cuts a connection before the request is applied, or after it", async () => {
  only("cut");
  expect(await failureOf(put())).toMatchObject({ code: "ECONNRESET" });
  expect(await isThere()).toBe(false);
  only("lost");
  expect(await failureOf(put())).toMatchObject({ code: "ECONNRESET" });
  expect(await isThere()).toBe(true);
});

test("repeats a transaction whose response was lost with success, even among conflicts", async () => {
  only("lost");
  await failureOf(transact("lost"));
  expect(await isThere()).toBe(true);
  only("conflict");
  expect(await failureOf(transact("lost"))).toBe("no failure");
});

test("sends a page in place of JSON", async () => {
  only("page");
  expect(await failureOf(put())).toMatchObject({ $metadata: { httpStatusCode: expect.toBeOneOf([502, 503]) } });
  expect(await isThere()).toBe(false);
});

test.each<[FaultKind, boolean]>([
  ["hang", false],
  ["silent", true],
])("never responds (%s), until the calm", async (kind, isApplied) => {
  only(kind);
  const call = failureOf(put());
  const first = await Promise.race([call, new Promise((done) => setTimeout(() => done("silence"), SILENT_MS))]);
  expect(first).toBe("silence");
  expect(await isThere()).toBe(isApplied);
  proxy.calm();
  expect(await call).toMatchObject({ code: "ECONNRESET" });
});

test("draws from the odds by its seed, and counts", async () => {
  const draw = async () => {
    const other = await startFaultProxy(engine.endpoint, 7);
    const sender = new DynamoDBClient({ ...clientFor(other.url), maxAttempts: 1 });
    other.set({ ...NO_FAULTS, throttle: 0.3, page: 0.2 });
    const outcomes: string[] = [];
    for (let at = 0; at < 40; at += 1) {
      const sent = sender.send(new GetItemCommand({ TableName, Key: key() }));
      outcomes.push(
        await sent.then(
          () => "passed",
          ({ name }: Error) => name,
        ),
      );
    }
    sender.destroy();
    const counts = { ...other.counts };
    await other.close();
    return { outcomes, counts };
  };
  const [first, second] = [await draw(), await draw()];
  expect(first).toEqual(second);
  expect(first.counts.calls).toBe(40);
  expect(first.outcomes.filter((outcome) => outcome !== "passed")).toHaveLength(
    first.counts.throttle + first.counts.page,
  );
});
