/**
 * Some hundred random writes of all kinds at once: replaying their records from nothing gives what the API shows. With
 * ten thousand writes, faults and kills: tests/faults/change-records.test.ts.
 */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { SETTLED_MS } from "#core/database/changes/feed.ts";
import { clientFor } from "#local/database.ts";
import { type Consumer, startConsumer } from "#tests/support/proof/consumer.ts";
import { newPool, type Sender } from "#tests/support/proof/pool.ts";
import { type Evidence, problemsOf, summaryOf } from "#tests/support/proof/proof.ts";
import { allRows, recordsOf } from "#tests/support/proof/table.ts";
import { writeAll } from "#tests/support/proof/writers.ts";
import { RFC7644 } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const WRITES = Number(process.env.WRITES ?? 300);
const WRITERS = 16;

const CAS = `
[[custom_inbound_protocol]]
name = "cas"
config_name = "cas"
[[custom_inbound_protocol.property]]
name = "serviceURL"
required = true
`;
const api = world({ deployment: `${RFC7644}${CAS}` });
const send: Sender = (method, path, ask) => api.ask(method, path, ask);
const rows = () => allRows({ tableName: api.service.tableName, client: clientFor(api.service.endpoint) });

let evidence: Evidence;
let consumer: Consumer;
beforeAll(async () => {
  const output: string[] = [];
  const collect = (...parts: readonly unknown[]) => void output.push(parts.map(String).join(" "));
  const levels = ["log", "info", "warn", "error", "debug"] as const;
  const spies = levels.map((level) => vi.spyOn(console, level).mockImplementation(collect));
  consumer = startConsumer(send, { tenant: "carbon.super", prefix: "", as: undefined, seed: 1 });
  const pool = newPool(Number(process.env.SEED ?? 1));
  const sent = await writeAll(pool, send, { count: WRITES, writers: WRITERS });
  // What a tenant that is not active has cannot be read.
  for (const id of pool.tenants) {
    sent.push(...(await activated(id)));
  }
  evidence = { rows: await rows(), sent, pool, send, output: output.join("\n") };
  for (const spy of spies) spy.mockRestore();
}, 300_000);
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const activated = async (id: string) => {
  const path = `/api/server/v1/tenants/${id}/lifecycle-status`;
  const { status, text, headers } = await api.ask("PUT", path, { body: { activated: true } });
  return [{ traceId: headers.get("x-correlation-id") ?? "", method: "PUT", path, status, text, isChange: false }];
};

test("replaying the records gives the rows and what the API shows, and every answer has the records that it must", async () => {
  expect(await problemsOf(evidence)).toEqual([]);
}, 300_000);

test("a consumer of the feed that crashes at random has seen every record, in the order of each resource", async () => {
  // What the feed holds back of the latest records is shown when they are old enough.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + SETTLED_MS });
  expect(await consumer.finish(recordsOf(evidence.rows))).toEqual([]);
}, 120_000);

test("most writes succeed, some are refused, and every type of resource has records", () => {
  const { sent, rows: all } = evidence;
  const share = (from: number, to: number) =>
    sent.filter(({ status }) => status >= from && status < to).length / sent.length;
  expect(share(200, 300), summaryOf(all, sent)).toBeGreaterThan(0.75);
  expect(share(400, 500)).toBeGreaterThan(0.01);
  // A machine that is too busy is no defect.
  expect(
    sent
      .filter(({ status }) => status >= 500 && status !== 503)
      .map(({ method, path, text }) => `${method} ${path} ${text}`),
  ).toEqual([]);
  for (const type of [
    "user",
    "group",
    "role",
    "application",
    "inbound-protocol",
    "application-template",
    "api-resource",
    "tenant",
    "webhook",
    "event-stream",
  ]) {
    expect(summaryOf(all, sent)).toContain(` ${type} `);
  }
});
