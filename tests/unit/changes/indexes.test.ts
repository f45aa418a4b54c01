/** Records of changes show users, not the indexes that the service keeps of them. */
import { beforeAll, expect, test } from "vitest";
import { recording } from "#core/database/changes/open.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { declaredIndexes } from "#core/directory/users/declared-indexes.ts";
import { freshUser } from "#core/directory/users/model.ts";
import { userStore } from "#core/directory/users/store.ts";
import { settleIndexes } from "#core/directory/users/write-store.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { newId } from "#core/kernel/ids.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { everything } from "#tests/unit/identities/audit.ts";

const tenant = "recorded.test";
const declared = declaredIndexes(["displayName", "active"]);
const cause = { tenant, actor: { type: "user", id: "1" }, sourceIp: "", operation: "test", traceId: "t" } as const;

let table: TestTable;
beforeAll(async () => {
  table = await testTable();
});

const records = async () =>
  (await everything(table)).filter(({ PK }) => PK.startsWith(`T#${tenant}#LOG#`)).map((item) => JSON.stringify(item));

test("a change of a user has one record, without indexes, and coming into an index has none", async () => {
  const on = recording(table.open(newMeter()), { cause, recordDays: 1 });
  const user = freshUser(newId(), "kim.user", 1, { profile: { displayName: "Kim" } });
  await userStore(on).add(tenant, user);
  expect(await records()).toHaveLength(1);
  await settleIndexes({ table: on, tenant, declared }, user.id);
  expect((await userStore(on).find(tenant, user.id))?.indexed).toEqual(["active", "displayName"]);
  expect(await records()).toHaveLength(1);
  const users = userStore(on, { declared });
  await users.update(tenant, user.id, (before) => ({ after: { ...before, profile: { displayName: "Lee" } } }));
  const all = await records();
  expect(all).toHaveLength(2);
  expect(all.join()).toContain("/displayName");
  expect(all.join()).not.toMatch(/_x|indexed|unsettled/);
  expect((await users.idOf({ tenant, userStore: PRIMARY, name: "kim.user" })) ?? "").toBe(user.id);
});
