/** The order of a user's entries in the logs of indexes of times: that of its changes, whatever clocks say. */
import { beforeAll, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { readAsides } from "#core/database/trash/aside-rows.ts";
import { restoreUser, userAside } from "#core/directory/restoring/user-restoring-store.ts";
import { declaredIndexes } from "#core/directory/users/declared-indexes.ts";
import { freshUser } from "#core/directory/users/model.ts";
import { userStore } from "#core/directory/users/store.ts";
import { settleIndexes } from "#core/directory/users/write-store.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { newId } from "#core/kernel/ids.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";

const tenant = "order.test";
const attributes = ["meta.created", "meta.lastModified"];
const declared = declaredIndexes(attributes);

let table: TestTable;
beforeAll(async () => {
  table = await testTable();
});

/** A table that notes the entries of logs as they are put, by the attribute. */
const noting = (entries: Map<string, string[]>): Table => {
  const on = table.open(newMeter());
  const logs = new Map(
    attributes.flatMap((name) =>
      [0, 1, 2, 3].map((lane) => [keys.userValues(tenant, PRIMARY, name).log(lane), name] as const),
    ),
  );
  return {
    ...on,
    write: (...steps) => {
      for (const step of steps) {
        const name = "put" in step ? logs.get(step.put.PK) : undefined;
        if (name && "put" in step) entries.set(name, [...(entries.get(name) ?? []), step.put.PK + step.put.SK]);
      }
      return on.write(...steps);
    },
  };
};

test("later entries of a user come before earlier ones, in one part of the log", async () => {
  const entries = new Map<string, string[]>();
  const on = noting(entries);
  const users = userStore(on, { declared, deletedDays: 7 });
  // Clocks that go back: the last change was later than the time of this machine.
  const later = Date.now() + 3_600_000;
  const { id } = await users.add(tenant, freshUser(newId(), "kim", later));
  const update = () =>
    users.update(tenant, id, (before) => ({ after: { ...before, modifiedMs: Math.max(5, before.modifiedMs + 1) } }));
  await update();
  await settleIndexes({ table: on, tenant, declared }, id, () => []);
  await update();
  await users.remove(tenant, id, Date.now(), { check: () => undefined, steps: () => [] });
  const [aside] = await readAsides(on, tenant, [{ type: "user", id }], Date.now());
  if (!aside) throw new Error("the user is not put aside");
  await restoreUser(on, {
    tenant,
    aside,
    name: undefined,
    nowMs: Date.now(),
    absent: () => new Error("absent"),
    user: await userAside(on, tenant, aside),
    declared,
    allowed: Promise.resolve(),
  });
  await update();
  const own = entries.get("meta.created") ?? [];
  // Not by the clock of the container: a user with an earlier change comes after it, though it is added later.
  await users.add(tenant, freshUser(newId(), "lee", later - 1_800_000));
  const other = entries.get("meta.created")?.at(-1) ?? "";
  const orderIn = (entry: string | undefined) => entry?.slice(-34, -25) ?? "";
  expect(orderIn(other) > orderIn(own[0])).toBe(true);
  entries.get("meta.created")?.pop();
  entries.get("meta.lastModified")?.pop();
  for (const [name, count] of [
    ["meta.created", 5],
    ["meta.lastModified", 7],
  ] as const) {
    const own = entries.get(name) ?? [];
    expect(own.length).toBe(count);
    expect(own).toEqual([...own].sort().reverse());
  }
});
