/** Sign-ins whose passwords a directory checks: how often it is asked, and what counts as a failure. */
import { beforeAll, beforeEach, expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import { credentialStore } from "#core/directory/credentials/store.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { freshUser } from "#core/directory/users/model.ts";
import { type ExternalUsers, userStore } from "#core/directory/users/store.ts";
import { Fault } from "#core/kernel/faults.ts";
import { FRESH_MS } from "#core/sign-in/authentication/fresh.ts";
import { defaultLockoutPolicy, lockoutStore } from "#core/sign-in/authentication/lockout-store.ts";
import { newSignIn, type SignIn } from "#core/sign-in/authentication/sign-in.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";

const TENANT = "carbon.super";
const OTHER_TENANT = "other.example";
const clock = { ms: 1_700_000_000_000, now: () => clock.ms };
const directory = { mark: "1", password: "right-password", isAway: false, asked: 0 };
const elsewhere: ExternalUsers = {
  countsAll: false,
  has: (_, userStore) => userStore === "CORP" || userStore === "OTHER",
  isReadOnly: () => false,
  lookUp: async ({ tenant, userStore: store, name }) => ({
    user:
      name === "nobody"
        ? undefined
        : freshUser(`id of ${name}`, name, 0, { userStore: "CORP", active: !name.startsWith("dormant") }),
    mark: directory.mark,
    async verify(password) {
      directory.asked += 1;
      if (directory.isAway) throw new Fault("service.unavailable", "away");
      const isHere = store === "CORP" && tenant === TENANT;
      return isHere && name !== "nobody" && password === directory.password;
    },
  }),
  holdersOf: () => undefined,
  async *walk() {},
  anchor: async () => undefined,
};
let table: TestTable;
let signIn: SignIn;
let reasons: string[] = [];
let meter = newMeter();

const enter = async (
  name: string,
  password = directory.password,
  place: { tenant?: string; userStore?: string } = {},
) => {
  meter = newMeter();
  const opened = table.open(meter);
  const stores = {
    tenants: tenantStore(opened),
    users: { ...userStore(opened), elsewhere },
    credentials: credentialStore(opened),
    lockouts: lockoutStore(opened, defaultLockoutPolicy),
  };
  const readings = [{ tenant: TENANT, userStore: "CORP", name, ...place }];
  const attempt = { readings, password, sourceIp: "192.0.2.1" };
  return (await signIn(attempt, stores, (_, reason) => reasons.push(reason)))?.user;
};

beforeAll(async () => {
  table = await testTable();
  for (const tenant of [TENANT, OTHER_TENANT]) {
    await bootstrapTenant(table.open(newMeter()), tenant, { username: "admin", password: "admin-password" });
  }
});
beforeEach(() => {
  signIn = newSignIn(clock);
  Object.assign(directory, { mark: "1", isAway: false, asked: 0 });
  reasons = [];
});

test("a right password is checked once a minute, and again after the password may have changed", async () => {
  for (let again = 0; again < 3; again += 1) expect(await enter("kim")).toMatchObject({ userName: "kim" });
  expect(directory.asked).toBe(1);
  directory.mark = "2";
  await enter("kim");
  expect(directory.asked).toBe(2);
  clock.ms += FRESH_MS + 1;
  await enter("kim");
  expect(directory.asked).toBe(3);
});

test("a password that was right counts in its own directory only, also for a user of the same name and mark elsewhere", async () => {
  expect(await enter("kim")).toBeDefined();
  for (const place of [{ userStore: "OTHER" }, { tenant: OTHER_TENANT }]) {
    expect(await enter("kim", directory.password, place)).toBeUndefined();
  }
  expect(directory.asked).toBe(3);
  expect(reasons).toEqual(["password", "password"]);
});

test("a wrong password is not cached; ten of them lock the name, and the directory gets no further request", async () => {
  for (let tries = 0; tries < 10; tries += 1) expect(await enter("guessed", "wrong-password")).toBeUndefined();
  expect(directory.asked).toBe(10);
  expect(await enter("guessed")).toBeUndefined();
  expect(directory.asked).toBe(10);
  expect(reasons).toEqual([...Array(10).fill("password"), "locked"]);
});

test("an unknown name is checked and locked like a known one", async () => {
  for (let tries = 0; tries < 11; tries += 1) expect(await enter("nobody")).toBeUndefined();
  expect(directory.asked).toBe(10);
  expect(reasons).toEqual([...Array(10).fill("unknown"), "locked"]);
});

test("an inactive user is refused with the right password, after the work of a wrong one, at every attempt", async () => {
  const works = [];
  for (const [name, password] of [
    ["dormant", directory.password],
    ["dormant-too", "wrong-password"],
    ["kim-too", "wrong-password"],
  ] as const) {
    directory.asked = 0;
    const work = [];
    for (let at = 0; at < 12; at += 1) {
      expect(await enter(name, password)).toBeUndefined();
      work.push({ asked: directory.asked, ...meter.cost });
    }
    works.push(work);
  }
  expect(works[0]?.map(({ asked }) => asked)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10]);
  expect(works[1]).toEqual(works[0]);
  expect(works[2]).toEqual(works[0]);
  expect(reasons.slice(0, 12)).toEqual([...Array(10).fill("inactive"), "locked", "locked"]);
});

test("an unavailable directory is not a failed sign-in, and gets the next request", async () => {
  directory.isAway = true;
  for (let tries = 0; tries < 12; tries += 1)
    await expect(enter("lucky")).rejects.toMatchObject({ fault: "service.unavailable" });
  directory.isAway = false;
  expect(await enter("lucky")).toMatchObject({ userName: "lucky" });
  expect([directory.asked, reasons]).toEqual([13, []]);
});
