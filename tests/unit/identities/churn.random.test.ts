/**
 * Many concurrent changes of users and groups, with everything that DynamoDB may do: conflicts, throttling, reads of
 * half a transaction, lost responses. Afterwards all rows are consistent. A failure names its seed; the order of events
 * depends on timing too.
 */
import { beforeAll, describe, expect, test } from "vitest";
import type { Resource } from "#core/scim/protocol/schema/attribute.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { CALM, seeded } from "#tests/support/hostile-database.ts";
import { discrepancies } from "./audit.ts";
import { faultOf, foundDirectory } from "./support.ts";

const WRITERS = 12;
const OPERATIONS = 220;
const userNames = Array.from({ length: 24 }, (_, at) => `${at % 2 === 0 ? "driver" : "e\u0301tage"}.${at}`);
const groupNames = ["Airport", "Harbour", "Night shift", "\u00c9toile", "Station", "Old town"];
/**
 * The results that a change may have when another writer committed first. On a machine under load, a change can lose the
 * race until its deadline (`resource.contended`); it must have changed nothing then, which the audit at the end shows.
 */
const foreseen = new Set([undefined, "scim.unique", "scim.not_found", "request.invalid", "resource.contended"]);

let table: TestTable;
beforeAll(async () => {
  table = await testTable();
});

describe.each([1, 2])("seed %i", (seed) => {
  test("leaves consistent rows of users and groups", { timeout: 60_000 }, async () => {
    const tenant = `churn-${seed}`;
    const { hostile, calm, database } = await foundDirectory(table, tenant, seed);
    const random = seeded(seed);
    const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
    const some = (list: readonly string[], most: number): string[] =>
      Array.from({ length: Math.floor(random() * (most + 1)) }, () => pick(list) ?? "").filter((id) => id !== "");
    const users: string[] = [];
    const groups: string[] = [];
    const endings = new Map<string, number>();

    // Several writers may change one user or group at once.
    const operations: readonly { readonly name: string; readonly run: () => unknown }[] = [
      {
        name: "create user",
        run: async () => {
          const at = Math.floor(random() * 1_000);
          const emails = some(["a", "b", "c", "d"], 3).map((part) => ({ value: `${part}@example.com` }));
          users.push(await hostile.addUser(pick(userNames) ?? "", { externalId: `hr ${at % 7}`, emails }));
        },
      },
      {
        name: "change user",
        run: () => {
          const id = pick(users);
          const emails = some(["a", "b", "e"], 3).map((part) => ({ value: `${part}@example.com` }));
          return id && hostile.changeUser(id, { emails, externalId: `hr ${Math.floor(random() * 7)}` });
        },
      },
      {
        name: "rename user",
        run: () => {
          const id = pick(users);
          return id && hostile.changeUser(id, { userName: pick(userNames) ?? "" });
        },
      },
      {
        name: "delete user",
        run: () => {
          const id = random() < 0.5 ? pick(users) : undefined;
          return id && hostile.removeUser(id);
        },
      },
      {
        name: "create group",
        run: async () => {
          const more: Resource = random() < 0.5 ? { externalId: `ext ${Math.floor(random() * 3)}` } : {};
          groups.push(await hostile.addGroup(pick(groupNames) ?? "", some(users, 6), more));
        },
      },
      {
        name: "rename group",
        run: () => {
          const id = pick(groups);
          return id && hostile.changeGroup(id, { displayName: pick(groupNames) ?? "", externalId: "ext 9" });
        },
      },
      {
        name: "delete group",
        run: () => {
          const id = random() < 0.4 ? pick(groups) : undefined;
          return id && hostile.removeGroup(id);
        },
      },
      { name: "join", run: () => groups[0] && hostile.join(pick(groups) ?? "", ...some(users, 4)) },
      { name: "join", run: () => groups[0] && hostile.join(pick(groups) ?? "", ...some(users, 1)) },
      { name: "part", run: () => groups[0] && hostile.part(pick(groups) ?? "", ...some(users, 4)) },
      { name: "replace", run: () => groups[0] && hostile.replaceMembers(pick(groups) ?? "", some(users, 8)) },
    ];

    let left = OPERATIONS;
    let isOver = false;
    const writer = async () => {
      while (left > 0) {
        left -= 1;
        const operation = pick(operations);
        const ending = await faultOf((async () => await operation?.run())());
        expect([operation?.name, foreseen.has(ending) ? "foreseen" : ending]).toEqual([operation?.name, "foreseen"]);
        if (ending === undefined) endings.set(operation?.name ?? "", (endings.get(operation?.name ?? "") ?? 0) + 1);
      }
    };
    const reader = async (): Promise<number> => {
      let reads = 0;
      for (; !isOver; reads += 1) {
        const names = hostile.stores.users.names(tenant, "PRIMARY");
        const { entries } = await names.page({ offset: 0, limit: 100 });
        const found = await hostile.stores.users.findMany(
          tenant,
          entries.map(({ id }) => id),
        );
        for (const user of found) expect(user === undefined || user.version > 0).toBe(true);
        const id = pick(groups);
        const group = id && (await hostile.stores.groups.find(tenant, id));
        if (group) expect(group.memberCount).toBeGreaterThanOrEqual(0);
      }
      return reads;
    };
    const writing = Promise.all(Array.from({ length: WRITERS }, writer)).finally(() => {
      isOver = true;
    });
    const [reads] = await Promise.all([reader(), writing]);
    database.set(CALM);

    expect(reads).toBeGreaterThan(2);
    for (const happened of Object.values(database.counts)) expect(happened).toBeGreaterThan(0);
    expect([...endings.keys()].sort()).toEqual([...new Set(operations.map(({ name }) => name))].sort());
    expect(await discrepancies(table, tenant)).toEqual([]);
    // And all of it can be deleted.
    const { entries } = await calm.stores.groups.names(tenant, "PRIMARY").page({ offset: 0, limit: 100 });
    for (const { id } of entries) await calm.removeGroup(id);
    const last = await calm.stores.users.names(tenant, "PRIMARY").page({ offset: 0, limit: 100 });
    for (const { id, key } of last.entries) if (key !== "admin") await calm.removeUser(id);
    expect(await discrepancies(table, tenant)).toEqual([]);
    expect(await calm.stores.users.names(tenant, "PRIMARY").total()).toBe(1);
  });
});
