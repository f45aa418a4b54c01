/** The index of values of `userName`, where a deployment declares it: it has the order of the names, long ones too. */
import { beforeAll, expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import { declaredIndexes } from "#core/directory/users/declared-indexes.ts";
import { freshUser } from "#core/directory/users/model.ts";
import { userItem } from "#core/directory/users/rows.ts";
import { type UserStore, userStore } from "#core/directory/users/store.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { foldName } from "#core/kernel/fold.ts";
import { newId } from "#core/kernel/ids.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { indexProblems } from "#tests/support/user-indexes.ts";

const tenant = "names.test";
const declared = declaredIndexes(["userName"]);
/** 255 characters, the most that a name has, of 765 bytes. */
const long = (end: string): string => `${"\u674e".repeat(254)}${end}`;

let table: TestTable;
let users: UserStore;
beforeAll(async () => {
  table = await testTable();
  users = userStore(table.open(newMeter()), { declared });
});

const heldNames = async (): Promise<readonly string[]> => {
  const directory = await users.indexes(tenant, PRIMARY)?.open("userName");
  const matches = await directory?.matches({ intervals: [{}] });
  return ((await matches?.window({ offset: 0, limit: 100 })) ?? []).map(({ value }) => value);
};

test("holds whole names in their order, and follows a rename, a change of case and a removal", async () => {
  const names = ["Kim", "ada", "\u00c5sa", long("b"), long("a"), `${long("")}`, "z"];
  const added = [];
  for (const name of names) added.push(await users.add(tenant, freshUser(newId(), name, 1)));
  const inOrder = async () => {
    const { entries } = await users.names(tenant, PRIMARY).page({ offset: 0, limit: 100 });
    return entries.map(({ key }) => key);
  };
  expect(await heldNames()).toEqual(await inOrder());
  expect(await heldNames()).toContain(foldName(long("b")));
  const [kim, ada, , first] = added;
  const rename = (id: string, userName: string) =>
    users.update(tenant, id, (before) => ({ after: { ...before, userName } }), { userStore: PRIMARY, name: userName });
  await rename(kim?.id ?? "", "aaron");
  await rename(ada?.id ?? "", "ADA");
  await users.remove(tenant, first?.id ?? "", 2, { check: () => undefined, steps: () => [] });
  expect(await heldNames()).toEqual(await inOrder());
  expect(await heldNames()).toEqual(expect.arrayContaining(["aaron", "ada"]));
  const read = await users.findMany(
    tenant,
    added.map(({ id }) => id),
  );
  const rows = read.flatMap((user) => (user ? [userItem(tenant, user)] : []));
  expect(rows).toHaveLength(names.length - 1);
  expect(
    await indexProblems(table.open(newMeter()), { tenant, userStore: PRIMARY, attributes: ["userName"] }, rows),
  ).toEqual([]);
});
