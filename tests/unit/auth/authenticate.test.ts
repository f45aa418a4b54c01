/** Authentication on the real engine, with a clock that the test sets and a count of the hashes. */
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Authenticate, newAuthenticate } from "#core/auth/authenticate.ts";
import { FRESH_MS } from "#core/auth/fresh.ts";
import { defaultLockoutPolicy, lockoutStore } from "#core/auth/lockout-store.ts";
import { tenantStore } from "#core/domain/tenant.ts";
import { credentialStore, newCredential, replacingCredential } from "#core/identities/credentials/store.ts";
import { groupStore } from "#core/identities/groups/store.ts";
import { gainingRole } from "#core/identities/memberships/assignees.ts";
import { freshRole } from "#core/identities/roles/model.ts";
import { roleStore } from "#core/identities/roles/store.ts";
import { userStore } from "#core/identities/users/store.ts";
import { Fault } from "#core/platform/faults.ts";
import * as passwords from "#core/platform/password.ts";
import { openTable } from "#core/table/dynamo.ts";
import { type Cost, newMeter } from "#core/table/meter.ts";
import { clientFor } from "#local/database.ts";
import { addUser, TENANT, tableOf } from "#tests/support/people.ts";
import { basic, world } from "#tests/support/world.ts";

// The real functions with spies that count the hashes.
vi.mock("#core/platform/password.ts", async (original) => {
  const real = await original<typeof passwords>();
  return { ...real, verifyPassword: vi.fn(real.verifyPassword), verifyNothing: vi.fn(real.verifyNothing) };
});
const hashes = () =>
  vi.mocked(passwords.verifyPassword).mock.calls.length + vi.mocked(passwords.verifyNothing).mock.calls.length;

const api = world();
const every = new Set(["scope.a", "scope.b"]);
const clock = { ms: 1_700_000_000_000, now: () => clock.ms };
let authenticate: Authenticate;
let reasons: string[] = [];

const enter = async (username: string, password: string): Promise<{ scopes: string[]; cost: Cost }> => {
  const meter = newMeter();
  const { endpoint, tableName } = api.service;
  const table = openTable({ tableName, deadlineMs: 5_000, client: clientFor(endpoint) })(meter);
  const stores = {
    tenants: tenantStore(table),
    users: userStore(table),
    roles: roleStore(table),
    groups: groupStore(table),
    credentials: credentialStore(table),
    lockouts: lockoutStore(table, defaultLockoutPolicy),
  };
  const { scopes } = await authenticate(basic({ username, password }), stores, (_, reason) => reasons.push(reason));
  return { scopes: [...scopes], cost: meter.cost };
};
const refused = (username: string, password: string) =>
  expect(enter(username, password)).rejects.toMatchObject({ fault: "auth.unauthenticated" });

const ids: Record<string, string> = {};
const setPassword = async (username: string, password: string) => {
  const step = replacingCredential(TENANT, ids[username] ?? "", await newCredential(password), () => new Error("gone"));
  await tableOf(api.service).write(step);
};
beforeAll(async () => {
  for (const username of ["alice", "bob", "carol", "dave", "henry", "ivan", "kate"]) {
    ids[username] = await addUser(api.service, { username, password: `${username}'s`, scopes: ["scope.a"] });
  }
});
beforeEach(() => {
  authenticate = newAuthenticate(clock, every);
  reasons = [];
  vi.clearAllMocks();
});

describe("costs", () => {
  test("two round trips when warm; one hash per credential while it is cached", async () => {
    expect((await enter("alice", "alice's")).scopes).toEqual(["internal_login", "scope.a"]);
    for (let again = 0; again < 3; again += 1) {
      const { cost } = await enter("alice", "alice's");
      expect(cost.roundTrips).toBe(2);
      expect(cost.writeUnits).toBe(0);
    }
    expect(hashes()).toBe(1);
    clock.ms += FRESH_MS + 1;
    await enter("alice", "alice's");
    expect(hashes()).toBe(2);
  });
  test("one hash for concurrent requests with one credential", async () => {
    await Promise.all(Array.from({ length: 20 }, () => enter("alice", "alice's")));
    expect(hashes()).toBe(1);
  });
  test("one hash, the same calls and the same message for an unknown user, tenant or store and a wrong password", async () => {
    const seen = new Set<string>();
    for (const [username, password] of [
      ["carol", "wrong"],
      ["nobody", "wrong"],
      ["carol@nowhere.org", "carol's"],
      ["NOPE/carol", "carol's"],
    ] as const) {
      vi.clearAllMocks();
      const error = await enter(username, password).then(String, (thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Fault);
      expect(hashes()).toBe(1);
      seen.add((error as Fault).description);
    }
    expect(seen.size).toBe(1);
  });
});

describe("a verified credential is not accepted any more", () => {
  test("after the password has changed", async () => {
    await enter("bob", "bob's");
    await setPassword("bob", "new one");
    await refused("bob", "bob's");
    await enter("bob", "new one");
  });
  test("after the user was deactivated", async () => {
    await enter("bob", "new one");
    const key = { PK: `T#${TENANT}#U#${ids.bob}`, SK: "A" };
    await tableOf(api.service).write({
      change: key,
      set: { active: false },
      when: "present",
      otherwise: () => new Error("gone"),
    });
    await refused("bob", "new one");
    expect(reasons).toEqual(["inactive"]);
  });
});

test("refuses users of an inactive tenant", async () => {
  const tenant = { PK: `T#${TENANT}#TENANT`, SK: "A" };
  const set = (active: boolean) =>
    tableOf(api.service).write({
      change: tenant,
      set: { active },
      when: "present",
      otherwise: () => new Error("gone"),
    });
  await enter("alice", "alice's");
  await set(false);
  await refused("alice", "alice's");
  await set(true);
  await enter("alice", "alice's");
});

test("includes a role whose cache entry expires while another role is read", async () => {
  const table = tableOf(api.service);
  const roles = roleStore(table);
  const fail = () => new Error("in use");
  const role = freshRole("role-b", "role b", TENANT, 0, { permissions: ["scope.b"] });
  await enter("alice", "alice's");
  await table.write(
    ...roles.adding(TENANT, role, fail),
    ...gainingRole(TENANT, role.id, { kind: "user", id: ids.alice ?? "" }),
  );
  clock.ms += FRESH_MS - 1;
  await enter("bob", "new one").catch(() => undefined);
  let looks = 0;
  vi.spyOn(clock, "now").mockImplementation(() => {
    looks += 1;
    return clock.ms + (looks > 4 ? 10 : 0);
  });
  try {
    expect((await enter("alice", "alice's")).scopes.sort()).toEqual(["internal_login", "scope.a", "scope.b"]);
  } finally {
    vi.restoreAllMocks();
  }
});

describe("lockout", () => {
  const fail = async (username: string, times: number) => {
    for (let attempt = 0; attempt < times; attempt += 1) await refused(username, "wrong");
  };
  test("the tenth failure locks for 15 minutes; then the lock ends by itself", async () => {
    await fail("dave", 9);
    await enter("dave", "dave's");
    await fail("dave", 10);
    vi.clearAllMocks();
    await refused("dave", "dave's");
    expect(reasons.at(-1)).toBe("locked");
    expect(hashes()).toBe(1);
    clock.ms += defaultLockoutPolicy.lockMs + 1;
    await enter("dave", "dave's");
  });
  test("a second lock lasts twice as long", async () => {
    await fail("erin", 10);
    clock.ms += defaultLockoutPolicy.lockMs + 1;
    await fail("erin", 10);
    clock.ms += defaultLockoutPolicy.lockMs + 1;
    reasons = [];
    await refused("erin", "wrong");
    clock.ms += defaultLockoutPolicy.lockMs;
    await refused("erin", "wrong");
    expect(reasons).toEqual(["locked", "unknown"]);
  });
  test("a lock never lasts longer than a day", async () => {
    for (let lock = 0; lock < 9; lock += 1) {
      await fail("grace", 10);
      clock.ms += defaultLockoutPolicy.lockMaxMs + 1;
    }
    reasons = [];
    await refused("grace", "wrong");
    expect(reasons).toEqual(["unknown"]);
  });
  test("a right guess that is hashed while others lock the name is refused", async () => {
    const { verifyPassword: hash } = await vi.importActual<typeof passwords>("#core/platform/password.ts");
    let locked: () => void = () => undefined;
    const lock = new Promise<void>((done) => {
      locked = done;
    });
    vi.mocked(passwords.verifyPassword).mockImplementation(async (password, phc) => {
      if (password === "henry's") await lock;
      return hash(password, phc);
    });
    try {
      const right = enter("henry", "henry's").catch((error: unknown) => error);
      await fail("henry", 10);
      locked();
      expect(await right).toMatchObject({ fault: "auth.unauthenticated" });
      expect(reasons.at(-1)).toBe("locked");
    } finally {
      vi.mocked(passwords.verifyPassword).mockImplementation(hash);
    }
    clock.ms += defaultLockoutPolicy.lockMs + 1;
    await enter("henry", "henry's");
  });
  test("a new password ends the lock; guesses at it cause a new lock that lasts longer", async () => {
    await fail("ivan", 10);
    await refused("ivan", "ivan's");
    expect(reasons.at(-1)).toBe("locked");
    await setPassword("ivan", "another");
    await fail("ivan", 10);
    reasons = [];
    await refused("ivan", "another");
    clock.ms += defaultLockoutPolicy.lockMs + 1;
    await refused("ivan", "another");
    expect(reasons).toEqual(["locked", "locked"]);
    await setPassword("ivan", "a third");
    await enter("ivan", "a third");
    await fail("ivan", 9);
    await enter("ivan", "a third");
  });
  test("a lock on a name without a user does not hold for a user created later", async () => {
    await fail("judith", 10);
    await addUser(api.service, { username: "judith", password: "judith's" });
    await enter("judith", "judith's");
  });
  test("a lock without a password version holds for any password", async () => {
    const lock = { PK: `T#${TENANT}#LOCK#PRIMARY#kate`, SK: "A", lockouts: 1, windowStartedMs: 0 };
    const lockedUntilMs = clock.ms + 1_000;
    await tableOf(api.service).write({
      put: { ...lock, lockedUntilMs, expiresAtSeconds: Math.ceil(lockedUntilMs / 1_000) },
      when: "absent",
      otherwise: () => new Error("is there"),
    });
    await refused("kate", "kate's");
    expect(reasons).toEqual(["locked"]);
    clock.ms = lockedUntilMs + 1;
    await enter("kate", "kate's");
  });
  test("two spellings of one name share one lock", async () => {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await refused("J\u030cudy", "wrong");
      await refused("\u01f0udy", "wrong");
    }
    reasons = [];
    await refused("\u01f0UDY", "wrong");
    expect(reasons).toEqual(["locked"]);
  });
  test("attempts in unknown tenants write one row, whatever their names", async () => {
    for (const name of ["a@x.org", "b@y.org", "c@z.org"]) await refused(name, "wrong");
    const table = tableOf(api.service);
    expect(await table.get({ PK: "T#x.org#LOCK#PRIMARY#a", SK: "A" })).toBeUndefined();
    expect(await table.get({ PK: "T#-#LOCK#-#-", SK: "A" })).toMatchObject({ refused: expect.any(Number) });
  });
  test("failures in different windows do not add up", async () => {
    for (let round = 0; round < 3; round += 1) {
      await fail("carol", 9);
      clock.ms += defaultLockoutPolicy.windowMs + 1;
    }
    await enter("carol", "carol's");
  });
  test("of many concurrent failures exactly one locks", async () => {
    await Promise.all(Array.from({ length: 25 }, () => refused("frank", "wrong")));
    const item = await tableOf(api.service).get({ PK: `T#${TENANT}#LOCK#PRIMARY#frank`, SK: "A" });
    expect(item?.lockouts).toBe(1);
  });
});
