/**
 * The service is killed in the middle of a request with an `Idempotency-Key`, before or after the database applied one
 * of its transactions. The repeat gets the first answer, and the request has taken effect once (decision 0086).
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import { recordsIn } from "#tests/support/changes.ts";
import { allItems } from "#tests/support/protocols.ts";
import { key } from "#tests/support/repeatable.ts";
import { ADMIN, APPLICATIONS, basic } from "#tests/support/world.ts";
import { newClient } from "./client.ts";
import { newLedger } from "./ledger.ts";
import { addPeople, values } from "./people.ts";
import { type FaultyService, startFaultyService } from "./service.ts";

const MANY = 100;
/** Transactions of a request at which the service is killed: the claim, the change, and what follows it. */
const positions = process.env.KILLS === "all" ? [1, 2, 3, 4, 5, 6] : [1, 2, 3];
/** Longer than any request takes (decision 0060). */
const ABANDONED_MS = 41_000;
const TRIES = 20;

let service: FaultyService;
let people: readonly string[];
let groupId = "";
beforeAll(async () => {
  service = await startFaultyService(1);
  const client = newClient(service, newLedger());
  people = await addPeople(client, "repeated", MANY);
  groupId = (await client.send("POST", "/scim2/Groups", { body: { displayName: "Patched" } })).body.id;
}, 120_000);
afterAll(() => service.close());

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly location: string | null;
  readonly isReplayed: boolean;
}

/** Sends a request. A connection that ends is a reply with status 0. */
const send = async (method: string, path: string, body: unknown, name: string): Promise<Reply> => {
  await service.ready();
  try {
    const answer = await fetch(service.url + path, {
      method,
      headers: { ...key(name), authorization: basic(ADMIN), "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return {
      status: answer.status,
      text: await answer.text(),
      location: answer.headers.get("location"),
      isReplayed: answer.headers.has("idempotency-replayed"),
    };
  } catch {
    return { status: 0, text: "", location: null, isReplayed: false };
  }
};

/** Kills the service at its transaction with this number. False where the request ends before. */
const killedAt = async (at: number, how: "cut" | "silent", request: () => Promise<Reply>): Promise<boolean> => {
  let transactions = 0;
  let killed: Promise<void> | undefined;
  service.proxy.rule(({ operation }) => {
    if (operation !== "TransactWriteItems") return "none";
    transactions += 1;
    if (transactions < at || killed) return "none";
    // The database applies what it got before the service dies.
    killed = new Promise<void>((done) => {
      setTimeout(done, how === "silent" ? 300 : 0);
    }).then(() => service.kill("service"));
    return how;
  });
  const reply = await request();
  await killed;
  service.proxy.rule(undefined);
  if (!killed) expect(reply.status, reply.text).toBeLessThan(300);
  return killed !== undefined;
};

const table = () => service.table().open(newMeter());

/** Makes the requests that run look as old as they are when their repeats may take their places. */
const age = async (): Promise<void> => {
  const rows = await allItems(service.table());
  for (const { PK, SK } of rows.filter((row) => /#IDEM#/.test(row.PK) && row.state === "running")) {
    await table().write({
      change: { PK, SK },
      set: { sinceMs: Date.now() - ABANDONED_MS },
      when: "present",
      otherwise: () => new Error("the row is gone"),
    });
  }
};

/** Repeats a request until it is answered. */
const repeated = async (request: () => Promise<Reply>): Promise<Reply> => {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const reply = await request();
    if (reply.status !== 409 || !reply.text.includes("has not ended")) return reply;
    await age();
  }
  throw new Error("the request is never answered");
};

/** How many changes of resources whose names contain a text were recorded. */
const recorded = async (text: string): Promise<number> =>
  (await recordsIn({ service: service.table() })).filter(({ resource }) => resource.name?.includes(text)).length;

const member = (at: number, name: string) => ({
  method: "POST",
  path: "/Users",
  bulkId: `b${at}`,
  data: { userName: `${name}-${at}` },
});
const password = "a-long-password";

/** The requests, with the number of changes that each makes. */
const requests: readonly (readonly [
  string,
  string,
  (name: string) => readonly [path: string, body: unknown],
  number,
])[] = [
  ["a new user", "POST", (name) => ["/scim2/Users", { userName: name }], 1],
  ["a new application", "POST", (name) => [APPLICATIONS, { name }], 1],
  [
    "a new group of many members",
    "POST",
    (name) => ["/scim2/Groups", { displayName: name, members: values(people) }],
    1,
  ],
  [
    "four operations in bulk",
    "POST",
    (name) => ["/scim2/Bulk", { Operations: [1, 2, 3, 4].map((at) => member(at, name)) }],
    4,
  ],
  [
    "a new tenant",
    "POST",
    (name) => ["/api/server/v1/tenants", { domain: `${name}.example`, owners: [{ username: "boss", password }] }],
    0,
  ],
  [
    "a PATCH",
    "PATCH",
    (name) => [`/scim2/Groups/${groupId}`, { Operations: [{ op: "replace", path: "displayName", value: name }] }],
    1,
  ],
];

let names = 0;
const cases = requests.flatMap(([what, method, of, changes]) =>
  (["cut", "silent"] as const).map((how) => [what, how, method, of, changes] as const),
);

test.each(cases)("%s that is killed (%s) takes effect once", async (_, how, method, of, changes) => {
  for (const at of positions) {
    names += 1;
    const name = `kept-${names}`;
    const [path, body] = of(name);
    const request = () => send(method, path, body, name);
    const isKilled = await killedAt(at, how, request);
    const first = await repeated(request);
    expect(first.status, `${at}: ${first.text}`).toBeLessThan(300);
    const second = await request();
    expect({ ...second, isReplayed: false }).toEqual({ ...first, isReplayed: false });
    expect(second.isReplayed).toBe(true);
    if (changes > 0) expect(await recorded(name), `${at}`).toBe(changes);
    if (path.endsWith("/Bulk")) expect(first.text).not.toContain('"409"');
    if (!isKilled) break;
  }
});
