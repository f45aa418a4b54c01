/**
 * Sign-ins by an address that somebody of a directory may have (decision 0198): what is hashed, and what an outage
 * changes. Hashes are fast stand-ins that are counted.
 */
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import { addingCredential, credentialStore, newCredential } from "#core/directory/credentials/store.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { freshUser } from "#core/directory/users/model.ts";
import { type ExternalUsers, userStore } from "#core/directory/users/store.ts";
import { Fault } from "#core/kernel/faults.ts";
import { newId } from "#core/kernel/ids.ts";
import * as passwords from "#core/kernel/password.ts";
import { defaultLockoutPolicy, lockoutStore } from "#core/sign-in/authentication/lockout-store.ts";
import { newSignIn, type SignIn } from "#core/sign-in/authentication/sign-in.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { TENANT } from "#tests/support/people.ts";

vi.mock("#core/kernel/password.ts", async (original) =>
  (await import("#tests/support/stand-in-hashes.ts")).standInHashes(await original()),
);
const hashes = () =>
  vi.mocked(passwords.verifyPassword).mock.calls.length + vi.mocked(passwords.verifyNothing).mock.calls.length;

const clock = { ms: 1_700_000_000_000, now: () => clock.ms };
const [IN_DIRECTORY, IN_TABLE, AS_NAME, UNKNOWN] = ["d@x.example", "t@x.example", "n@x.example", "-@x.example"];
const [RIGHT, WRONG] = ["right-password", "wrong-password"];
const directory = { isAway: false, verified: 0, nothing: 0 };
const away = new Fault("service.unavailable", "away");
const elsewhere: ExternalUsers = {
  countsAll: false,
  has: (_, store) => store === "CORP",
  isReadOnly: () => false,
  lookUp: () => Promise.reject(new Error("no user was looked up")),
  async holdersOf(_, { value }) {
    if (directory.isAway) throw away;
    const only = {
      user: freshUser("id of d", "d", 0, { userStore: "CORP", profile: { emails: [{ value: IN_DIRECTORY }] } }),
      mark: "1",
      verify: async (password: string) => {
        directory.verified += 1;
        return password === RIGHT;
      },
    };
    return {
      ...(value === IN_DIRECTORY ? { count: 1, only } : { count: 0, only: undefined }),
      verifyNothing: async () => {
        directory.nothing += 1;
      },
    };
  },
  async *walk() {},
  anchor: async () => undefined,
};
let table: TestTable;
let signIn: SignIn;
let reasons: string[] = [];

/** The name of who signed in, or the fault; `undefined` for no user. */
const enter = async (name: string, password: string, meanwhile = async () => {}) => {
  const opened = table.open(newMeter());
  const lockouts = lockoutStore(opened, defaultLockoutPolicy);
  const stores = {
    tenants: tenantStore(opened),
    users: { ...userStore(opened), elsewhere },
    credentials: credentialStore(opened),
    lockouts: {
      ...lockouts,
      async findAgain(...asked: Parameters<typeof lockouts.findAgain>) {
        await meanwhile();
        return lockouts.findAgain(...asked);
      },
    },
  };
  const readings = [{ tenant: TENANT, userStore: "PRIMARY", name }];
  const identifier = { attribute: "emails", value: name } as const;
  const attempt = { readings, identifier, password, sourceIp: "192.0.2.1" };
  return signIn(attempt, stores, (_, reason) => reasons.push(reason)).then(
    (found) => found?.user.userName,
    (error: Fault) => error.fault,
  );
};

beforeAll(async () => {
  table = await testTable();
  const opened = table.open(newMeter());
  await bootstrapTenant(opened, TENANT, { username: "admin", password: "admin-password" });
  for (const [userName, profile] of [
    ["t", { emails: [{ value: IN_TABLE }] }],
    [AS_NAME, {}],
  ] as const) {
    const user = freshUser(newId(), userName, 0, { profile, hasPassword: true });
    const credential = await newCredential(RIGHT);
    const steps = [addingCredential(TENANT, user.id, credential, () => new Error("it exists"))];
    await userStore(opened).add(TENANT, user, { steps });
  }
});
beforeEach(() => {
  signIn = newSignIn(clock);
  Object.assign(directory, { isAway: false, verified: 0, nothing: 0 });
  reasons = [];
  clock.ms += 24 * 60 * 60_000;
  vi.clearAllMocks();
});

test.each([IN_DIRECTORY, IN_TABLE, AS_NAME, UNKNOWN])("a wrong password of %s: one hash, one bind", async (name) => {
  expect(await enter(name, WRONG)).toBeUndefined();
  expect([hashes(), directory.verified + directory.nothing]).toEqual([1, 1]);
  expect(directory.verified).toBe(name === IN_DIRECTORY ? 1 : 0);
  directory.isAway = true;
  vi.clearAllMocks();
  expect([await enter(name, WRONG), hashes()]).toEqual(["service.unavailable", 1]);
});
test.each([
  [IN_DIRECTORY, "d"],
  [IN_TABLE, "t"],
  [AS_NAME, AS_NAME],
] as const)("a right password of %s is checked once a minute", async (name, userName) => {
  for (let again = 0; again < 3; again += 1) expect(await enter(name, RIGHT)).toBe(userName);
  expect([hashes(), directory.verified + directory.nothing]).toEqual([1, 1]);
});
test("in an outage, attempts with addresses are neither failures nor refusals", async () => {
  directory.isAway = true;
  for (let tries = 0; tries < 11; tries += 1) {
    for (const name of [IN_DIRECTORY, IN_TABLE, UNKNOWN]) expect(await enter(name, RIGHT)).toBe("service.unavailable");
  }
  expect(reasons).toEqual([]);
  directory.isAway = false;
  expect([await enter(IN_DIRECTORY, RIGHT), await enter(IN_TABLE, RIGHT)]).toEqual(["d", "t"]);
});
test("in an outage, a user name counts its failures, is locked, and shows nothing of it", async () => {
  directory.isAway = true;
  expect(await enter(AS_NAME, RIGHT)).toBe(AS_NAME);
  for (let tries = 0; tries < 10; tries += 1) expect(await enter(AS_NAME, WRONG)).toBe("service.unavailable");
  expect(await enter(AS_NAME, RIGHT)).toBe("service.unavailable");
  expect(reasons).toEqual([...Array(10).fill("password"), "locked"]);
  directory.isAway = false;
  expect(await enter(AS_NAME, RIGHT)).toBeUndefined();
});
test("in an outage, a right password that others have locked meanwhile gets what a wrong one gets", async () => {
  directory.isAway = true;
  const guessing = async () => {
    for (let tries = 0; tries < 10; tries += 1) await enter(AS_NAME, WRONG);
  };
  expect(await enter(AS_NAME, RIGHT, guessing)).toBe("service.unavailable");
  expect(reasons.at(-1)).toBe("locked");
});
test("what is no outage is not taken for one", async () => {
  const broken = { ...elsewhere, holdersOf: () => Promise.reject(new TypeError("a defect")) };
  const stores = { users: { ...userStore(table.open(newMeter())), elsewhere: broken } };
  const { findAccount } = await import("#core/sign-in/authentication/account.ts");
  const name = { tenant: TENANT, userStore: "PRIMARY", name: AS_NAME };
  await expect(findAccount(name, { attribute: "emails", value: AS_NAME }, stores.users)).rejects.toThrow("a defect");
});
