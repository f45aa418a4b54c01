/**
 * An HTTP proxy between the service and a real DynamoDB engine that injects faults of the network and of DynamoDB. The
 * source of chance is seeded. Error bodies are those of the DynamoDB JSON protocol; `x-amz-crc32` is absent in them.
 *
 * tests/support/hostile-database.ts does the same inside of the client for tests of single stores. This one is for a whole
 * service, which may be another process.
 */
import { Agent, createServer, type IncomingMessage, request as requestTo, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { seeded } from "./hostile-database.ts";

/** The kinds of faults, and what the service sees of each. */
export const faultKinds = {
  throttle: "an error of throttling; nothing is applied",
  conflict: "a cancelled transaction, or the conflict of a single write; nothing is applied",
  cut: "a connection that ends before the request reaches the engine",
  lost: "a connection that ends after the engine applied the request",
  page: "an HTML page with 502 or 503; nothing is applied",
  delay: "a response that comes later, by up to `delayMs`",
  hang: "no response at all; the request is not applied",
  silent: "no response at all, after the engine applied the request",
} as const;

/** A kind of fault. */
export type FaultKind = keyof typeof faultKinds;

/** How often each kind happens (0 to 1, together at most 1), and the longest delay in milliseconds. */
export type FaultOdds = Readonly<Record<FaultKind, number>> & {
  readonly delayMs: number;
  /** How often a transaction that is repeated meets the fault again that it met. The SDK alone repeats twice. */
  readonly again: number;
};

/** A call of the service, as a rule sees it. */
export interface Call {
  /** 1 for the first call since the proxy started. */
  readonly number: number;
  /** The operation of DynamoDB, such as `TransactWriteItems`. */
  readonly operation: string;
  /** The request body as it came. */
  readonly body: string;
}

/** Decides on one call in place of the odds: a kind, milliseconds of delay, `"none"`, or `undefined` to leave it to the odds. */
export type FaultRule = (call: Call) => FaultKind | number | "none" | undefined;

/** A running proxy. */
export interface FaultProxy {
  /** The value for DYNAMODB_ENDPOINT. It stays the same when the engine moves. */
  readonly url: string;
  /** The faults so far, by kind, and all calls. */
  readonly counts: Readonly<Record<FaultKind | "calls", number>>;
  /** Changes the odds from the next call on. */
  set(odds: Partial<FaultOdds>): void;
  /** Sets the rule that precedes the odds; `undefined` removes it. */
  rule(rule: FaultRule | undefined): void;
  /** Ends all faults: no odds, no rule, and open silent connections are cut. */
  calm(): void;
  /** Sends later calls to another engine. */
  target(endpoint: string): void;
  close(): Promise<void>;
}

/** No faults. */
export const NO_FAULTS: FaultOdds = {
  throttle: 0,
  conflict: 0,
  cut: 0,
  lost: 0,
  page: 0,
  delay: 0,
  hang: 0,
  silent: 0,
  delayMs: 100,
  again: 0,
};

const kinds = Object.keys(faultKinds) as FaultKind[];
const NAMESPACE = "com.amazonaws.dynamodb.v20120810";
const singleWrites = new Set(["PutItem", "UpdateItem", "DeleteItem"]);

const bodyOf = async (message: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

/** Sends an error as DynamoDB does. */
const sendError = (response: ServerResponse, name: string, rest: object = {}): void => {
  const body = JSON.stringify({ __type: `${NAMESPACE}#${name}`, message: `injected: ${name}`, ...rest });
  response.writeHead(400, { "content-type": "application/x-amz-json-1.0", "content-length": Buffer.byteLength(body) });
  response.end(body);
};

const sendPage = (response: ServerResponse, status: number): void => {
  const body = `<html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>`;
  response.writeHead(status, { "content-type": "text/html", "content-length": body.length });
  response.end(body);
};

interface Transaction {
  readonly TransactItems: readonly unknown[];
  readonly ClientRequestToken?: string;
}

/** The token by which a transaction is repeated. */
const tokenIn = (body: string): string | undefined => /"ClientRequestToken":"([^"]+)"/.exec(body)?.[1];

/**
 * The error of a conflict in the form that the operation has, or `undefined` where it can have none: a transaction that was
 * applied is repeated with success, whatever else happens to its items.
 */
const conflictOf = (operation: string, body: string, applied: ReadonlySet<string>, random: () => number) => {
  if (singleWrites.has(operation)) return { name: "TransactionConflictException", rest: {} };
  if (operation !== "TransactWriteItems" && operation !== "TransactGetItems") return undefined;
  const { TransactItems, ClientRequestToken = "" } = JSON.parse(body) as Transaction;
  if (applied.has(ClientRequestToken)) return undefined;
  const chosen = Math.floor(random() * TransactItems.length);
  const CancellationReasons = TransactItems.map((_, at) =>
    at === chosen ? { Code: "TransactionConflict", Message: "injected" } : { Code: "None" },
  );
  return { name: "TransactionCanceledException", rest: { CancellationReasons } };
};

/** Starts a proxy in front of the engine at `endpoint`. */
export const startFaultProxy = async (endpoint: string, seed: number): Promise<FaultProxy> => {
  const random = seeded(seed);
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const counts = Object.fromEntries(["calls", ...kinds].map((kind) => [kind, 0])) as Record<
    FaultKind | "calls",
    number
  >;
  const sockets = new Set<Socket>();
  const silenced = new Set<Socket>();
  const applied = new Set<string>();
  const met = new Map<string, FaultKind>();
  let [odds, rule, engine]: [FaultOdds, FaultRule | undefined, string] = [NO_FAULTS, undefined, endpoint];

  /** One draw for each call, so that a change of the odds of one kind moves the others little. */
  const draw = (call: Call): FaultKind | number | "none" => {
    const ruled = rule?.(call);
    if (ruled !== undefined) return ruled;
    const token = tokenIn(call.body);
    const known = token === undefined ? undefined : met.get(token);
    if (known !== undefined && random() < odds.again) return known;
    let left = random();
    for (const kind of kinds) {
      left -= odds[kind];
      if (left < 0) return kind;
    }
    return "none";
  };
  const choose = (call: Call): FaultKind | number | "none" => {
    const chosen = draw(call);
    const token = tokenIn(call.body);
    if (token !== undefined && typeof chosen === "string" && chosen !== "none") met.set(token, chosen);
    return chosen;
  };

  /** Sends the call to the engine. Rejects if the engine is gone. */
  const forward = (incoming: IncomingMessage, body: Buffer): Promise<{ head: IncomingMessage; body: Buffer }> =>
    new Promise((resolve, reject) => {
      const { host: _, connection: __, "transfer-encoding": ___, ...headers } = incoming.headers;
      const outgoing = requestTo(`${engine}${incoming.url ?? "/"}`, {
        method: incoming.method ?? "POST",
        agent,
        headers: { ...headers, "content-length": body.length },
      });
      const token = tokenIn(body.toString());
      if (token) applied.add(token);
      outgoing.once("error", reject);
      outgoing.once("response", (head) => bodyOf(head).then((answer) => resolve({ head, body: answer }), reject));
      outgoing.end(body);
    });

  const pass = async (incoming: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> => {
    const answer = await forward(incoming, body);
    const { connection: _, "transfer-encoding": __, ...headers } = answer.head.headers;
    response.writeHead(answer.head.statusCode ?? 502, { ...headers, "content-length": answer.body.length });
    response.end(answer.body);
  };

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(incoming);
    const operation = String(incoming.headers["x-amz-target"]).split(".")[1] ?? "";
    counts.calls += 1;
    const call: Call = { number: counts.calls, operation, body: body.toString() };
    const chosen = choose(call);
    const kind = typeof chosen === "number" ? "delay" : chosen;
    const conflict = kind === "conflict" ? conflictOf(operation, call.body, applied, random) : undefined;
    if (kind === "none" || (kind === "conflict" && !conflict)) return pass(incoming, response, body);
    counts[kind] += 1;
    switch (kind) {
      case "throttle":
        return sendError(response, random() < 0.5 ? "ProvisionedThroughputExceededException" : "ThrottlingException");
      case "conflict":
        if (conflict) sendError(response, conflict.name, conflict.rest);
        return;
      case "cut":
        incoming.socket.destroy();
        return;
      case "lost":
        await forward(incoming, body);
        incoming.socket.destroy();
        return;
      case "page":
        return sendPage(response, random() < 0.5 ? 502 : 503);
      case "delay":
        await pause(typeof chosen === "number" ? chosen : random() * odds.delayMs);
        return pass(incoming, response, body);
      case "silent":
        silenced.add(incoming.socket);
        await forward(incoming, body);
        return;
      case "hang":
        silenced.add(incoming.socket);
        return;
    }
  };

  const server = createServer((incoming, response) => {
    // The engine is gone, or the service is: a cut connection is what either side sees.
    serve(incoming, response).catch(() => incoming.socket.destroy());
  });
  server.keepAliveTimeout = 60_000;
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      silenced.delete(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  const calm = (): void => {
    [odds, rule] = [NO_FAULTS, undefined];
    for (const socket of silenced) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    set(changed) {
      odds = { ...odds, ...changed };
    },
    rule(changed) {
      rule = changed;
    },
    calm,
    target(next) {
      engine = next;
    },
    async close() {
      calm();
      for (const socket of sockets) socket.destroy();
      agent.destroy();
      await new Promise((done) => server.close(done));
    },
  };
};
