/**
 * Two requests that change one user of a directory at the same time, one of them held up: no change undoes the other,
 * and a request that depends on a version is refused.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { stale } from "#core/database/table/stale.ts";
import type { Step, Table } from "#core/database/table/table.ts";
import { openDirectories } from "#core/directory/ldap/open.ts";
import { declaredUsers } from "#core/directory/users/declared.ts";
import { freshUser, type User } from "#core/directory/users/model.ts";
import { type UserStore, userStore } from "#core/directory/users/store.ts";
import type { UserChange } from "#core/directory/users/writing.ts";
import type { UndoFailure } from "#core/http/observe.ts";
import { Fault } from "#core/kernel/faults.ts";
import { newId } from "#core/kernel/ids.ts";
import type { Resource } from "#core/scim/protocol/schema/attribute.ts";
import { readDeployment } from "#core/service/settings/deployment.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { fresh, type Shown, URN } from "#tests/support/scim.ts";
import { BIND_PASSWORD, directoryStore, hasSlapd, PEOPLE, startSlapd } from "#tests/support/slapd.ts";

const TENANT = "carbon.super";
const password = "good-password";

type Change = (before: User) => UserChange;

/** A change of `active`. */
const activeTo =
  (active: boolean): Change =>
  (before) => ({ after: { ...before, active } });
/** A change of attributes of the profile. */
const setting =
  (values: Resource, more: Omit<UserChange, "after"> = {}): Change =>
  (before) => ({ after: { ...before, profile: { ...before.profile, ...values } }, ...more });
const locking = setting({ [URN.system]: { accountLocked: true } });
/** The same change, of this version only, as `If-Match` has it. */
const ofVersion =
  (version: number, change: Change): Change =>
  (before) => {
    if (before.version !== version) throw new Fault("request.precondition", "another version");
    return change(before);
  };
const refused = { fault: "request.precondition" };

/** A point that a request reaches, and at which it waits until `release` is called. */
const barrier = () => {
  const [reached, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  return {
    arrived: reached.promise,
    release: () => opened.resolve(),
    async pass() {
      reached.resolve();
      await opened.promise;
    },
  };
};

describe.runIf(hasSlapd)("a user of a directory", async () => {
  if (!hasSlapd) return;
  const slapd = await startSlapd();
  const [settings] = readDeployment(directoryStore(slapd.url)).userStores.flatMap(({ directory }) => directory ?? []);
  if (!settings) throw new Error("the deployment declares a directory");
  const failures: UndoFailure[] = [];
  const open = openDirectories({
    directories: [settings],
    countsAll: false,
    passwordOf: () => BIND_PASSWORD,
    reportUndoFailure: (failure) => failures.push(failure),
  });
  let made: TestTable;
  beforeAll(async () => {
    made = await testTable();
  });
  afterAll(() => slapd.close());
  afterEach(() => expect(failures.splice(0)).toEqual([]));

  const plain = (): Table => made.open(newMeter());
  const usersOn = (table: Table): UserStore => declaredUsers(open(userStore(table)), () => ["PRIMARY", "CORP"]);
  const users = () => usersOn(plain());
  const update = (id: string, change: Change) => users().update(TENANT, id, change);
  const shown = async (id: string): Promise<User> => {
    const user = await users().find(TENANT, id);
    if (!user) throw new Error("the user is gone");
    return user;
  };
  const recordOf = (id: string) => userStore(plain()).find(TENANT, id);
  const entryOf = (uid: string): Promise<Shown> =>
    slapd.connected(async (client) => (await client.search(PEOPLE, { filter: `(uid=${uid})` })).searchEntries[0] ?? {});
  const created = (profile: Resource = { nickName: "N", title: "T" }): Promise<User> =>
    users().add(TENANT, freshUser("unused", fresh("both"), 1, { userStore: "CORP", profile }), { password });
  /** A user that only the directory knows. */
  const found = async (): Promise<User> => {
    const uid = fresh("found");
    await slapd.connected((client) =>
      client.add(`uid=${uid},${PEOPLE}`, { objectClass: "inetOrgPerson", uid, cn: uid, sn: "Found" }),
    );
    const id = await users().idOf({ tenant: TENANT, userStore: "CORP", name: uid });
    return shown(id ?? "");
  };

  /** The users of a request whose first write to the table waits. */
  const heldAtWrite = () => {
    const { pass, ...rest } = barrier();
    const table = plain();
    const write: Table["write"] = async (...steps) => {
      await pass();
      return table.write(...steps);
    };
    return { users: usersOn({ ...table, write }), ...rest };
  };
  type Held = { readonly arrived: Promise<void>; readonly release: () => void };
  /** Runs `change` while another request waits, which began before it. */
  const overtaken = async <R>({ arrived, release }: Held, late: Promise<R>, change: () => Promise<unknown>) => {
    late.catch(() => undefined);
    await arrived;
    await change().finally(release);
    return late;
  };
  /** A change that waits before its decision, where it has read the user, or before its write. */
  const lateChange = (at: "decision" | "write", id: string, change: Change, meanwhile: () => Promise<unknown>) => {
    if (at === "write") {
      const held = heldAtWrite();
      return overtaken(held, held.users.update(TENANT, id, change), meanwhile);
    }
    const { pass, ...held } = barrier();
    const deciding = async (before: User) => {
      await pass();
      return change(before);
    };
    return overtaken(held, users().update(TENANT, id, deciding), meanwhile);
  };

  describe.each(["decision", "write"] as const)("whose change is overtaken before its %s", (at) => {
    test.each([
      ["an attribute of the record", { nickName: "L" }],
      ["an attribute of the directory", { title: "L" }],
      ["both", { nickName: "L", title: "L" }],
    ])("stays deactivated, and locked: %s", async (_, values) => {
      for (const user of [await created(), await found()]) {
        await lateChange(at, user.id, setting(values), () => update(user.id, activeTo(false)));
        expect(await shown(user.id)).toMatchObject({ active: false, profile: values });
        await lateChange(at, user.id, setting({ ...values, locale: "en" }), () => update(user.id, locking));
        const { active, profile } = await shown(user.id);
        expect([active, profile]).toEqual([
          false,
          { ...user.profile, ...values, locale: "en", [URN.system]: { accountLocked: true } },
        ]);
      }
    });

    test.each([
      ["an attribute of the record", { nickName: "L" }],
      ["an attribute of the directory", { title: "L" }],
    ])("is refused where the change depends on a version, and nothing of it remains: %s", async (_, values) => {
      for (const user of [await created(), await found()]) {
        const change = ofVersion(user.version, setting(values));
        const late = lateChange(at, user.id, change, () => update(user.id, activeTo(false)));
        await expect(late).rejects.toMatchObject(refused);
        expect(await shown(user.id)).toMatchObject({ active: false, profile: user.profile });
        expect((await entryOf(user.userName)).title).toBe(user.profile.title);
      }
    });

    test("keeps one value of two that replace the same one, and no value that the other removed", async () => {
      const emails = [{ value: "x@corp.example" }];
      const { id, userName } = await created({ title: "T", emails });
      await lateChange(at, id, setting({ title: "L" }), () => update(id, setting({ title: "E" })));
      expect((await entryOf(userName)).title).toBe("L");
      const adding: Change = (before) => {
        const others = Array.isArray(before.profile.emails) ? before.profile.emails : [];
        return setting({ emails: [...others, { value: "y@corp.example" }] })(before);
      };
      await lateChange(at, id, adding, () => update(id, setting({ emails: [], nickName: "E" })));
      expect((await shown(id)).profile).toEqual({ title: "L", nickName: "E", emails: [{ value: "y@corp.example" }] });
    });

    test("is not removed where the removal depends on a version", async () => {
      const { id, version, userName } = await created();
      const { pass, ...early } = barrier();
      const held = at === "write" ? heldAtWrite() : { ...early, users: users() };
      const check = async (before: User) => {
        if (at === "decision") await pass();
        ofVersion(version, activeTo(false))(before);
      };
      const late = held.users.remove(TENANT, id, 9, { check, steps: () => [] });
      await expect(overtaken(held, late, () => update(id, activeTo(false)))).rejects.toMatchObject(refused);
      expect(await shown(id)).toMatchObject({ active: false, userName });
      await users().remove(TENANT, id, 9, { check: () => undefined, steps: () => [] });
      expect([await users().find(TENANT, id), await entryOf(userName)]).toEqual([undefined, {}]);
    });
  });

  test("is changed as one without a record where that is removed meanwhile", async () => {
    const { id } = await created();
    const removal = { check: () => undefined, steps: () => [], isFinal: true } as const;
    await lateChange("write", id, setting({ locale: "en" }), () => userStore(plain()).remove(TENANT, id, 9, removal));
    expect((await shown(id)).profile).toEqual({ title: "T", locale: "en" });
  });

  test("has both names where a rename is overtaken: that of the rename, and the other change", async () => {
    const { id, userName } = await created();
    const renaming: Change = (before) => ({ after: { ...before, userName: `${userName}-2` } });
    await lateChange("write", id, renaming, () => update(id, activeTo(false)));
    expect(await shown(id)).toMatchObject({ active: false, userName: `${userName}-2` });
    expect(await recordOf(id)).toMatchObject({ active: false, userName: `${userName}-2` });
  });

  test.each([
    ["adds to the same object", { country: "NZ" }, { country: "NZ", region: "Otago" }],
    ["removes what the object held", { country: "NZ" }, undefined],
    ["creates the object", undefined, { region: "Otago" }],
  ])("gets a new password with its steps, and stays deactivated and locked: the change %s", async (_, was, made) => {
    const user = await created({ nickName: "N", ...(was && { [URN.system]: was }) });
    const key = keys.user(TENANT, newId());
    const step: Step = { put: { ...key }, when: "absent", otherwise: stale };
    const change: Change = (before) => {
      const { [URN.system]: __, ...rest } = before.profile;
      const profile = { ...rest, nickName: "L", ...(made && { [URN.system]: made }) };
      return { after: { ...before, profile }, password: "another-password", steps: [step] };
    };
    // A directory cannot go back to the password before: the version counts no more.
    await lateChange("write", user.id, ofVersion(user.version, change), async () => {
      await update(user.id, activeTo(false));
      await update(user.id, setting({ locale: "en", [URN.system]: { ...was, accountLocked: true } }));
    });
    const { active, profile } = await shown(user.id);
    const system = { ...made, accountLocked: true };
    expect([active, profile]).toEqual([false, { nickName: "L", locale: "en", [URN.system]: system }]);
    expect(await plain().get(key)).toBeDefined();
    const named = await users().elsewhere?.lookUp({ tenant: TENANT, userStore: "CORP", name: user.userName });
    expect([await named?.verify(password), await named?.verify("another-password")]).toEqual([false, true]);
  });

  test("keeps which addresses the person entered, by the request that is overtaken and by the other", async () => {
    const entering =
      (address: string, more: object = {}): Change =>
      (before) => ({ after: { ...before, unproven: [...(before.unproven ?? []), `emails ${address}`] }, ...more });
    for (const user of [await created(), await found()]) {
      const change = entering("a@corp.example", { password: "another-password" });
      await lateChange("write", user.id, change, () => update(user.id, entering("b@corp.example")));
      expect((await shown(user.id)).unproven).toEqual(["emails a@corp.example", "emails b@corp.example"]);
      await update(user.id, (before) => ({ after: { ...before, unproven: undefined } }));
      expect((await shown(user.id)).unproven).toBeUndefined();
    }
  });

  test("is not locked again by a request that began before it was unlocked", async () => {
    const user = await created({ nickName: "N", [URN.system]: { accountLocked: true } });
    const change = setting(
      { [URN.system]: { accountLocked: true, region: "Otago" } },
      { password: "another-password" },
    );
    const { [URN.system]: _, ...rest } = user.profile;
    await lateChange("write", user.id, change, () =>
      update(user.id, (before) => ({ after: { ...before, profile: rest } })),
    );
    expect((await shown(user.id)).profile).toEqual({ nickName: "N", [URN.system]: { region: "Otago" } });
  });

  test("stays deactivated where it is so before the request that creates it has written its record", async () => {
    const held = heldAtWrite();
    const user = freshUser("unused", fresh("new"), 1, { userStore: "CORP", profile: { nickName: "N" } });
    const late = held.users.add(TENANT, user, { password });
    const made = await overtaken(held, late, async () => {
      const id = (await users().idOf({ tenant: TENANT, userStore: "CORP", name: user.userName })) ?? "";
      await update(id, (before) => ({ after: { ...setting({ locale: "en" })(before).after, active: false } }));
    });
    expect(made).toMatchObject({ active: false, profile: { nickName: "N", locale: "en" } });
  });

  describe("that joins a group", () => {
    test("stays deactivated and locked where its record follows a rename in the directory", async () => {
      const { id, userName } = await created();
      await slapd.connected((client) => client.modifyDN(`uid=${userName},${PEOPLE}`, `uid=${userName}-2`));
      const renamed = await shown(id);
      const held = heldAtWrite();
      const late = held.users.elsewhere?.anchor(TENANT, [renamed]);
      await overtaken(held, late ?? Promise.reject(), async () => {
        await update(id, activeTo(false));
        await update(id, locking);
      });
      expect(await shown(id)).toMatchObject({ active: false, profile: { [URN.system]: { accountLocked: true } } });
      expect(await recordOf(id)).toMatchObject({ userName: `${userName}-2`, active: false });
    });

    test("stays deactivated where its record is created meanwhile", async () => {
      const user = await found();
      const held = heldAtWrite();
      const late = held.users.elsewhere?.anchor(TENANT, [user]);
      await overtaken(held, late ?? Promise.reject(), async () => {
        await update(user.id, activeTo(false));
        await update(user.id, locking);
      });
      expect(await shown(user.id)).toMatchObject({
        active: false,
        profile: { [URN.system]: { accountLocked: true } },
      });
    });
  });
});
