/** A change of many members on a database so slow that it takes longer than a function may. */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { everything } from "#tests/unit/identities/audit.ts";
import { audit } from "./audit.ts";
import { type Client, newClient } from "./client.ts";
import { canonical, newLedger } from "./ledger.ts";
import { addGroup, addPeople, membersOf, values } from "./people.ts";
import { type FaultyService, startFaultyService } from "./service.ts";

/** 45 of them fit a transaction, and each takes two slow calls: more than 30 seconds together. */
const MEMBERS = 700;
const CALL_MS = 1_300;
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
  service.proxy.rule(() => CALL_MS);
  const change = await client.send("PATCH", `/scim2/Groups/${id}`, { body: add });
  expect([change.status, change.headers.has("retry-after")]).toEqual([503, true]);

  // A call that was sent before the answer cannot be recalled.
  await pause(CALL_MS * 2);
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
  expect([0, MEMBERS - 1], "all of the others, or none").toContain(members.length);
  expect(await audit(service.table())).toEqual([]);
}, 180_000);
