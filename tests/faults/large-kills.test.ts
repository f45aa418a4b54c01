/** The service is killed between two transactions of one change: the change is whole or absent, and no leftover counts. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { audit } from "./audit.ts";
import { type Client, newClient } from "./client.ts";
import { newLedger } from "./ledger.ts";
import { addGroup, addPeople, membersOf, values } from "./people.ts";
import { type FaultyService, startFaultyService } from "./service.ts";

const MANY = 150;
/** More members than the removal of a group clears up behind it. */
const VERY_MANY = 1_900;
const SHOWN = 5;
const GROUPS = "/scim2/Groups";
const ROLES = "/scim2/v2/Roles";

let service: FaultyService;
let client: Client;
let people: readonly string[];
beforeAll(async () => {
  service = await startFaultyService(1);
  client = newClient(service, newLedger());
  people = await addPeople(client, "kill", MANY);
}, 120_000);
afterAll(() => service.close());
/** What an earlier test left behind is its own failure. */
let known: ReadonlySet<string> = new Set();
beforeEach(async () => {
  known = new Set(await audit(service.table()));
});

/** Sends a request and kills the service when its transaction number `at` reaches the database. */
const killedAt = async (at: number, method: string, path: string, body?: unknown): Promise<void> => {
  let transactions = 0;
  let killed: Promise<void> | undefined;
  service.proxy.rule(({ operation }) => {
    if (operation === "TransactWriteItems") transactions += 1;
    if (transactions < at) return "none";
    killed ??= service.kill("service").finally(() => service.proxy.rule(undefined));
    // What the dying service sent before is not applied any more.
    return transactions === at && operation === "TransactWriteItems" ? "cut" : "none";
  });
  const sent = await client.send(method, path, body === undefined ? {} : { body });
  await killed;
  service.proxy.rule(undefined);
  expect(sent.status, "the service was killed while it worked").toBe(0);
};

/** Reads each user and lets it join a group, so that whatever was left of it is met. */
const meetAll = async (ids: readonly string[]): Promise<void> => {
  const id = await addGroup(client, "Meeting", ids);
  for (const userId of ids.slice(0, MANY)) await client.send("GET", `/scim2/Users/${userId}`);
  const gone = await client.send("DELETE", `${GROUPS}/${id}`);
  expect(gone.status).toBe(204);
};
const expectNoLeftovers = async (ids = people): Promise<void> => {
  await meetAll(ids);
  const left = (await audit(service.table())).filter((problem) => !known.has(problem));
  expect(left.length > SHOWN ? [...left.slice(0, SHOWN), `and ${left.length - SHOWN} more`] : left).toEqual([]);
};
const groupNamed = async (name: string): Promise<string | undefined> => {
  const { body } = await client.send("GET", `${GROUPS}?filter=${encodeURIComponent(`displayName eq "${name}"`)}`);
  return (body.Resources ?? [])[0]?.id;
};

describe("killed in the middle of", () => {
  test("a new group of many members", async () => {
    await killedAt(3, "POST", GROUPS, { displayName: "Created", members: values(people) });
    expect(await groupNamed("Created")).toBeUndefined();
    await addGroup(client, "Created", people.slice(0, 2));
    await expectNoLeftovers();
  });

  test("adding many members", async () => {
    const id = await addGroup(client, "Added");
    const Operations = [{ op: "add", path: "members", value: values(people) }];
    await killedAt(3, "PATCH", `${GROUPS}/${id}`, { Operations });
    expect([0, MANY]).toContain((await membersOf(client, id))?.length);
    await expectNoLeftovers();
  });

  test("the removal of a group of many members", async () => {
    const id = await addGroup(client, "Removed", people);
    await killedAt(3, "DELETE", `${GROUPS}/${id}`);
    expect(await membersOf(client, id)).toBeUndefined();
    await expectNoLeftovers();
  });

  test("a new role of many assignees", async () => {
    await killedAt(3, "POST", ROLES, { displayName: "created", users: values(people) });
    const filter = encodeURIComponent('displayName eq "created"');
    const { body } = await client.send("GET", `${ROLES}?filter=${filter}`);
    const shown = (body.Resources ?? [])[0];
    expect([undefined, MANY]).toContain(shown && (await client.send("GET", `${ROLES}/${shown.id}`)).body.users?.length);
    await expectNoLeftovers();
  });

  test("the removal of a role", async () => {
    const body = { displayName: "removed", users: values(people.slice(0, 5)) };
    const { body: role } = await client.send("POST", ROLES, { body });
    await killedAt(2, "DELETE", `${ROLES}/${role.id}`);
    expect((await client.send("GET", `${ROLES}/${role.id}`)).status).toBe(404);
    await expectNoLeftovers();
  });
});

test("the removal of a group of 1,900 members leaves no membership that counts", async () => {
  const many = await addPeople(client, "very", VERY_MANY);
  const id = await addGroup(client, "Very large", many);
  expect((await client.send("DELETE", `${GROUPS}/${id}`)).status).toBe(204);
  await expectNoLeftovers(many);
}, 300_000);
