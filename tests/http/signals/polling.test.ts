/** What a poll costs and writes: rehearsed polls, and events whose data must be read. */
import { inspect } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { tableOf } from "#tests/support/people.ts";
import { allItems } from "#tests/support/protocols.ts";
import { RFC7644 } from "#tests/support/scim.ts";
import { receiverOf, SCIM } from "#tests/support/signals.ts";
import { world } from "#tests/support/world.ts";
import { isAuthorizer, type LogLine, listening } from "#tools/bench/calls.ts";

const api = world({ deployment: RFC7644 });
const { ask, poll, stream, events, deleteAll } = receiverOf(api);
afterEach(() => deleteAll());

const ROW = { depth: null, sorted: true, maxStringLength: null, maxArrayLength: null } as const;
const rows = async () => (await allItems(api.service)).map((item) => inspect(item, ROW)).sort();
const hasKey = async () => (await tableOf(api.service).get(keys.eventSigningKeys())) !== undefined;

/** The answer to a request, and what its log line says of it. */
const costing = async (send: () => ReturnType<typeof ask>) => {
  let answer: Awaited<ReturnType<typeof ask>> | undefined;
  const lines = await listening(async () => {
    answer = await send();
  });
  const line: LogLine | undefined = lines.find((one) => !isAuthorizer(one));
  return { body: answer?.body, status: answer?.status, trips: line?.RoundTrips ?? 0, units: line?.WriteUnits };
};

describe("a rehearsed poll", () => {
  test("creates no signing key, and writes nothing at all", async () => {
    const id = await stream();
    await ask("POST", "/scim2/Users", { userName: "rehearsed" });
    expect(await hasKey()).toBe(false);
    const rehearse = () => ask("POST", `/ssf/poll/${id}?dryRun=true`, { returnImmediately: true });
    const before = await rows();
    const refused = await rehearse();
    expect([refused.status, refused.body.description]).toEqual([400, expect.stringMatching(/no signing key yet/)]);
    expect(await rows()).toEqual(before);
    // A poll that finds nothing to sign needs no key.
    const empty = await ask("POST", `/ssf/poll/${id}?dryRun=true`, { returnImmediately: true, maxEvents: 0 });
    expect([empty.status, empty.body.sets]).toEqual([200, {}]);
    const [event] = await events(id);
    expect(await hasKey()).toBe(true);
    const after = await rows();
    const rehearsed = await rehearse();
    expect([rehearsed.status, Object.keys(rehearsed.body.sets)]).toEqual([200, [event?.jti]]);
    const acknowledged = await ask("POST", `/ssf/poll/${id}?dryRun=true`, {
      returnImmediately: true,
      ack: [event?.jti],
    });
    expect(acknowledged.body.sets).toEqual({});
    expect(await rows()).toEqual(after);
  });
});

describe("events whose data must be read", () => {
  const PUTS = 30;

  test("cost a paused stream nothing, and a poll a bounded number of round trips", async () => {
    const id = await stream({ events_requested: [`${SCIM}prov:put:full`] });
    const { body } = await ask("POST", "/scim2/Users", { userName: "put" });
    for (let at = 0; at < PUTS; at += 1) {
      const { status } = await ask("PUT", `/scim2/Users/${body.id}`, { userName: "put", title: `t${at}` });
      expect(status).toBe(200);
    }
    await poll(id, { maxEvents: 1 });
    await ask("POST", "/ssf/status", { stream_id: id, status: "paused" });
    const paused = await costing(() => poll(id));
    expect([paused.status, paused.body.sets]).toEqual([200, {}]);
    expect(paused.trips).toBeLessThanOrEqual(2);
    const reporting = await costing(() => poll(id, { ack: ["unknown"] }));
    // The state of the stream, two pages of the feed, and the progress.
    expect(reporting.trips).toBeLessThanOrEqual(6);

    await ask("POST", "/ssf/status", { stream_id: id, status: "enabled" });
    const first = await costing(() => poll(id));
    expect([Object.keys(first.body.sets).length, first.body.moreAvailable]).toEqual([24, true]);
    // Each data: three round trips, and two for the changes before the latest sixteen; eight at once.
    expect(first.trips).toBeLessThanOrEqual(2 + 3 * 8);
    const titles: unknown[] = [];
    for (let ack: string[] = []; ; ) {
      const some = await events(id, { ack });
      if (some.length === 0) break;
      titles.push(...some.map((event) => event.events[`${SCIM}prov:put:full`].data.title));
      ack = some.map(({ jti }) => jti);
    }
    expect(titles).toEqual(Array.from({ length: PUTS }, (_, at) => `t${at}`));
  });
});
