/** What a caller does during a sign-in: it begins before the password is known, and counts only where it is admitted. */
import { beforeAll, expect, test, vi } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import { credentialStore } from "#core/directory/credentials/store.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { userStore } from "#core/directory/users/store.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { NO_USER_ID } from "#core/sign-in/authentication/attempt.ts";
import {
  defaultLockoutPolicy,
  isSignInLocked,
  type LockoutStore,
  lockoutStore,
} from "#core/sign-in/authentication/lockout-store.ts";
import { newSignIn } from "#core/sign-in/authentication/sign-in.ts";
import { seed } from "#local/seed.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { addUser, TENANT } from "#tests/support/people.ts";
import { ADMIN } from "#tests/support/world.ts";

let service: TestTable;
let userId = "";

beforeAll(async () => {
  service = await testTable();
  await seed(service.open(newMeter()), ADMIN);
  userId = await addUser(service, { username: "kim", password: "right" });
});

/** One attempt in a container that has verified no password yet; `findAgain` is the second look at the lock. */
const attempt = async (name: string, password: string, findAgain?: LockoutStore["findAgain"]) => {
  const table = service.open(newMeter());
  const lockouts = lockoutStore(table, defaultLockoutPolicy);
  const stores = {
    tenants: tenantStore(table),
    users: userStore(table),
    credentials: credentialStore(table),
    lockouts: { ...lockouts, ...(findAgain && { findAgain }) },
  };
  const meanwhile = { onUser: vi.fn(), onVerified: vi.fn(async () => undefined) };
  const readings = [{ tenant: TENANT, userStore: "PRIMARY", name }];
  const asked = { readings, password, sourceIp: "192.0.2.1", meanwhile };
  const found = await newSignIn(systemClock)(asked, stores, () => undefined);
  const verified = meanwhile.onVerified.mock.calls as unknown[][];
  return {
    isIn: found !== undefined,
    ids: (meanwhile.onUser.mock.calls as unknown[][]).map(([id]) => id),
    verified: verified.length,
  };
};

test("the id of the user is told for every password, and that of nobody for an unknown name", async () => {
  expect(await attempt("kim", "right")).toEqual({ isIn: true, ids: [userId], verified: 1 });
  expect(await attempt("kim", "wrong")).toEqual({ isIn: false, ids: [userId], verified: 0 });
  expect(await attempt("nobody", "right")).toEqual({ isIn: false, ids: [NO_USER_ID], verified: 0 });
});

test("a lock that began during the hash refuses the sign-in, whatever was done meanwhile", async () => {
  const table = service.open(newMeter());
  const stores = lockoutStore(table, defaultLockoutPolicy);
  const findAgain: LockoutStore["findAgain"] = async (guesser, before, nowMs) => {
    // Others guess until their limit, after this attempt has looked.
    const version = (await credentialStore(table).find(TENANT, userId))?.version ?? "";
    let state = await stores.find(guesser, nowMs);
    for (let each = 0; each < 20 && !isSignInLocked(state, version, nowMs); each += 1) {
      await stores.fail(guesser, state, nowMs, version);
      state = await stores.find(guesser, nowMs);
    }
    return stores.findAgain(guesser, before, nowMs);
  };
  expect(await attempt("kim", "right", findAgain)).toEqual({ isIn: false, ids: [userId], verified: 1 });
});
