/**
 * The service is killed between two transactions of one large change: the next look shows the state before or after
 * the change, and no leftover counts. A few of the transactions by default, each of them with `KILLS=all`. In one
 * process and for every write: tests/unit/identities/killed.test.ts.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { audit } from "./audit.ts";
import { type Client, newClient } from "./client.ts";
import { newLedger } from "./ledger.ts";
import { addGroup, addPeople, membersOf, values } from "./people.ts";
import { type FaultyService, startFaultyService } from "./service.ts";
import { sweep } from "./sweep.ts";

const MANY = 100;
/** More members than one transaction removes with their group. */
const VERY_MANY = 1_900;
const SHOWN = 5;
const TRANSACTIONS_MAX = 40;
const GROUPS = "/scim2/Groups";
const ROLES = "/scim2/v2/Roles";
/** The second is between the commit and the first part; the fourth between two parts. */
const few = [2, 4];
const isAll = process.env.KILLS === "all";

let service: FaultyService;
let client: Client;
let people: readonly string[];
beforeAll(async () => {
  service = await startFaultyService(1);
  client = newClient(service, newLedger());
  people = [...(await addPeople(client, "kill", MANY))].sort();
}, 120_000);
afterAll(() => service.close());

/** Kills the service when its transaction number `at` reaches the database. False when the change ends before. */
const killedAt = async (at: number, method: string, path: string, body?: unknown): Promise<boolean> => {
  let transactions = 0;
  let killed: Promise<void> | undefined;
  service.proxy.rule(({ operation }) => {
    if (operation === "TransactWriteItems") transactions += 1;
    if (transactions < at) return "none";
    killed ??= service.kill("service").finally(() => service.proxy.rule(undefined));
    // What the dying service sent before is not applied any more. The service that starts needs its database.
    return transactions === at && operation === "TransactWriteItems" ? "cut" : "none";
  });
  await client.send(method, path, body === undefined ? {} : { body });
  await killed;
  service.proxy.rule(undefined);
  return killed !== undefined;
};

/** A large change of a group or role. `ids` is `undefined` for one that does not exist. */
interface Change {
  readonly path: typeof GROUPS | typeof ROLES;
  readonly before: (() => readonly string[]) | undefined;
  readonly after: (() => readonly string[]) | undefined;
  readonly send: (id: string, displayName: string) => readonly [method: string, path: string, body?: unknown];
}
const half = () => people.slice(0, MANY / 2);
const others = () => people.slice(MANY / 2);
const all = () => people;
const listOf = (path: string) => (path === GROUPS ? "members" : "users");
const patchOf =
  (path: string, op: string, ids: () => readonly string[]): Change["send"] =>
  (id) => ["PATCH", `${path}/${id}`, { Operations: [{ op, path: listOf(path), value: values(ids()) }] }];
const changesOf = (path: typeof GROUPS | typeof ROLES): readonly (readonly [string, Change])[] => {
  const what = path === GROUPS ? "group" : "role";
  const bodyOf = (displayName: string, ids: readonly string[]) => ({ displayName, [listOf(path)]: values(ids) });
  return [
    [`a new ${what}`, { path, before: undefined, after: all, send: (_, name) => ["POST", path, bodyOf(name, people)] }],
    [`a PATCH of a ${what} that adds`, { path, before: () => [], after: all, send: patchOf(path, "add", all) }],
    [`a PATCH of a ${what} that removes`, { path, before: all, after: others, send: patchOf(path, "remove", half) }],
    [
      `a PATCH of a ${what} that replaces`,
      { path, before: half, after: others, send: patchOf(path, "replace", others) },
    ],
    [
      `a PUT of a ${what}`,
      { path, before: half, after: others, send: (id, name) => ["PUT", `${path}/${id}`, bodyOf(name, others())] },
    ],
    [`the removal of a ${what}`, { path, before: all, after: undefined, send: (id) => ["DELETE", `${path}/${id}`] }],
  ];
};

const idNamed = async (path: string, name: string): Promise<string> => {
  const { body } = await client.send("GET", `${path}?filter=${encodeURIComponent(`displayName eq "${name}"`)}`);
  return (body.Resources ?? [])[0]?.id ?? "";
};
const shown = async (path: string, id: string): Promise<readonly string[] | undefined> => {
  const { status, body, text } = await client.send("GET", `${path}/${id}`);
  if (status === 404) return undefined;
  expect(status, text).toBe(200);
  return ((body[listOf(path)] ?? []) as { value: string }[]).map(({ value }) => value).sort();
};
/** A group or role as its users show it: in the profile of the RFC, a role has no link. */
interface Shown {
  readonly $ref?: string;
  readonly value?: string;
  readonly display?: string;
}

/** The ids of the users that show a group with an id, or a role with one of its names. */
const showing = async (path: string, id: string, roleNames: readonly string[]): Promise<readonly string[]> => {
  const { body } = await client.send("GET", "/scim2/Users?count=200");
  const isOwner = ({ $ref = "", value = "", display = "" }: Shown): boolean =>
    path === GROUPS ? $ref.endsWith(`/${id}`) : roleNames.some((name) => name === value || name === display);
  return (body.Resources as { id: string; groups?: Shown[]; roles?: Shown[] }[])
    .filter((user) => (path === GROUPS ? user.groups : user.roles)?.some(isOwner))
    .map((user) => user.id)
    .sort();
};

let names = 0;
const newName = (): string => {
  names += 1;
  return `large ${names}`;
};

const changes = [...changesOf(GROUPS), ...changesOf(ROLES)];

test.each(changes)("%s that is killed has happened or has not", async (_, { path, before, after, send }) => {
  for (const at of isAll ? Array.from({ length: TRANSACTIONS_MAX }, (_, k) => k + 1) : few) {
    const [name, other] = [newName(), newName()];
    const body = { displayName: name, [listOf(path)]: values(before?.() ?? []) };
    const made = before ? (await client.send("POST", path, { body })).body.id : "";
    const isKilled = await killedAt(at, ...send(made, before ? other : name));
    const id = made || (await idNamed(path, name));
    // Users first or last: neither needs the other.
    const users = at % 4 === 0 ? await showing(path, id || "-", [name, other]) : undefined;
    const members = id ? await shown(path, id) : undefined;
    expect([before?.(), after?.()]).toContainEqual(members);
    expect(users ?? (await showing(path, id || "-", [name, other]))).toEqual(members ?? []);
    if (members) expect((await client.send("DELETE", `${path}/${id}`)).status).toBe(204);
    if (!isKilled) break;
  }
});

test("the removal of a group of 1,900 members leaves no membership", async () => {
  const many = await addPeople(client, "very", VERY_MANY);
  const id = await addGroup(client, "Very large", many);
  expect((await client.send("DELETE", `${GROUPS}/${id}`)).status).toBe(204);
  expect(await membersOf(client, id)).toBeUndefined();
  expect((await audit(service.table())).filter((problem) => problem.includes(id))).toEqual([]);
}, 300_000);

test("after all of them, one read of users leaves nothing of what was killed", async () => {
  await sweep(service);
  const left = await audit(service.table());
  expect(left.length > SHOWN ? [...left.slice(0, SHOWN), `and ${left.length - SHOWN} more`] : left).toEqual([]);
});
