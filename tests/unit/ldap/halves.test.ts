/** A change of a directory's user is written in two places. What is left where the second one fails, and where others are in the way. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { declaredUsers } from "#core/identities/users/declared.ts";
import { freshUser, type User } from "#core/identities/users/model.ts";
import { type UserStore, userStore } from "#core/identities/users/store.ts";
import { openDirectories } from "#core/ldap/open.ts";
import { readDeployment } from "#core/settings/deployment.ts";
import { newMeter } from "#core/table/meter.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { fresh } from "#tests/support/scim.ts";
import { BIND_PASSWORD, directoryStore, hasSlapd, PEOPLE, startSlapd } from "#tests/support/slapd.ts";

const TENANT = "carbon.super";
const password = "good-password";

describe.runIf(hasSlapd)("two places", async () => {
  if (!hasSlapd) return;
  const slapd = await startSlapd();
  const [settings] = readDeployment(directoryStore(slapd.url)).userStores.flatMap(({ directory }) => directory ?? []);
  if (!settings) throw new Error("the deployment declares a directory");
  const open = openDirectories({ directories: [settings], countsAll: false, passwordOf: () => BIND_PASSWORD });
  let table: TestTable;
  let failing: Partial<UserStore> = {};
  const usersOver = (changes: Partial<UserStore>): UserStore =>
    declaredUsers(open({ ...userStore(table.open(newMeter())), ...changes }), () => ["PRIMARY", "CORP"]);
  const users = () => usersOver(failing);
  const fail = () => Promise.reject(new Error("the table is away"));
  const wished = (more: Partial<User> = {}): User =>
    freshUser("unused", fresh("half"), 1, { userStore: "CORP", profile: { nickName: "N", title: "T" }, ...more });
  const exists = (userName: string): Promise<boolean> =>
    slapd.connected(
      async (client) => (await client.search(PEOPLE, { filter: `(uid=${userName})` })).searchEntries.length > 0,
    );
  const made = () => users().add(TENANT, wished(), { password });

  beforeAll(async () => {
    table = await testTable();
  });
  beforeEach(() => {
    failing = {};
  });
  afterAll(() => slapd.close());

  test("a new user whose rest cannot be kept is in neither", async () => {
    failing = { add: fail };
    const user = wished();
    await expect(users().add(TENANT, user, { password })).rejects.toThrow("the table is away");
    expect(await exists(user.userName)).toBe(false);
    failing = {};
    expect(await users().add(TENANT, user, { password })).toMatchObject({
      userName: user.userName,
      profile: user.profile,
    });
  });

  test("a user without a rest needs none", async () => {
    failing = { add: fail };
    const user = wished({ profile: { title: "T" } });
    const { id } = await users().add(TENANT, user, { password });
    expect(await users().find(TENANT, id)).toMatchObject({ userName: user.userName, groupIds: [] });
  });

  test("a change that is half made is completed by the same change", async () => {
    const { id } = await made();
    const change = (before: User) => ({ after: { ...before, profile: { nickName: "M", title: "U" }, modifiedMs: 2 } });
    failing = { update: fail };
    await expect(users().update(TENANT, id, change)).rejects.toThrow("the table is away");
    expect((await users().find(TENANT, id))?.profile).toEqual({ nickName: "N", title: "U" });
    failing = {};
    expect((await users().update(TENANT, id, change)).profile).toEqual({ nickName: "M", title: "U" });
  });

  test("a removal that the directory refuses removes nothing; one that ends half way leaves nobody", async () => {
    const { id, userName } = await made();
    const removal = { check: () => undefined, steps: () => [] };
    failing = { remove: fail };
    await expect(users().remove(TENANT, id, 3, removal)).rejects.toThrow("the table is away");
    expect(await exists(userName)).toBe(false);
    failing = {};
    expect(await users().find(TENANT, id)).toBeUndefined();
    await expect(users().remove(TENANT, id, 3, removal)).rejects.toMatchObject({ fault: "scim.not_found" });
    // The name is free for another, whose shadow takes the place of the old one.
    const other = await users().add(TENANT, wished({ userName }), { password });
    expect(other.id).not.toBe(id);
    expect(await userStore(table.open(newMeter())).find(TENANT, id)).toBeUndefined();
  });

  test("two users who swap their names behind our back swap them here too", async () => {
    const [a, b] = [await made(), await made()];
    await slapd.connected(async (client) => {
      await client.modifyDN(`uid=${a.userName},${PEOPLE}`, "uid=between");
      await client.modifyDN(`uid=${b.userName},${PEOPLE}`, `uid=${a.userName}`);
      await client.modifyDN(`uid=between,${PEOPLE}`, `uid=${b.userName}`);
    });
    const found = (await users().findMany(TENANT, [a.id, b.id])).flatMap((user) => user ?? []);
    expect(found.map(({ userName }) => userName)).toEqual([b.userName, a.userName]);
    await users().elsewhere?.anchor(TENANT, found);
    const shadows = await userStore(table.open(newMeter())).findMany(TENANT, [a.id, b.id]);
    expect(shadows.map((shadow) => shadow?.userName)).toEqual([b.userName, a.userName]);
  });

  test("many who need a shadow of one user at once make one", async () => {
    const user = await users().add(TENANT, wished({ profile: {} }), { password });
    await Promise.all(Array.from({ length: 8 }, () => users().elsewhere?.anchor(TENANT, [user])));
    expect(await userStore(table.open(newMeter())).find(TENANT, user.id)).toMatchObject({
      userName: user.userName,
      version: 1,
    });
  });
});
