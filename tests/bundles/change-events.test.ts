/**
 * The function that puts changes on the event bus, as it is deployed: what the stream gives it and what EventBridge gets,
 * where EventBridge refuses events, and records that are large, damaged or gone.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { readIndexed } from "#core/database/changes/actor-rows.ts";
import { changeIdOf, digestOfResource } from "#core/database/changes/change-id.ts";
import { recordItems, recordKey } from "#core/database/changes/record-rows.ts";
import { keys } from "#core/database/table/keys.ts";
import type { Key } from "#core/database/table/table.ts";
import { newId } from "#core/kernel/ids.ts";
import { type RunningService, startService } from "#local/service.ts";
import { inMemory } from "#tools/bench/calls.ts";
import { loadItems } from "#tools/bench/loading.ts";
import { recordsIn } from "../support/changes.ts";
import { deployedFunctions } from "../support/deployed.ts";
import { tableOf } from "../support/people.ts";
import { APPLICATIONS, worldOn } from "../support/world.ts";
import { directory } from "./directory.ts";

/** An entry of a request to EventBridge. */
interface Entry {
  readonly EventBusName: string;
  readonly Source: string;
  readonly DetailType: string;
  readonly Detail: string;
}
type Answer = { readonly batchItemFailures: readonly { readonly itemIdentifier: string }[] };

const TENANT = "carbon.super";
const BUS = "identity-admin-api-test";
const loaders: ReturnType<typeof deployedFunctions>[] = [];
let service: RunningService;
let run: (event: unknown) => Promise<unknown>;
let bridge: Server;
const world = worldOn(() => service);
/** The requests that EventBridge got, and how it answers. */
const requests: Entry[][] = [];
let refusing: (entry: Entry) => string | undefined = () => undefined;
let status = 200;

beforeAll(async () => {
  bridge = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { Entries } = JSON.parse(Buffer.concat(chunks).toString()) as { Entries: Entry[] };
      requests.push(Entries);
      const results = Entries.map((entry, at) => {
        const ErrorCode = refusing(entry);
        return ErrorCode === undefined ? { EventId: `event-${at}` } : { ErrorCode, ErrorMessage: "no" };
      });
      response.writeHead(status, { "content-type": "application/x-amz-json-1.1" });
      response.end(JSON.stringify(status === 200 ? { Entries: results } : { __type: "AccessDeniedException" }));
    });
  });
  await new Promise<void>((listening) => bridge.listen(0, "127.0.0.1", listening));
  process.env.AWS_ENDPOINT_URL_EVENTBRIDGE = `http://127.0.0.1:${(bridge.address() as AddressInfo).port}`;
  process.env.AWS_REGION ??= "us-east-1";
  process.env.AWS_ACCESS_KEY_ID ??= "test";
  process.env.AWS_SECRET_ACCESS_KEY ??= "test";
  let environment: Readonly<Record<string, string>> = {};
  const serving = loader();
  service = await startService(inMemory, {}, (name, given) => {
    environment = given;
    return serving.load(name, given);
  });
  run = (await loader().load("change-events", { ...environment, EVENT_BUS: BUS })) as unknown as typeof run;
}, 120_000);
afterEach(() => {
  requests.length = 0;
  [refusing, status] = [() => undefined, 200];
  vi.restoreAllMocks();
});
afterAll(async () => {
  bridge.closeAllConnections();
  bridge.close();
  await service.close();
  for (const each of loaders) await each.close();
  delete process.env.AWS_ENDPOINT_URL_EVENTBRIDGE;
});

function loader() {
  const made = deployedFunctions(directory);
  loaders.push(made);
  return made;
}

/** A row of the stream. */
const streamed = ({ PK, SK }: Key, sequence: number, eventName = "INSERT") => ({
  eventName,
  eventSource: "aws:dynamodb",
  dynamodb: { SequenceNumber: String(sequence), StreamViewType: "KEYS_ONLY", Keys: { PK: { S: PK }, SK: { S: SK } } },
});
const batch = (...places: readonly Key[]) => ({ Records: places.map((key, at) => streamed(key, 100 + at)) });

/** The keys of the records that a request writes. */
const written = async (write: () => Promise<unknown>): Promise<Key[]> => {
  const before = new Set((await recordsIn(world)).map(({ id }) => id));
  await write();
  return (await recordsIn(world)).flatMap(({ id }) => (before.has(id) ? [] : [recordKey(TENANT, id)]));
};
const aChange = () => written(() => world.create({ name: `app ${Math.random()}` }));
const events = () => requests.flat().map(({ Detail, ...entry }) => ({ ...entry, detail: JSON.parse(Detail) }));
const failures = async (event: unknown) =>
  ((await run(event)) as Answer).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
/** The lines that the function logs. */
const logged = () => {
  const lines: Record<string, unknown>[] = [];
  for (const level of ["log", "info", "warn", "error"] as const) {
    vi.spyOn(console, level).mockImplementation((text) => void lines.push(JSON.parse(String(text))));
  }
  return lines;
};

describe("a change becomes an event", () => {
  test("with the type of the resource, what happened to it, and the record as the API shows it", async () => {
    let id = "";
    const places = await written(async () => {
      id = await world.create({ name: "an event" });
      await world.ask("PATCH", `${APPLICATIONS}/${id}`, { body: { description: "other" } });
      await world.ask("DELETE", `${APPLICATIONS}/${id}`);
    });
    expect(await failures(batch(...places))).toEqual([]);
    const records = await recordsIn(world);
    expect(events().map(({ DetailType }) => DetailType)).toEqual([
      "application.created",
      "application.updated",
      "application.deleted",
    ]);
    const [, changed] = events();
    const record = records.find((one) => one.id === changed?.detail.id);
    expect(changed).toMatchObject({
      EventBusName: BUS,
      Source: "identity-admin-api",
      detail: {
        tenant: TENANT,
        time: new Date(record?.atMs ?? 0).toISOString(),
        actor: { type: "user", name: "admin" },
        operation: "patchApplication",
        resource: { type: "application", id, name: "an event" },
        changes: [{ op: "add", path: "/description", value: "other" }],
        traceId: record?.traceId,
        version: record?.id,
      },
    });
    expect(changed?.detail).not.toHaveProperty("previous");
  });
  test("ten in a request, as EventBridge accepts them", async () => {
    const places: Key[] = [];
    for (let count = 0; count < 23; count += 1) places.push(...(await aChange()));
    expect(await failures(batch(...places))).toEqual([]);
    expect(requests.map((entries) => entries.length).sort()).toEqual([10, 10, 3].sort());
  });
  test("and no row that is none: other rows, expired records, and values of callers that look like a lane", async () => {
    const [place] = await aChange();
    const others = [
      streamed(keys.user(TENANT, "1"), 1),
      streamed({ PK: `T#${TENANT}#X#emails#a#LOG#3`, SK: place?.SK ?? "" }, 2),
      streamed({ PK: keys.changeRecords(TENANT, 3), SK: "no id" }, 3),
      ...(place ? [streamed(place, 4, "REMOVE"), streamed(place, 5, "MODIFY")] : []),
    ];
    expect(await failures({ Records: others })).toEqual([]);
    // A record that has expired since.
    expect(await failures(batch(recordKey(TENANT, "0".repeat(18))))).toEqual([]);
    expect(requests).toEqual([]);
  });
  test.each([
    [2_500, false],
    [5_000, true],
  ])("of %i members: with the address of its changes where these do not fit into it: %j", async (count, isLarger) => {
    const [place] = await aChange();
    const record = (await recordsIn(world)).find(({ id }) => id === place?.SK);
    if (!record || !place) throw new Error("the change has no record");
    const changes = Array.from(
      { length: count },
      () => ({ op: "add", path: `/members/${newId()}`, value: {} }) as const,
    );
    const { item, parts } = recordItems({ ...record, changes }, [], Math.floor(Date.now() / 1_000) + 3_600);
    expect(parts.length).toBeGreaterThan(0);
    for (const put of [...parts, item]) {
      await tableOf(service).write({ put, when: "any", otherwise: () => new Error("never") });
    }
    expect(await failures(batch(place))).toEqual([]);
    const [event] = events();
    expect(event?.detail).toMatchObject({ id: record.id, resource: record.resource, changes: isLarger ? [] : changes });
    const address = `resourceType=application&resourceId=${record.resource.id}`;
    if (isLarger) {
      expect(event?.detail.changesAt).toContain(address);
      expect(event?.detail).toMatchObject({ changesTruncated: true, changesTotalCount: count });
    } else {
      expect(event?.detail).not.toHaveProperty("changesAt");
      expect(event?.detail).not.toHaveProperty("changesTotalCount");
    }
    await tableOf(service).forget(place);
  });
});

describe("what EventBridge does not accept comes again", () => {
  test("by the row of each event that it refuses", async () => {
    const places = [...(await aChange()), ...(await aChange()), ...(await aChange())];
    const lines = logged();
    refusing = ({ Detail }) => (Detail.includes(places[1]?.SK ?? "") ? "ThrottlingException" : undefined);
    expect(await failures(batch(...places))).toEqual(["101"]);
    expect(lines).toMatchObject([
      {
        level: "ERROR",
        message: "events refused",
        service: "change-events",
        failed: 1,
        of: 3,
        causes: ["ThrottlingException"],
      },
    ]);
  });
  test("by all rows where it refuses the request", async () => {
    const places = [...(await aChange()), ...(await aChange())];
    logged();
    status = 400;
    expect(await failures(batch(...places))).toEqual(["100", "101"]);
    status = 200;
    expect(await failures(batch(...places))).toEqual([]);
  });
});

test("a damaged record becomes an event that says so, and holds up no other", async () => {
  const [damaged] = await aChange();
  const [other] = await aChange();
  if (!damaged || !other) throw new Error("no records");
  await tableOf(service).write({ put: { ...damaged, r: "{" }, when: "any", otherwise: () => new Error("never") });
  const lines = logged();
  expect(await failures(batch(damaged, other))).toEqual([]);
  expect(events()).toMatchObject([
    { DetailType: "change.unreadable", detail: { tenant: TENANT, id: damaged.SK } },
    { DetailType: "application.created", detail: { id: other.SK } },
  ]);
  expect(lines).toMatchObject([{ level: "ERROR", message: "change record cannot be read", id: damaged.SK }]);
  await tableOf(service).forget(damaged);
});

test("changes of long ago are indexed by actor with a large batch, and found by it", async () => {
  const HOUR_MS = 3_600_000;
  const count = 2_100;
  const [place] = await aChange();
  const made = (await recordsIn(world)).find(({ id }) => id === place?.SK);
  if (!place || !made) throw new Error("the change has no record");
  const actor = { type: "client", id: "of long ago", signIn: "token" } as const;
  const records = Array.from({ length: count }, (_, at) => {
    const atMs = Date.now() - HOUR_MS + at;
    return { ...made, id: changeIdOf(atMs, digestOfResource("application", `a ${at}`)), atMs, actor };
  });
  const items = records.map((record) => recordItems(record, [], Math.floor(Date.now() / 1_000) + 3_600).item);
  await loadItems(service.endpoint, service.tableName, "records", count, items);
  expect(await readIndexed(tableOf(service), TENANT)).toBeUndefined();
  // An attempt comes with about every 512th change.
  expect(await failures(batch(...Array.from({ length: 512 }, () => place)))).toEqual([]);
  expect(await readIndexed(tableOf(service), TENANT)).toBeDefined();
  const { body } = await world.ask(
    "GET",
    `/api/server/v1/audit-events?actor=${encodeURIComponent(actor.id)}&limit=100`,
  );
  expect(body.records.map(({ id }: { id: string }) => id)).toEqual(
    records
      .map(({ id }) => id)
      .toReversed()
      .slice(0, 100),
  );
}, 60_000);

describe("a span of time", () => {
  test("is put on the bus again", async () => {
    const since = new Date().toISOString();
    const places = await aChange();
    const until = new Date(Date.now() + 1_000).toISOString();
    for (const span of [
      { since, until },
      { since, until, tenant: TENANT },
    ]) {
      requests.length = 0;
      expect(await run(span)).toEqual({ events: 1 });
      expect(events().map(({ detail }) => detail.id)).toEqual(places.map(({ SK }) => SK));
    }
    expect(await run({ since, until, tenant: "other.example" })).toEqual({ events: 0 });
  });
  test("that is none is refused with the reason", async () => {
    await expect(async () => run({ since: "yesterday", until: "2026-01-31T12:00:00Z" })).rejects.toThrow(/^since: /);
    await expect(async () => run({ since: "2026-01-31T12:00:00Z" })).rejects.toThrow(/^until: /);
  });
  test("fails where the bus refuses an event: it can be repeated as a whole", async () => {
    const since = new Date().toISOString();
    await aChange();
    refusing = () => "InternalFailure";
    const until = new Date(Date.now() + 1_000).toISOString();
    await expect(run({ since, until })).rejects.toThrow("InternalFailure");
  });
});
