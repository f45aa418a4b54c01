/**
 * What DynamoDB does and the embedded engine never does, put between the client and the engine: conflicts of
 * transactions, throttling, reads that see half a transaction, lost responses. The source of chance is seeded.
 *
 * Rules (Amazon DynamoDB Developer Guide, "Transactions: how it works"): the second transaction on an item in flight is
 * cancelled at once; Query and BatchGetItem may show some items as they were before a transaction, GetItem and
 * TransactGetItems never; a request that repeats a token gets the response of the first.
 */
import {
  type HttpAnswer as Answer,
  HttpTransport,
  type HttpCall as Request,
  type Transport,
} from "#core/database/table/client/transport.ts";

/** How often each failure happens. Chances are 0 to 1. */
export interface Odds {
  /** A transaction is cancelled without a conflict. Real conflicts are always reported. */
  readonly conflict: number;
  /** A request of any kind is throttled. */
  readonly throttle: number;
  /** An item of a committed transaction is returned in its old state, for up to `halfMs`, by reads that allow it. */
  readonly half: number;
  /** Milliseconds, or requests if the time of the database is counted in requests. */
  readonly halfMs: number;
  /** A request is executed, and its connection is then reported as closed. */
  readonly lost: number;
  /** The most milliseconds that a transaction locks its items in addition to the time of the engine. */
  readonly heldMs: number;
}

/** The simulated database. */
export interface HostileDatabase {
  /** What sends the calls of a client. */
  readonly transport: Transport;
  /** How often each failure happened so far. */
  readonly counts: { conflicts: number; throttles: number; halves: number; lost: number };
  /** Changes the probabilities for the next requests. */
  set(odds: Partial<Odds>): void;
  /** Shows everything as it is from now on, until the next transaction. */
  settle(): void;
}

/** No failures. */
export const CALM: Odds = { conflict: 0, throttle: 0, half: 0, halfMs: 0, lost: 0, heldMs: 0 };

/** A seeded generator of numbers in [0, 1): mulberry32. */
export const seeded = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

type Attributes = Record<string, { S?: string }>;
interface QueryBody {
  readonly TableName: string;
  readonly KeyConditionExpression: string;
  readonly ExpressionAttributeValues: Record<string, { S: string }>;
  readonly Limit: number;
  readonly ScanIndexForward?: boolean;
  readonly ExclusiveStartKey?: Attributes;
}
interface QueryAnswer {
  Items: Attributes[];
  Count: number;
  ScannedCount: number;
  LastEvaluatedKey?: Attributes | undefined;
}

/** An item before the last transaction on it. */
interface OldImage {
  readonly key: Attributes;
  readonly item: Attributes | undefined;
  readonly until: number;
}

const partOf = (item: Attributes, part: "PK" | "SK"): string => item[part]?.S ?? "";
const identityOf = (item: Attributes): string => `${partOf(item, "PK")}\u0000${partOf(item, "SK")}`;
const keyOf = (item: Attributes): Attributes => ({ PK: { S: partOf(item, "PK") }, SK: { S: partOf(item, "SK") } });
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

const respond = (status: number, body: unknown): Answer => ({
  status,
  headers: { "content-type": "application/x-amz-json-1.0" },
  body: Buffer.from(JSON.stringify(body)),
});
const failure = (name: string, rest: object = {}): Answer =>
  respond(400, { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: `injected: ${name}`, ...rest });

const readBody = ({ body }: Answer): unknown => JSON.parse(body.toString());

/** The same request with another body. The engine ignores signatures. */
const withBody = (request: Request, body: unknown, target?: string): Request => ({
  url: request.url,
  body: JSON.stringify(body),
  headers: { ...request.headers, ...(target && { "x-amz-target": `DynamoDB_20120810.${target}` }) },
});

/** Throws for requests that this project must never send. */
const refuseForbidden = (operation: string, body: Record<string, unknown>): void => {
  if ((operation === "Query" || operation === "Scan") && typeof body.Limit !== "number") {
    throw new Error(`${operation} without Limit`);
  }
  if (String(body.KeyConditionExpression ?? "").includes("begins_with")) {
    throw new Error("begins_with in a key condition");
  }
};

interface Keyed {
  readonly TableName: string;
  readonly Key: Attributes;
}
interface TransactItem {
  readonly Put?: { readonly TableName: string; readonly Item: Attributes };
  readonly Update?: Keyed;
  readonly Delete?: Keyed;
  readonly ConditionCheck?: Keyed;
  readonly Get?: Keyed;
}
const tableOf = (step: TransactItem | undefined): string =>
  (step?.Put ?? step?.Update ?? step?.Delete ?? step?.ConditionCheck)?.TableName ?? "";
const keyOfStep = (step: TransactItem): Attributes =>
  keyOf(step.Put?.Item ?? (step.Update ?? step.Delete ?? step.ConditionCheck ?? step.Get)?.Key ?? {});

/**
 * Puts a hostile database in front of the one that the client is configured for. If its time is counted in requests,
 * the time for which half a transaction is visible does not depend on the speed of the machine.
 */
export const hostileDatabase = (
  seed: number,
  initial: Odds,
  time: "milliseconds" | "requests" = "milliseconds",
): HostileDatabase => {
  const random = seeded(seed);
  let requests = 0;
  const now = (): number => (time === "requests" ? requests : performance.now());
  const inner = new HttpTransport();
  const counts = { conflicts: 0, throttles: 0, halves: 0, lost: 0 };
  const inFlight = new Set<string>();
  const tokens = new Map<string, "running" | "done">();
  const images = new Map<string, OldImage>();
  let odds = initial;
  const happens = (chance: number): boolean => random() < chance;

  const conflict = (items: readonly TransactItem[], hit: (item: TransactItem, index: number) => boolean): Answer => {
    counts.conflicts += 1;
    const CancellationReasons = items.map((item, index) =>
      hit(item, index) ? { Code: "TransactionConflict", Message: "injected" } : { Code: "None" },
    );
    return failure("TransactionCanceledException", { CancellationReasons });
  };

  /** Reads the items of a transaction before it. */
  const imagesBefore = async (request: Request, TableName: string, keys: Attributes[]): Promise<OldImage[]> => {
    const read = withBody(
      request,
      { RequestItems: { [TableName]: { Keys: keys, ConsistentRead: true } } },
      "BatchGetItem",
    );
    const answer = readBody(await inner.send(read)) as { Responses: Record<string, Attributes[]> };
    const found = new Map((answer.Responses[TableName] ?? []).map((item) => [identityOf(item), item]));
    return keys.map((key) => ({ key, item: found.get(identityOf(key)), until: 0 }));
  };

  const write = async (request: Request, items: readonly TransactItem[], token: string) => {
    if (tokens.get(token) === "running") return failure("TransactionInProgressException");
    if (tokens.get(token) === "done") return inner.send(request);
    const keys = items.map(keyOfStep);
    const locked = (item: TransactItem) => inFlight.has(identityOf(keyOfStep(item)));
    if (items.some(locked)) return conflict(items, locked);
    if (happens(odds.conflict)) {
      const chosen = Math.floor(random() * items.length);
      return conflict(items, (_, index) => index === chosen);
    }
    for (const key of keys) inFlight.add(identityOf(key));
    tokens.set(token, "running");
    try {
      const before = odds.half > 0 ? await imagesBefore(request, tableOf(items[0]), keys) : [];
      const answer = await inner.send(request);
      const committed = answer.status === 200;
      if (committed) tokens.set(token, "done");
      else tokens.delete(token);
      for (const image of committed ? before : []) {
        images.delete(identityOf(image.key));
        const until = now() + random() * odds.halfMs;
        if (happens(odds.half)) images.set(identityOf(image.key), { ...image, until });
      }
      await wait(random() * odds.heldMs);
      return answer;
    } finally {
      if (tokens.get(token) === "running") tokens.delete(token);
      for (const key of keys) inFlight.delete(identityOf(key));
    }
  };

  const oldImages = (which: (image: OldImage) => boolean): OldImage[] => {
    for (const [id, { until }] of images) if (until < now()) images.delete(id);
    return [...images.values()].filter(which);
  };

  const query = async (request: Request, body: QueryBody): Promise<Answer> => {
    if (body.KeyConditionExpression !== "PK = :pk AND SK BETWEEN :from AND :to")
      throw new Error("another form of Query");
    const value = (name: string): string => body.ExpressionAttributeValues[name]?.S ?? "";
    const sign = body.ScanIndexForward === false ? -1 : 1;
    const start = body.ExclusiveStartKey && partOf(body.ExclusiveStartKey, "SK");
    const old = oldImages(({ key }) => {
      const sk = partOf(key, "SK");
      const inRange = byBytes(value(":from"), sk) <= 0 && byBytes(sk, value(":to")) <= 0;
      return partOf(key, "PK") === value(":pk") && inRange && (start === undefined || byBytes(sk, start) * sign > 0);
    });
    if (old.length === 0) return inner.send(request);
    counts.halves += 1;
    // Plus the items that old images could hide.
    const real = await inner.send(withBody(request, { ...body, Limit: body.Limit + old.length }));
    if (real.status !== 200) return real;
    const answer = readBody(real) as QueryAnswer;
    const shown = new Map(answer.Items.map((item) => [identityOf(item), item]));
    for (const { key, item } of old) {
      if (item) shown.set(identityOf(key), item);
      else shown.delete(identityOf(key));
    }
    const end = answer.LastEvaluatedKey && partOf(answer.LastEvaluatedKey, "SK");
    const items = [...shown.values()]
      .filter((item) => end === undefined || byBytes(partOf(item, "SK"), end) * sign <= 0)
      .sort((a, b) => byBytes(partOf(a, "SK"), partOf(b, "SK")) * sign)
      .slice(0, body.Limit);
    const last = items.at(-1);
    const LastEvaluatedKey = items.length === body.Limit && last ? keyOf(last) : answer.LastEvaluatedKey;
    return respond(200, {
      ...answer,
      Items: items,
      Count: items.length,
      ScannedCount: items.length,
      LastEvaluatedKey,
    });
  };

  const batchGet = async (request: Request): Promise<Answer> => {
    const real = await inner.send(request);
    const requested = JSON.parse(request.body).RequestItems as Record<string, { Keys: Attributes[] }>;
    const asked = new Set(Object.values(requested).flatMap(({ Keys }) => Keys.map(identityOf)));
    const old = oldImages(({ key }) => asked.has(identityOf(key)));
    if (old.length === 0 || real.status !== 200) return real;
    counts.halves += 1;
    const answer = readBody(real) as { Responses: Record<string, Attributes[]> };
    for (const [table, items] of Object.entries(answer.Responses)) {
      const shown = new Map(items.map((item) => [identityOf(item), item]));
      for (const { key, item } of old) {
        if (item) shown.set(identityOf(key), item);
        else shown.delete(identityOf(key));
      }
      answer.Responses[table] = [...shown.values()];
    }
    return respond(200, answer);
  };

  const execute = (operation: string, request: Request): Promise<Answer> | Answer => {
    const body = JSON.parse(request.body);
    refuseForbidden(operation, body);
    if (happens(odds.throttle)) {
      counts.throttles += 1;
      return failure(happens(0.5) ? "ProvisionedThroughputExceededException" : "ThrottlingException");
    }
    const locked = (key: Attributes) => inFlight.has(identityOf(key));
    switch (operation) {
      case "TransactWriteItems":
        return write(request, body.TransactItems, body.ClientRequestToken);
      case "TransactGetItems":
        return body.TransactItems.some((item: TransactItem) => locked(keyOfStep(item)))
          ? conflict(body.TransactItems, (item) => locked(keyOfStep(item)))
          : inner.send(request);
      case "PutItem":
      case "UpdateItem":
      case "DeleteItem":
        return locked(body.Key ?? body.Item) ? failure("TransactionConflictException") : inner.send(request);
      case "Query":
        return query(request, body);
      case "BatchGetItem":
        return batchGet(request);
      default:
        return inner.send(request);
    }
  };

  const transport: Transport = {
    async send(request) {
      requests += 1;
      const operation = String(request.headers["x-amz-target"]).split(".")[1] ?? "";
      const answer = await execute(operation, request);
      if (!happens(odds.lost)) return answer;
      counts.lost += 1;
      throw Object.assign(new Error("injected: socket hang up"), { code: "ECONNRESET" });
    },
  };

  return {
    transport,
    counts,
    set(changed) {
      odds = { ...odds, ...changed };
    },
    settle() {
      images.clear();
    },
  };
};
