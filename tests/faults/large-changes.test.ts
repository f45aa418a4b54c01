/** A change of many members on a database that stays silent in the middle of it, until the function gives up. */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { everything } from "#tests/unit/identities/audit.ts";
import { audit } from "./audit.ts";
import { type Client, newClient } from "./client.ts";
import { canonical, newLedger } from "./ledger.ts";
import { addGroup, addPeople, membersOf, values } from "./people.ts";
import { type FaultyService, startFaultyService } from "./service.ts";

/** 45 of them fit a transaction. */
const MEMBERS = 700;
/** The transactions that are applied: the change is committed, and some of its members are written. */
const APPLIED = 5;
const AFTERWARDS_MS = 8_000;

let service: FaultyService;
let client: Client;
beforeAll(async () => {
  service = await startFaultyService(1);
  client = newClient(service, newLedger());
}, 120_000);
afterAll(() => service.close());

test("a request that was answered writes nothing more, and undoes no later change", async () => {
  const people = await addPeople(client, "many", MEMBERS);
  const id = await addGroup(client, "Many");
  const add = { Operations: [{ op: "add", path: "members", value: values(people) }] };
  let transactions = 0;
  service.proxy.rule(({ operation }) => {
    if (operation === "TransactWriteItems") transactions += 1;
    return transactions > APPLIED ? "hang" : "none";
  });
  const change = await client.send("PATCH", `/scim2/Groups/${id}`, { body: add });
  expect([change.status, change.headers.has("retry-after")]).toEqual([503, true]);

  service.proxy.calm();
  const last = people.at(-1) ?? "";
  const remove = { Operations: [{ op: "remove", path: `members[value eq "${last}"]` }] };
  const removal = await client.send("PATCH", `/scim2/Groups/${id}`, { body: remove });
  expect(removal.status).toBeLessThan(300);
  const before = canonical(await everything(service.table()));
  await pause(AFTERWARDS_MS);
  const after = canonical(await everything(service.table()));
  expect(after === before ? "unchanged" : "written to after the answer").toBe("unchanged");
  const members = (await membersOf(client, id)) ?? [];
  expect(members).not.toContain(last);
  expect(members.length, "all of the others: the change was committed").toBe(MEMBERS - 1);
  expect(await audit(service.table())).toEqual([]);
}, 180_000);
