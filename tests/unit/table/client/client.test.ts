/** The client of DynamoDB over HTTP: what it sends, what it makes of answers, and how long it waits for them. */
import dns from "node:dns";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { crc32 } from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type ClientOptions, type OpenClient, openClient } from "#core/database/table/client/client.ts";
import { openDocumentClient } from "#core/database/table/client/document-client.ts";
import {
  CallTimeout,
  DatabaseError,
  TransactionCancelled,
  UnreadableResponse,
} from "#core/database/table/client/errors.ts";
import { isTransient } from "#core/database/table/failures.ts";

interface Received {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

let server: Server | undefined;
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server?.close();
});

/** A database that answers as it is told, and the client of it. */
const client = async (
  answer: (response: ServerResponse, received: Received) => void,
  { answerMs = 5_000, ...options }: ClientOptions & { readonly answerMs?: number } = {},
  open: OpenClient = openClient,
) => {
  const received: Received[] = [];
  const listener: RequestListener = async (request, response) => {
    let body = "";
    for await (const part of request.setEncoding("utf8")) body += part;
    received.push({ headers: request.headers, body });
    answer(response, received.at(-1) as Received);
  };
  server = createServer(listener);
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((listening) => server?.listen(0, "127.0.0.1", listening));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: "id", secretAccessKey: "secret" };
  const opened = open({ endpoint, region: "eu-west-1", credentials, ...options }, { connectMs: 1_000, answerMs });
  const { notation } = opened;
  const get = () => opened.call("GetItem", { ...input, Key: notation.write({ PK: "é", SK: "A" }) });
  /** The item of an answer, as the table sees it. */
  const item = async () => notation.read((await get()).Item ?? {});
  return { get, item, notation, received, connections: () => sockets.size };
};
const input = { TableName: "table", ConsistentRead: true, ReturnConsumedCapacity: "TOTAL" } as const;
const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(status, { "content-type": "application/x-amz-json-1.0", ...headers }).end(JSON.stringify(body));
/** The minute of `20260131T235959Z`, since 1970. */
const minuteOf = (date: string): number => {
  const [year, month, day, hour, minute] = [
    [0, 4],
    [4, 6],
    [6, 8],
    [9, 11],
    [11, 13],
  ].map(([from, to]) => Number(date.slice(from, to))) as [number, number, number, number, number];
  return Date.UTC(year, month - 1, day, hour, minute) / 60_000;
};
const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "no failure",
    (error) => error,
  );

describe("a call", () => {
  test("is one signed POST of JSON, over a connection that is kept", async () => {
    const { get, received, connections } = await client((response) => json(response, 200, { Item: { a: { S: "ü" } } }));
    sockets.clear();
    for (let at = 0; at < 3; at += 1) expect(await get()).toEqual({ Item: { a: { S: "ü" } } });
    expect([received.length, connections()]).toEqual([3, 1]);
    expect(JSON.parse(received[0]?.body ?? "")).toEqual({ ...input, Key: { PK: { S: "é" }, SK: { S: "A" } } });
    expect(received[0]?.headers).toMatchObject({
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": "DynamoDB_20120810.GetItem",
      "content-length": String(Buffer.byteLength(received[0]?.body ?? "")),
      authorization: expect.stringContaining("SignedHeaders=content-type;host;x-amz-date;x-amz-target, "),
    });
    expect(received[0]?.headers).not.toHaveProperty("x-amzn-trace-id");
  });

  test("carries the trace of the invocation in a function, and none elsewhere", async () => {
    const environment: Record<string, string> = { _X_AMZN_TRACE_ID: "Root=1-a" };
    const { get, received } = await client((response) => json(response, 200, {}), { environment });
    await get();
    environment.AWS_LAMBDA_FUNCTION_NAME = "scim2";
    await get();
    environment._X_AMZN_TRACE_ID = "Root=1-b";
    await get();
    const store = { getXRayTraceId: () => "Root=1-c", getTraceparent: () => "00-d", getBaggage: () => "e=f" };
    vi.stubGlobal("awslambda", { InvokeStore: store });
    await get();
    vi.unstubAllGlobals();
    expect(received.map(({ headers }) => headers["x-amzn-trace-id"])).toEqual([
      undefined,
      "Root=1-a",
      "Root=1-b",
      "Root=1-c",
    ]);
    expect(received.map(({ headers }) => headers.traceparent)).toEqual([undefined, undefined, undefined, "00-d"]);
    expect(received.at(-1)?.headers.baggage).toBe("e=f");
  });
});

/** Both clients make the same of what a database answers, so that the table repeats the same calls. */
describe.each([
  ["the lean client", openClient],
  ["the document client", openDocumentClient],
] as const)("%s: an answer", (_name, open) => {
  test("that refuses is an error with its type", async () => {
    const { get } = await client(
      (response) =>
        json(response, 400, { __type: "com.amazonaws.dynamodb.v20120810#ThrottlingException", message: "slower" }),
      {},
      open,
    );
    const failure = await failureOf(get());
    expect(failure).toBeInstanceOf(DatabaseError);
    expect(failure).toMatchObject({ name: "ThrottlingException", message: "slower", status: 400 });
  });

  test("names its type in a header or in the body, with or without an address", async () => {
    const types = ["a.b#Odd", "Odd:http://a.b/", "Odd,a.b#Other"];
    for (const type of types) {
      const inHeader = await client((response) => json(response, 400, {}, { "x-amzn-errortype": type }), {}, open);
      expect(await failureOf(inHeader.get())).toMatchObject({ name: "Odd" });
      const inBody = await client((response) => json(response, 400, { __type: type, Message: "why" }), {}, open);
      expect(await failureOf(inBody.get())).toMatchObject({ name: "Odd", message: "why" });
    }
    const unnamed = await client((response) => json(response, 418, {}), {}, open);
    expect(await failureOf(unnamed.get())).toMatchObject({ name: expect.stringMatching(/^Unknown/), status: 418 });
  });

  test("that cancels a transaction has the reason of each step, with its item", async () => {
    const reasons = [{ Code: "None" }, { Code: "ConditionalCheckFailed", Item: { a: { N: "1" } } }];
    const { get, notation } = await client(
      (response) =>
        json(response, 400, { __type: "x#TransactionCanceledException", Message: "no", CancellationReasons: reasons }),
      {},
      open,
    );
    const failure = await failureOf(get());
    if (!(failure instanceof TransactionCancelled)) throw failure;
    expect([failure.name, failure.reasons.map(({ Code }) => Code)]).toEqual([
      "TransactionCanceledException",
      ["None", "ConditionalCheckFailed"],
    ]);
    expect(failure.reasons.map(({ Item }) => Item && notation.read(Item))).toEqual([undefined, { a: 1 }]);
  });

  test.each<[string, number, string]>([
    ["a page of a proxy", 502, "<html>"],
    ["a page with success", 200, "<html>"],
    ["nothing", 200, ""],
    ["half of JSON", 200, '{"Item":{"a"'],
  ])("that is %s is unreadable, and the call is repeated", async (_, status, body) => {
    const { get } = await client((response) => response.writeHead(status).end(body), {}, open);
    const failure = await failureOf(get());
    expect(failure).toBeInstanceOf(UnreadableResponse);
    expect([isTransient(failure), failure]).toMatchObject([true, { status }]);
  });

  test("that changed on its way does not fit its checksum", async () => {
    const body = JSON.stringify({ Item: { a: { S: "right" } } });
    let sent = body;
    const { get, item } = await client(
      (response) => response.writeHead(200, { "x-amz-crc32": crc32(body) }).end(sent),
      {},
      open,
    );
    expect(await item()).toEqual({ a: "right" });
    sent = body.replace("right", "wrong");
    const failure = await failureOf(get());
    expect([isTransient(failure), failure]).toMatchObject([true, { message: expect.stringContaining("checksum") }]);
  });

  test("to a wrong clock corrects it for the next call, once", async () => {
    const MINUTES = 60_000;
    const { get, received } = await client(
      (response) => {
        const date = new Date(Date.now() + 17 * MINUTES).toUTCString();
        json(response, 400, { __type: "x#InvalidSignatureException" }, { date });
      },
      {},
      open,
    );
    const failures = [await failureOf(get()), await failureOf(get())];
    expect(failures.map(isTransient)).toEqual([true, false]);
    const [first = 0, second = 0] = received.map(({ headers }) => minuteOf(String(headers["x-amz-date"])));
    expect(second - first).toBeOneOf([17, 18]);
  });
});

describe.each([
  ["the lean client", openClient],
  ["the document client", openDocumentClient],
] as const)("%s: a database that stays silent", (_name, open) => {
  test.each<[string, (response: ServerResponse) => void]>([
    ["from the start", () => undefined],
    ["after the head", (response) => response.writeHead(200, { "content-length": 10 }).write("{")],
  ])("%s ends the call in its time", async (_, answer) => {
    const { get } = await client(answer, { answerMs: 120 }, open);
    const startMs = performance.now();
    const failure = await failureOf(get());
    expect(failure).toBeInstanceOf(CallTimeout);
    expect([isTransient(failure), performance.now() - startMs >= 110]).toEqual([true, true]);
  });

  test("for less than its time between parts of an answer is waited for", async () => {
    const { item } = await client(
      async (response) => {
        for (const part of ['{"Item":', '{"a":', '{"S":"b"', "}}}"]) {
          response.write(part);
          await new Promise((done) => setTimeout(done, 100));
        }
        response.end();
      },
      { answerMs: 250 },
      open,
    );
    expect(await item()).toEqual({ a: "b" });
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ["before an answer", (response) => response.socket?.destroy()],
    [
      "within an answer",
      (response) => response.writeHead(200, { "content-length": 10 }).write("{", () => response.socket?.destroy()),
    ],
  ])("and cuts the connection %s fails the call as the network does", async (_, answer) => {
    const { get } = await client(answer, {}, open);
    const failure = await failureOf(get());
    expect([isTransient(failure), failure]).toMatchObject([true, { code: "ECONNRESET" }]);
  });

  test("before a connection ends the call in the time for that", async () => {
    const lookup = vi.spyOn(dns, "lookup").mockImplementation((() => ({})) as never);
    const credentials = { accessKeyId: "id", secretAccessKey: "secret" };
    const unreachable = { endpoint: "http://database.invalid:8000", region: "eu-west-1", credentials };
    const opened = open(unreachable, { connectMs: 80, answerMs: 60_000 });
    const failure = await failureOf(
      opened.call("GetItem", { ...input, Key: opened.notation.write({ PK: "a", SK: "b" }) }),
    );
    expect(lookup).toHaveBeenCalledOnce();
    expect([isTransient(failure), failure]).toMatchObject([true, { message: "no connection within 80 ms" }]);
    lookup.mockRestore();
  });
});
