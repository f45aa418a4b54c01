/** The function that delivers: what fails a call of the stream, and what is left to the schedule. */
import { beforeEach, expect, test } from "vitest";
import { DatabaseError } from "#core/database/table/client/errors.ts";
import { storedNotation } from "#core/database/table/client/values.ts";
import { type OpenTable, openTable } from "#core/database/table/dynamo.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { newWorker, type WorkerParts } from "#core/events/delivery/worker.ts";
import { Noted } from "#core/kernel/noted.ts";
import { tellDue } from "#core/sign-in/logout/tell.ts";
import { addingLogout, waitingTenants } from "#core/tokens/logout-store.ts";
import { noteMails, waitingTenants as tenantsWithMails } from "#core/tokens/mail-store.ts";
import { testTable } from "#tests/support/engine.ts";

const START = Date.parse("2026-01-01T00:00:00Z");
const tenant = "acme.com";
const clock = { now: () => START };

let defects: unknown[];
let asked: (readonly string[] | "all" | undefined)[];
beforeEach(() => {
  [defects, asked] = [[], []];
});

const denied = openTable({
  tableName: "denied",
  deadlineMs: 1_000,
  openClient: () => ({
    notation: storedNotation,
    call: () => Promise.reject(new DatabaseError("AccessDeniedException", "not authorized", 400)),
  }),
});
const worker = (open: OpenTable, alsoDue?: WorkerParts["alsoDue"], noting?: WorkerParts["noteMails"]) =>
  newWorker({
    open,
    feedOf: () => ({ read: () => Promise.reject(new Error("no feed is read")) }),
    kindsOf: () => ({}),
    report: { run: () => undefined, defect: (cause) => void defects.push(cause) },
    clock,
    ...(alsoDue && { alsoDue }),
    ...(noting && { noteMails: noting }),
  });
const record = (PK: string) => ({ dynamodb: { Keys: { PK: { S: PK }, SK: { S: "1" } } } });
const telling = (table: Table, untilMs: number, only: ReadonlySet<string> | "all" | undefined) =>
  tellDue(
    {
      ...{ table, untilMs, clock, exempt: new Set<string>(), random: () => 1, report: () => undefined },
      applications: { find: async () => undefined },
      order: () => Promise.reject(new Error("nothing is signed")),
      post: () => Promise.reject(new Error("nothing is sent")),
    },
    only === "all" ? [tenant] : only,
  );

test.each([
  ["of the stream", { Records: [record(`T#${tenant}#LOG#3`)] }],
  ["of the schedule", {}],
])("a call %s fails where the table denies access", async (_, event) => {
  await expect(worker(denied)(event)).rejects.toThrow("not authorized");
  expect(defects).toEqual([expect.objectContaining({ name: "AccessDeniedException" })]);
});

test("a call of the stream fails where work for ended sessions can be neither done nor noted", async () => {
  const { open } = await testTable();
  const real = open(newMeter());
  const half: OpenTable = () => ({
    ...real,
    query: (range) => (range.PK.endsWith("#OUT") ? denied(newMeter()).query(range) : real.query(range)),
    write: denied(newMeter()).write,
  });
  const event = { Records: [record(`T#${tenant}#OUT`)] };
  await expect(worker(half, telling)(event)).rejects.toThrow("not authorized");
});

test("a call of the stream does not fail for what is noted for the schedule: it is reported", async () => {
  const { open } = await testTable();
  const real = open(newMeter());
  await real.write(addingLogout({ kind: "user", tenant, userId: "1", endedMs: START }));
  const half: OpenTable = () => ({
    ...real,
    query: (range) => (range.PK.endsWith("#OUT") ? denied(newMeter()).query(range) : real.query(range)),
  });
  await worker(half, telling)({ Records: [record(`T#${tenant}#OUT`)] });
  expect(defects).toEqual([expect.objectContaining({ name: "AccessDeniedException" })]);
  expect(await waitingTenants(real)).toEqual([{ tenant, dueMs: START }]);
  // The schedule does it then.
  await worker(open, telling)({});
  expect(await waitingTenants(real)).toEqual([]);
});

test("what the cause of a noted failure is, and no wrapper, is reported", async () => {
  const { open } = await testTable();
  const cause = new Error("the cause");
  await worker(open, () => Promise.reject(new Noted(cause)))({});
  expect(defects).toEqual([cause]);
});

test("rows say which tenants they are about by their whole key", async () => {
  const { open } = await testTable();
  const rows = [`T#${tenant}#OUT`, "T#a.com#SCOPE#x#OUT", "T#b.com#U#1#OUT", "G#OUT", `T#c.com#LOG#1`].map(record);
  const also: WorkerParts["alsoDue"] = async (_table, _untilMs, only) => {
    asked.push(only instanceof Set ? [...only] : (only as "all" | undefined));
  };
  for (const event of [{ Records: rows }, {}, { all: true }]) await worker(open, also)(event);
  expect(asked).toEqual([[tenant], undefined, "all"]);
});

test("notes the tenants of new mails for the function that sends them, and fails where it cannot", async () => {
  const { open } = await testTable();
  const event = { Records: [`T#${tenant}#MAIL`, "T#a.com#U#1#MAIL", `T#${tenant}#LOG#1`].map(record) };
  const noting: WorkerParts["noteMails"] = (table, tenants) => noteMails(table, tenants, START);
  await worker(open, undefined, noting)(event);
  expect(await tenantsWithMails(open(newMeter()))).toEqual([{ tenant, dueMs: START }]);
  const real = open(newMeter());
  const half: OpenTable = () => ({ ...real, write: denied(newMeter()).write });
  await expect(worker(half, undefined, noting)({ Records: [record("T#b.com#MAIL")] })).rejects.toThrow(
    "not authorized",
  );
});
