/**
 * A user of a directory has an entry and a record. What remains where the second write fails, and where names conflict.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import { openDirectories } from "#core/directory/ldap/open.ts";
import { declaredUsers } from "#core/directory/users/declared.ts";
import { freshUser, type User } from "#core/directory/users/model.ts";
import { type UserStore, userStore } from "#core/directory/users/store.ts";
import type { UndoFailure } from "#core/http/observe.ts";
import { readDeployment } from "#core/service/settings/deployment.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { fresh } from "#tests/support/scim.ts";
import { BIND_PASSWORD, directoryStore, hasSlapd, PEOPLE, startSlapd } from "#tests/support/slapd.ts";

const TENANT = "carbon.super";
const password = "good-password";

describe.runIf(hasSlapd)("an entry and a record", async () => {
  if (!hasSlapd) return;
  const slapd = await startSlapd();
  const [settings] = readDeployment(directoryStore(slapd.url)).userStores.flatMap(({ directory }) => directory ?? []);
  if (!settings) throw new Error("the deployment declares a directory");
  const open = openDirectories({
    directories: [settings],
    countsAll: false,
    passwordOf: () => BIND_PASSWORD,
    reportUndoFailure: (failure) => failures.push(failure),
  });
  const failures: UndoFailure[] = [];
  let table: TestTable;
  let failing: Partial<UserStore> = {};
  const usersOver = (changes: Partial<UserStore>): UserStore =>
    declaredUsers(open({ ...userStore(table.open(newMeter())), ...changes }), () => ["PRIMARY", "CORP"]);
  const users = () => usersOver(failing);
  const fail = () => Promise.reject(new Error("the table is down"));
  const newUser = (more: Partial<User> = {}): User =>
    freshUser("unused", fresh("half"), 1, { userStore: "CORP", profile: { nickName: "N", title: "T" }, ...more });
  const exists = (userName: string): Promise<boolean> =>
    slapd.connected(
      async (client) => (await client.search(PEOPLE, { filter: `(uid=${userName})` })).searchEntries.length > 0,
    );
  const created = () => users().add(TENANT, newUser(), { password });

  beforeAll(async () => {
    table = await testTable();
  });
  beforeEach(() => {
    failing = {};
  });
  afterAll(() => slapd.close());

  test("deletes a new entry whose record cannot be written", async () => {
    failing = { add: fail };
    const user = newUser();
    await expect(users().add(TENANT, user, { password })).rejects.toThrow("the table is down");
    expect(await exists(user.userName)).toBe(false);
    failing = {};
    expect(await users().add(TENANT, user, { password })).toMatchObject({
      userName: user.userName,
      profile: user.profile,
    });
  });

  test("creates a record also for a user whose attributes are all in the directory: the change is recorded with it", async () => {
    const user = newUser({ profile: { title: "T" } });
    const { id } = await users().add(TENANT, user, { password });
    expect(await userStore(table.open(newMeter())).find(TENANT, id)).toMatchObject({
      userName: user.userName,
      profile: {},
    });
  });

  test("completes a half written change when the same change is sent again", async () => {
    const { id } = await created();
    const change = (before: User) => ({ after: { ...before, profile: { nickName: "M", title: "U" }, modifiedMs: 2 } });
    failing = { update: fail };
    await expect(users().update(TENANT, id, change)).rejects.toThrow("the table is down");
    expect((await users().find(TENANT, id))?.profile).toEqual({ nickName: "N", title: "U" });
    failing = {};
    expect((await users().update(TENANT, id, change)).profile).toEqual({ nickName: "M", title: "U" });
  });

  test("finds no user after a removal that failed after the entry was deleted", async () => {
    const { id, userName } = await created();
    const removal = { check: () => undefined, steps: () => [] };
    failing = { remove: fail };
    await expect(users().remove(TENANT, id, 3, removal)).rejects.toThrow("the table is down");
    expect(await exists(userName)).toBe(false);
    failing = {};
    expect(await users().find(TENANT, id)).toBeUndefined();
    await expect(users().remove(TENANT, id, 3, removal)).rejects.toMatchObject({ fault: "scim.not_found" });
    // The name is free for another user, whose record replaces the old one.
    const other = await users().add(TENANT, newUser({ userName }), { password });
    expect(other.id).not.toBe(id);
    expect(await userStore(table.open(newMeter())).find(TENANT, id)).toBeUndefined();
  });

  test("follows two users who swapped their names in the directory", async () => {
    const [a, b] = [await created(), await created()];
    await slapd.connected(async (client) => {
      await client.modifyDN(`uid=${a.userName},${PEOPLE}`, "uid=between");
      await client.modifyDN(`uid=${b.userName},${PEOPLE}`, `uid=${a.userName}`);
      await client.modifyDN(`uid=between,${PEOPLE}`, `uid=${b.userName}`);
    });
    const found = (await users().findMany(TENANT, [a.id, b.id])).flatMap((user) => user ?? []);
    expect(found.map(({ userName }) => userName)).toEqual([b.userName, a.userName]);
    await users().elsewhere?.anchor(TENANT, found);
    const records = await userStore(table.open(newMeter())).findMany(TENANT, [a.id, b.id]);
    expect(records.map((record) => record?.userName)).toEqual([b.userName, a.userName]);
  });

  test("creates one record for concurrent requests", async () => {
    const user = await users().add(TENANT, newUser({ profile: {} }), { password });
    await Promise.all(Array.from({ length: 8 }, () => users().elsewhere?.anchor(TENANT, [user])));
    expect(await userStore(table.open(newMeter())).find(TENANT, user.id)).toMatchObject({
      userName: user.userName,
      version: 1,
    });
  });
});
