/**
 * Authentication on the real engine, with a clock that the test sets and a count of the hashes. Hashes are fast
 * stand-ins here: a lock takes some hundred of them, which a slow machine could not compute in time
 * (credentials.test.ts tests real ones).
 */
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { OpenTable } from "#core/database/table/dynamo.ts";
import { keys } from "#core/database/table/keys.ts";
import { type Cost, newMeter } from "#core/database/table/meter.ts";
import { credentialStore, newCredential, replacingCredential } from "#core/directory/credentials/store.ts";
import { groupStore } from "#core/directory/groups/store.ts";
import { roleAssignees } from "#core/directory/memberships/assignees.ts";
import { addingMember } from "#core/directory/memberships/relation.ts";
import { freshRole } from "#core/directory/roles/model.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { userStore } from "#core/directory/users/store.ts";
import { Fault } from "#core/kernel/faults.ts";
import * as passwords from "#core/kernel/password.ts";
import { type Authenticate, newAuthenticate } from "#core/sign-in/authentication/authenticate.ts";
import { FRESH_MS } from "#core/sign-in/authentication/fresh.ts";
import { defaultLockoutPolicy, lockoutStore } from "#core/sign-in/authentication/lockout-store.ts";
import { newChangesOf } from "#core/sign-in/authentication/role-changes.ts";
import { newRevocationCache } from "#core/sign-in/authentication/token-validity.ts";
import { changingTenant, revokingUser } from "#core/tokens/revocation-store.ts";
import { seed } from "#local/seed.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { addUser, TENANT, tableOf } from "#tests/support/people.ts";
import { ADMIN, basic } from "#tests/support/world.ts";

vi.mock("#core/kernel/password.ts", async (original) =>
  (await import("#tests/support/stand-in-hashes.ts")).standInHashes(await original()),
);
/** How many hashes were computed since the mocks were cleared. */
const hashes = () =>
  vi.mocked(passwords.verifyPassword).mock.calls.length + vi.mocked(passwords.verifyNothing).mock.calls.length;

const every = new Set(["scope.a", "scope.b"]);
const clock = { ms: 1_700_000_000_000, now: () => clock.ms };
let authenticate: Authenticate;
let open: OpenTable;
let service: TestTable;
let reasons: string[] = [];

/** The first lock of a name at one source. */
const { lockMs, lockMaxMs, windowMs } = defaultLockoutPolicy.source;

const enter = async (
  username: string,
  password: string,
  sourceIp = "192.0.2.1",
): Promise<{ scopes: string[]; cost: Cost }> => {
  const meter = newMeter();
  const table = open(meter);
  const stores = {
    table,
    tenants: tenantStore(table),
    users: userStore(table),
    roles: roleStore(table),
    groups: groupStore(table),
    credentials: credentialStore(table),
    lockouts: lockoutStore(table, defaultLockoutPolicy),
  };
  const presented = { header: basic({ username, password }), sourceIp };
  const { scopes } = await authenticate(presented, stores, (_, reason) => reasons.push(reason));
  return { scopes: [...scopes], cost: meter.cost };
};
const refused = (username: string, password: string, sourceIp?: string) =>
  expect(enter(username, password, sourceIp)).rejects.toMatchObject({ fault: "auth.unauthenticated" });

const ids: Record<string, string> = {};
const setPassword = async (username: string, password: string) => {
  const id = ids[username] ?? "";
  const step = replacingCredential(TENANT, id, await newCredential(password), () => new Error("gone"));
  await tableOf(service).write(step, ...revokingUser(TENANT, id));
};
beforeAll(async () => {
  service = await testTable();
  open = service.reopen({ deadlineMs: Number.POSITIVE_INFINITY });
  await seed(open(newMeter()), ADMIN);
  for (const username of ["alice", "bob", "carol", "dave", "henry", "ivan", "kate"]) {
    ids[username] = await addUser(service, { username, password: `${username}'s`, scopes: ["scope.a"] });
  }
});
beforeEach(() => {
  authenticate = newAuthenticate(clock, every);
  reasons = [];
  vi.clearAllMocks();
});

describe("the cost of authentication", () => {
  test("is one round trip when warm, and one hash per credential while it is fresh", async () => {
    expect((await enter("alice", "alice's")).scopes).toEqual(["internal_login", "scope.a"]);
    const costs: Cost[] = [];
    for (let again = 0; again < 4; again += 1) costs.push((await enter("alice", "alice's")).cost);
    // The first read of the log shows no changes: what it accompanies is read a second time.
    expect(costs.map(({ roundTrips, readUnits }) => [roundTrips, readUnits])).toEqual([
      [2, 6],
      [1, 3],
      [1, 3],
      [1, 3],
    ]);
    for (const { writeUnits } of costs) expect(writeUnits).toBe(0);
    expect(hashes()).toBe(1);
    clock.ms += FRESH_MS + 1;
    await enter("alice", "alice's");
    expect(hashes()).toBe(2);
  });
  test("computes one hash for concurrent requests with one credential", async () => {
    await Promise.all(Array.from({ length: 20 }, () => enter("alice", "alice's")));
    expect(hashes()).toBe(1);
  });
  test("is one hash, with the same message, for an unknown user, tenant or store and for a wrong password", async () => {
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

describe("a verified password is refused", () => {
  test("after the password has changed", async () => {
    await enter("bob", "bob's");
    await setPassword("bob", "new one");
    await refused("bob", "bob's");
    await enter("bob", "new one");
  });
  test("after the user was deactivated", async () => {
    await enter("bob", "new one");
    const key = { PK: `T#${TENANT}#U#${ids.bob}`, SK: "A" };
    await tableOf(service).write({
      change: key,
      set: { active: false },
      when: "present",
      otherwise: () => new Error("gone"),
    });
    await refused("bob", "new one");
    expect(reasons).toEqual(["inactive"]);
  });
});

test("refuses every user of an inactive tenant", async () => {
  const set = (active: boolean) =>
    tenantStore(tableOf(service)).setActive(TENANT, active, {
      absent: () => new Error("gone"),
      telling: () => [changingTenant(TENANT)],
    });
  await enter("alice", "alice's");
  await set(false);
  await refused("alice", "alice's");
  await set(true);
  await enter("alice", "alice's");
});

test("reads a role again that expires while another role is read", async () => {
  const table = tableOf(service);
  const roles = roleStore(table);
  const fail = () => new Error("in use");
  const role = freshRole("role-b", "role b", TENANT, 0, { permissions: ["scope.b"] });
  await enter("alice", "alice's");
  await table.write(
    ...roles.adding(TENANT, role, fail),
    ...addingMember(roleAssignees, { tenant: TENANT, id: role.id }, { kind: "user", id: ids.alice ?? "" }),
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
  test("the tenth failure locks the name for 15 minutes", async () => {
    await fail("dave", 9);
    await enter("dave", "dave's");
    await fail("dave", 10);
    vi.clearAllMocks();
    await refused("dave", "dave's");
    expect(reasons.at(-1)).toBe("locked");
    expect(hashes()).toBe(1);
    clock.ms += lockMs + 1;
    await enter("dave", "dave's");
  });
  test("a second lock lasts twice as long", async () => {
    await fail("erin", 10);
    clock.ms += lockMs + 1;
    await fail("erin", 10);
    clock.ms += lockMs + 1;
    reasons = [];
    await refused("erin", "wrong");
    clock.ms += lockMs;
    await refused("erin", "wrong");
    expect(reasons).toEqual(["locked", "unknown"]);
  });
  test("a lock lasts a day at most", async () => {
    for (let lock = 0; lock < 9; lock += 1) {
      await fail("grace", 10);
      clock.ms += lockMaxMs + 1;
    }
    reasons = [];
    await refused("grace", "wrong");
    expect(reasons).toEqual(["unknown"]);
  });
  test("refuses the right password when others lock the name while it is hashed", async () => {
    const verify = vi.mocked(passwords.verifyPassword);
    const hash = verify.getMockImplementation() ?? (async () => false);
    const [begun, lock] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    verify.mockImplementation(async (password, phc) => {
      if (password === "henry's") {
        begun.resolve();
        await lock.promise;
      }
      return hash(password, phc);
    });
    try {
      const right = enter("henry", "henry's").catch((error: unknown) => error);
      // The other attempts start only when the right password is being hashed.
      await begun.promise;
      await fail("henry", 10);
      lock.resolve();
      expect(await right).toMatchObject({ fault: "auth.unauthenticated" });
      expect(reasons.at(-1)).toBe("locked");
    } finally {
      verify.mockImplementation(hash);
    }
    clock.ms += lockMs + 1;
    await enter("henry", "henry's");
  });
  test("a new password ends the lock, and gets a longer lock of its own", async () => {
    await fail("ivan", 10);
    await refused("ivan", "ivan's");
    expect(reasons.at(-1)).toBe("locked");
    await setPassword("ivan", "another");
    await fail("ivan", 10);
    reasons = [];
    await refused("ivan", "another");
    clock.ms += lockMs + 1;
    await refused("ivan", "another");
    expect(reasons).toEqual(["locked", "locked"]);
    await setPassword("ivan", "a third");
    await enter("ivan", "a third");
    await fail("ivan", 9);
    await enter("ivan", "a third");
  });
  test("a lock of a name without a user does not hold for a user who gets that name later", async () => {
    await fail("judith", 10);
    await addUser(service, { username: "judith", password: "judith's" });
    await enter("judith", "judith's");
  });
  test("two Unicode spellings of one name share their failures", async () => {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await refused("J\u030cudy", "wrong");
      await refused("\u01f0udy", "wrong");
    }
    reasons = [];
    await refused("\u01f0UDY", "wrong");
    expect(reasons).toEqual(["locked"]);
  });
  test("attempts in unknown tenants are counted in one row", async () => {
    for (const name of ["a@x.org", "b@y.org", "c@z.org"]) await refused(name, "wrong");
    const table = tableOf(service);
    expect(await table.get({ PK: "T#x.org#LOCK#PRIMARY#a", SK: "A" })).toBeUndefined();
    expect(await table.get({ PK: "T#-#LOCK#-#-", SK: "A" })).toMatchObject({ refused: expect.any(Number) });
  });
  test("failures of different windows do not add up", async () => {
    for (let round = 0; round < 3; round += 1) {
      await fail("carol", 9);
      clock.ms += windowMs + 1;
    }
    await enter("carol", "carol's");
  });
  test("exactly one of many concurrent failures locks the name", async () => {
    await Promise.all(Array.from({ length: 25 }, () => refused("frank", "wrong")));
    const rows = await tableOf(service).queryAll({ PK: keys.lock(TENANT, "PRIMARY", "frank").PK, limit: 10 });
    expect(rows.map(({ lockouts }) => lockouts)).toEqual([0, 1]);
  });
});

test("a refused sign-in ends after the reads that it began, whatever they end in", async () => {
  const read = Promise.withResolvers<never>();
  const slow = { ...newRevocationCache(), changes: () => read.promise };
  authenticate = newAuthenticate(clock, every, undefined, newChangesOf(slow, clock));
  let isRefused = false;
  const attempt = refused("nobody.here", "wrong").then(() => {
    isRefused = true;
  });
  await vi.waitFor(() => expect(reasons).toEqual(["unknown"]));
  await new Promise((next) => setTimeout(next, 20));
  expect(isRefused).toBe(false);
  read.reject(new Error("the log cannot be read"));
  await attempt;
});
