/**
 * Sign-ins that are repeated in one round trip: they end at once with each change that could refuse them, and nobody
 * without the password learns of them. Hashes are fast stand-ins that are counted.
 */
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Cost, newMeter } from "#core/database/table/meter.ts";
import {
  credentialStore,
  newCredential,
  removingCredential,
  replacingCredential,
} from "#core/directory/credentials/store.ts";
import { groupStore } from "#core/directory/groups/store.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import type { freshUser } from "#core/directory/users/model.ts";
import { userStore } from "#core/directory/users/store.ts";
import { newId } from "#core/kernel/ids.ts";
import * as passwords from "#core/kernel/password.ts";
import { systemSchema } from "#core/scim/protocol/schema/system.ts";
import {
  type Authenticate,
  type AuthenticationStores,
  newAuthenticate,
} from "#core/sign-in/authentication/authenticate.ts";
import { FRESH_MS } from "#core/sign-in/authentication/fresh.ts";
import { defaultLockoutPolicy, lockoutStore } from "#core/sign-in/authentication/lockout-store.ts";
import { changingTenant, revokingUser } from "#core/tokens/revocation-store.ts";
import { seed } from "#local/seed.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { addUser, TENANT, tableOf } from "#tests/support/people.ts";
import { ADMIN, basic } from "#tests/support/world.ts";

vi.mock("#core/kernel/password.ts", async (original) =>
  (await import("#tests/support/stand-in-hashes.ts")).standInHashes(await original()),
);
const hashes = () =>
  vi.mocked(passwords.verifyPassword).mock.calls.length + vi.mocked(passwords.verifyNothing).mock.calls.length;

const clock = { ms: 0, now: () => clock.ms };
let service: TestTable;
let authenticate: Authenticate;
let made = 0;

const PASSWORD = "right";
const gone = () => new Error("gone");

interface Sent {
  readonly password?: string;
  readonly sourceIp?: string;
  /** What stands between the sign-in and its stores. */
  readonly wrap?: (stores: AuthenticationStores) => AuthenticationStores;
}
type Outcome = Cost & { readonly isAllowed: boolean };

const enter = async (
  username: string,
  { password = PASSWORD, sourceIp = "192.0.2.1", wrap }: Sent = {},
): Promise<Outcome> => {
  const meter = newMeter();
  const table = service.open(meter);
  const stores: AuthenticationStores = {
    table,
    tenants: tenantStore(table),
    users: userStore(table),
    roles: roleStore(table),
    groups: groupStore(table),
    credentials: credentialStore(table),
    lockouts: lockoutStore(table, defaultLockoutPolicy),
  };
  const presented = { header: basic({ username, password }), sourceIp };
  const isAllowed = await authenticate(presented, wrap?.(stores) ?? stores, () => undefined).then(
    () => true,
    (error: { fault?: string }) => {
      if (error.fault !== "auth.unauthenticated") throw error;
      return false;
    },
  );
  return { ...meter.cost, isAllowed };
};
const newUser = async (username = `known-${made}`): Promise<{ id: string; username: string }> => {
  made += 1;
  return { id: await addUser(service, { username, password: PASSWORD }), username };
};
/** The work of an attempt. Calls for several rows count as one, so that they are not compared. */
const workOf = async (username: string, sent: Sent = {}) => {
  const hashed = hashes();
  const { calls: _, ...outcome } = await enter(username, sent);
  return { ...outcome, hashes: hashes() - hashed };
};
type Work = Awaited<ReturnType<typeof workOf>>;
/** A user whose sign-in is known, so that the next one costs a round trip. */
const knownUser = async () => {
  const user = await newUser();
  for (let again = 0; again < 3; again += 1) await enter(user.username);
  expect(await enter(user.username)).toMatchObject({ isAllowed: true, roundTrips: 1, readUnits: 3, writeUnits: 0 });
  return user;
};
const table = () => tableOf(service);
const users = () => userStore(table());
const setPassword = async (id: string, password: string) =>
  table().write(replacingCredential(TENANT, id, await newCredential(password), gone), ...revokingUser(TENANT, id));
const change = (id: string, of: Parameters<typeof freshUser>[3] & { readonly userName?: string }) =>
  users().update(TENANT, id, (before) => ({ after: { ...before, ...of } }));

beforeAll(async () => {
  service = await testTable();
  await seed(table(), ADMIN);
});
beforeEach(() => {
  clock.ms = Date.now();
  authenticate = newAuthenticate(clock, new Set());
  vi.clearAllMocks();
});

/** What ends a sign-in at once. */
const ends: Readonly<Record<string, (user: { readonly id: string; readonly username: string }) => Promise<unknown>>> = {
  "another password, although the row of the user is as it was": ({ id }) => setPassword(id, "another"),
  "another name": ({ id, username }) => change(id, { userName: `${username}-renamed` }),
  deactivation: ({ id }) => change(id, { active: false }),
  "a locked account": ({ id }) => change(id, { profile: { [systemSchema.id]: { accountLocked: true } } }),
  "a disabled account": ({ id }) => change(id, { profile: { [systemSchema.id]: { accountDisabled: true } } }),
  deletion: ({ id }) =>
    users().remove(TENANT, id, clock.ms, {
      check: () => undefined,
      steps: () => [removingCredential(TENANT, id, gone), ...revokingUser(TENANT, id)],
    }),
  "a deactivation without a new version, as a person at the table would write it": ({ id }) =>
    table().write({
      change: { PK: `T#${TENANT}#U#${id}`, SK: "A" },
      set: { active: false },
      when: "present",
      otherwise: gone,
    }),
};

describe("a known sign-in ends at once with", () => {
  test.each(Object.entries(ends))("%s", async (_, end) => {
    const user = await knownUser();
    await end(user);
    for (let again = 0; again < 3; again += 1) expect((await enter(user.username)).isAllowed).toBe(false);
  });

  test("the lock of its name at its source, and not with that of another source", async () => {
    const { username } = await knownUser();
    for (let guess = 0; guess < 10; guess += 1) await enter(username, { password: "wrong", sourceIp: "192.0.2.99" });
    expect(await enter(username)).toMatchObject({ isAllowed: true, roundTrips: 1 });
    expect((await enter(username, { sourceIp: "192.0.2.99" })).isAllowed).toBe(false);
    for (let guess = 0; guess < 10; guess += 1) await enter(username, { password: "wrong" });
    const hashed = hashes();
    expect((await enter(username)).isAllowed).toBe(false);
    expect(hashes() - hashed).toBe(1);
  });

  test("the deactivation of its tenant, and works again after its activation", async () => {
    const { username } = await knownUser();
    const set = (active: boolean) =>
      tenantStore(table()).setActive(TENANT, active, { absent: gone, telling: () => [changingTenant(TENANT)] });
    await set(false);
    expect((await enter(username)).isAllowed).toBe(false);
    await set(true);
    expect((await enter(username)).isAllowed).toBe(true);
  });

  test("a new tenant that its name means from then on", async () => {
    const { username } = await newUser("kim@acme.example");
    for (let again = 0; again < 3; again += 1) await enter(username);
    expect(await enter(username)).toMatchObject({ isAllowed: true, roundTrips: 1 });
    const tenant = { domain: "acme.example", id: newId(), active: true, createdMs: 1, administrator: newId() };
    await table().write(...tenantStore(table()).adding(tenant, gone));
    expect((await enter(username)).isAllowed).toBe(false);
  });
});

describe("a known sign-in", () => {
  test("is proven anew after a change of the user that does not refuse it", async () => {
    const { id, username } = await knownUser();
    await change(id, { profile: { nickName: "Kim" } });
    expect(await enter(username)).toMatchObject({ isAllowed: true, roundTrips: 2, readUnits: 6 });
    expect(await enter(username)).toMatchObject({ isAllowed: true, roundTrips: 1, readUnits: 3 });
    expect(hashes()).toBe(1);
  });

  test("lasts a minute from its hash on, however often it is repeated", async () => {
    const { username } = await knownUser();
    for (let again = 0; again < 3; again += 1) {
      clock.ms += FRESH_MS / 3;
      await enter(username);
    }
    expect(hashes()).toBe(2);
  });

  test("clears the failures of its source", async () => {
    const { username } = await knownUser();
    for (let guess = 0; guess < 9; guess += 1) await enter(username, { password: "wrong" });
    expect(await enter(username)).toMatchObject({ isAllowed: true, writeUnits: expect.any(Number) });
    for (let guess = 0; guess < 9; guess += 1) await enter(username, { password: "wrong" });
    expect((await enter(username)).isAllowed).toBe(true);
  });

  test("is known by its name in any case, each for itself", async () => {
    const { username } = await knownUser();
    const other = username.toUpperCase();
    for (let again = 0; again < 2; again += 1) expect((await enter(other)).isAllowed).toBe(true);
    expect(await enter(other)).toMatchObject({ isAllowed: true, roundTrips: 1 });
  });

  test("shows in no cost of a wrong password: a container that does not know it does the same work", async () => {
    const { username } = await knownUser();
    const guess = () => workOf(username, { password: "wrong" });
    // The first of a window takes another form of write.
    await guess();
    const known = [await guess(), await guess()];
    expect(await enter(username)).toMatchObject({ isAllowed: true, roundTrips: 2 });
    await guess();
    authenticate = newAuthenticate(clock, new Set());
    await enter(ADMIN.username, { password: ADMIN.password });
    expect([await guess(), await guess()]).toEqual(known);
  });
});

describe("a right password that is refused costs what a wrong one costs", () => {
  const compare = async (username: string, shown: (work: Work) => object = (work) => work) => {
    const right = await workOf(username);
    // The right password is not known any more, or still is: the same work again.
    const again = await workOf(username);
    const wrong = await workOf(username, { password: "wrong" });
    expect([right, again].map(shown)).toEqual([wrong, wrong].map(shown));
    expect(wrong.isAllowed).toBe(false);
  };
  /** Two chains of reads side by side may count as three round trips or as four, whichever ends first. */
  const withoutOrder = ({ roundTrips: _, ...work }: Work) => work;

  test("for a locked name", async () => {
    const { username } = await knownUser();
    for (let guess = 0; guess < 11; guess += 1) await enter(username, { password: "wrong" });
    await compare(username);
  });

  test.each(Object.keys(ends).filter((end) => !/password|name|deletion/.test(end)))("for %s", async (end) => {
    const user = await knownUser();
    await ends[end]?.(user);
    // The first failure of a window takes another form of write.
    await enter(user.username, { password: "wrong" });
    await compare(user.username);
  });

  test("for a name with two readings", async () => {
    const { id, username } = await newUser("lee@other.example");
    for (let again = 0; again < 3; again += 1) await enter(username);
    expect(await enter(username)).toMatchObject({ isAllowed: true, roundTrips: 1 });
    for (let guess = 0; guess < 11; guess += 1) await enter(username, { password: "wrong" });
    await compare(username, withoutOrder);
    await change(id, { active: false });
    await enter(username, { password: "wrong" });
    await compare(username, withoutOrder);
  });
});

describe("a password that changes while a sign-in with it is read", () => {
  /** The new password is stored after the old one was read; the log is read before that, or after it. */
  const during = (id: string, isLogLate: boolean) => {
    let changed: () => void = () => undefined;
    const change_ = new Promise<void>((resolve) => {
      changed = resolve;
    });
    return (stores: AuthenticationStores): AuthenticationStores => ({
      ...stores,
      table: {
        ...stores.table,
        async query(range) {
          if (isLogLate) await change_;
          return stores.table.query(range);
        },
      },
      credentials: {
        ...stores.credentials,
        async find(tenant, userId) {
          const found = await stores.credentials.find(tenant, userId);
          await setPassword(id, "another");
          changed();
          return found;
        },
      },
    });
  };

  test.each([
    ["before", false],
    ["after", true],
  ])("is not valid in the next one, where the log is read %s the change", async (_, isLogLate) => {
    // The log is known to the container.
    await knownUser();
    const { id, username } = await newUser();
    expect((await enter(username, { wrap: during(id, isLogLate) })).isAllowed).toBe(true);
    for (let again = 0; again < 3; again += 1) expect((await enter(username)).isAllowed).toBe(false);
    expect((await enter(username, { password: "another" })).isAllowed).toBe(true);
  });
});
