/**
 * Guesses at passwords, by name and source: who is locked, for how long, and what it costs. Hashes are fast stand-ins
 * (credentials.test.ts tests real ones).
 */
import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { type Cost, newMeter } from "#core/database/table/meter.ts";
import { credentialStore, newCredential, replacingCredential } from "#core/directory/credentials/store.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { userStore } from "#core/directory/users/store.ts";
import * as passwords from "#core/kernel/password.ts";
import { KNOWN_MS } from "#core/sign-in/authentication/guess-rows.ts";
import { defaultLockoutPolicy, lockoutStore } from "#core/sign-in/authentication/lockout-store.ts";
import { newSignIn, type SignIn } from "#core/sign-in/authentication/sign-in.ts";
import { sourceOf } from "#core/sign-in/authentication/source.ts";
import { seed } from "#local/seed.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { addUser, TENANT, tableOf } from "#tests/support/people.ts";
import { ADMIN } from "#tests/support/world.ts";
import { inLockstep } from "#tools/lockstep.ts";

vi.mock("#core/kernel/password.ts", async (original) =>
  (await import("#tests/support/stand-in-hashes.ts")).standInHashes(await original()),
);

/** As deployed, with a lower limit of the name, which takes fewer guesses to reach. */
const policy = { ...defaultLockoutPolicy, name: { ...defaultLockoutPolicy.name, failuresMax: 30 } };
const { source: ofSource, name: ofName } = policy;
const HOME = "192.0.2.1";
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = 1_700_000_000_000;
const clock = { ms: START_MS, now: () => clock.ms };

let service: TestTable;
let signIn: SignIn;
let reasons: string[] = [];
let made = 0;
let inForce = policy;

/** A new user whose password is `right`. */
const newUser = async (): Promise<{ name: string; id: string }> => {
  made += 1;
  const name = `user-${made}`;
  return { name, id: await addUser(service, { username: name, password: "right" }) };
};

/** One attempt. `isIn` tells whether it succeeded. */
const attempt = async (name: string, password: string, sourceIp = HOME): Promise<{ isIn: boolean; cost: Cost }> => {
  const meter = newMeter();
  const table = service.open(meter);
  const stores = {
    tenants: tenantStore(table),
    users: userStore(table),
    credentials: credentialStore(table),
    lockouts: lockoutStore(table, inForce),
  };
  const readings = [{ tenant: TENANT, userStore: "PRIMARY", name }];
  const found = await signIn({ readings, password, sourceIp }, stores, (_, reason) => reasons.push(reason));
  return { isIn: found !== undefined, cost: meter.cost };
};
const isIn = async (name: string, sourceIp?: string) => (await attempt(name, "right", sourceIp)).isIn;
const guess = async (name: string, times: number, sourceIp?: string) => {
  for (let each = 0; each < times; each += 1) await attempt(name, "wrong", sourceIp);
};
/** Guesses from that many sources, which stay below the limit of each source. */
const guessWidely = async (name: string, guesses: number) => {
  const sources = Array.from({ length: Math.ceil(guesses / 9) }, (_, at) => `198.51.100.${at}`);
  for (let left = guesses; left > 0; left -= 9)
    await guess(name, Math.min(9, left), sources[Math.floor((left - 1) / 9)]);
};
const setPassword = async (id: string, password: string) =>
  tableOf(service).write(replacingCredential(TENANT, id, await newCredential(password), () => new Error("gone")));
const rowsOf = (name: string) => tableOf(service).queryAll({ PK: keys.lock(TENANT, "PRIMARY", name).PK, limit: 100 });
/** A container that has verified no password yet. */
const newContainer = () => {
  signIn = newSignIn(clock);
};

beforeAll(async () => {
  service = await testTable();
  await seed(service.open(newMeter()), ADMIN);
});
beforeEach(() => {
  clock.ms = START_MS;
  reasons = [];
  inForce = policy;
  newContainer();
});

describe("guesses from other sources", () => {
  test("do not lock out a user: not at a source of its own, and not at one without guesses", async () => {
    const { name } = await newUser();
    for (const source of ["203.0.113.1", "203.0.113.2"]) await guess(name, 12, source);
    expect(reasons.at(-1)).toBe("locked");
    expect(await isIn(name)).toBe(true);
  });
  test.each([29, 30, 40])("%i of them never lock a source from which the name signed in lately", async (guesses) => {
    const { name } = await newUser();
    expect(await isIn(name)).toBe(true);
    await guessWidely(name, guesses);
    newContainer();
    expect(await isIn(name)).toBe(true);
    expect(await isIn(name, "203.0.113.9")).toBe(guesses < ofName.failuresMax);
  });
  test("lock the name for unknown sources at their limit, for an hour at first; a new password ends it", async () => {
    const { name, id } = await newUser();
    await guessWidely(name, ofName.failuresMax - 1);
    expect(await isIn(name, "203.0.113.9")).toBe(true);
    await guess(name, 1, "203.0.113.10");
    expect(await isIn(name, "203.0.113.11")).toBe(false);
    expect(reasons.at(-1)).toBe("locked");
    clock.ms += ofName.lockMs + 1;
    expect(await isIn(name, "203.0.113.12")).toBe(true);
    await guessWidely(name, ofName.failuresMax);
    expect(await isIn(name, "203.0.113.13")).toBe(false);
    await setPassword(id, "other");
    expect((await attempt(name, "other", "203.0.113.13")).isIn).toBe(true);
  });
  test("do not add up over more than a day", async () => {
    const { name } = await newUser();
    for (let day = 0; day < 3; day += 1) {
      await guessWidely(name, 20);
      clock.ms += ofName.windowMs + 1;
    }
    expect(await isIn(name)).toBe(true);
  });
  test("of one source alone never reach the limit of the name, which is 100 in a day", async () => {
    inForce = defaultLockoutPolicy;
    expect(inForce.name).toMatchObject({ failuresMax: 100, windowMs: DAY_MS });
    const { name } = await newUser();
    const until = clock.ms + 5 * DAY_MS;
    while (clock.ms < until) {
      await guess(name, 10, "203.0.113.1");
      const [row] = (await rowsOf(name)).filter(({ SK }) => SK !== "A");
      clock.ms = Number(row?.lockedUntilMs) + 1;
    }
    expect(await isIn(name)).toBe(true);
  });
});

describe("a source", () => {
  test("is locked by its own guesses, also where it is known; its lock lasts longer each time", async () => {
    const { name } = await newUser();
    expect(await isIn(name)).toBe(true);
    await guess(name, 10);
    expect(await isIn(name)).toBe(false);
    clock.ms += ofSource.lockMs + 1;
    await guess(name, 10);
    clock.ms += ofSource.lockMs + 1;
    expect(await isIn(name)).toBe(false);
    clock.ms += ofSource.lockMs;
    expect(await isIn(name)).toBe(true);
  });
  test("stays known for 30 days after the last sign-in", async () => {
    const { name } = await newUser();
    await isIn(name);
    clock.ms += 20 * DAY_MS;
    newContainer();
    await isIn(name);
    clock.ms += KNOWN_MS - HOUR_MS;
    await guessWidely(name, ofName.failuresMax);
    expect(await isIn(name)).toBe(true);
    clock.ms += KNOWN_MS + 1;
    await guessWidely(name, ofName.failuresMax);
    newContainer();
    expect(await isIn(name)).toBe(false);
  });
  test("stays known after wrong passwords, and its row lives as long", async () => {
    const { name } = await newUser();
    await isIn(name);
    await guess(name, 3);
    await guessWidely(name, ofName.failuresMax);
    newContainer();
    expect(await isIn(name)).toBe(true);
    const [row] = (await rowsOf(name)).filter(({ knownFromMs }) => knownFromMs !== undefined);
    expect(Number(row?.expiresAtSeconds) * 1_000).toBeGreaterThanOrEqual(clock.ms + KNOWN_MS);
  });
  test("is stored as a digest that differs for each name, and every row expires", async () => {
    const [one, other] = [await newUser(), await newUser()];
    for (const { name } of [one, other]) {
      await guess(name, 12);
      await isIn(name, "203.0.113.7");
    }
    const rows = [await rowsOf(one.name), await rowsOf(other.name)];
    expect(JSON.stringify(rows)).not.toMatch(/192\.0\.2|203\.0\.113/);
    const [a, b] = rows.map((of) => of.map(({ SK }) => SK).filter((SK) => SK !== "A"));
    expect(a?.filter((SK) => b?.includes(SK))).toEqual([]);
    for (const { expiresAtSeconds } of rows.flat()) expect(expiresAtSeconds).toBeGreaterThan(clock.ms / 1_000);
  });
  test("is one IPv4 address, or the network of an IPv6 address in any spelling", () => {
    expect(sourceOf("192.0.2.1")).not.toBe(sourceOf("192.0.2.2"));
    expect(sourceOf("::ffff:192.0.2.1")).toBe(sourceOf("192.0.2.1"));
    expect(sourceOf("2001:db8::1")).toBe("2001:db8:0:0::/64");
    expect(sourceOf("::1")).toBe(sourceOf("0:0:0:0::192.0.2.1"));
    expect(sourceOf("fe80::1%eth0")).toBe(sourceOf("FE80::2"));
    const group = fc.integer({ min: 0, max: 0xffff });
    const groups = fc.array(group, { minLength: 4, maxLength: 4 });
    const spelt = (parts: readonly number[], isPadded: boolean) =>
      parts.map((part) => part.toString(16).padStart(isPadded ? 4 : 1, "0")).join(":");
    fc.assert(
      fc.property(groups, groups, groups, fc.boolean(), (network, one, other, isPadded) => {
        const first = sourceOf(spelt([...network, ...one], isPadded));
        expect(sourceOf(spelt([...network, ...other], !isPadded).toUpperCase())).toBe(first);
        const neighbour = [(network[0] ?? 0) ^ 1, ...network.slice(1)];
        expect(sourceOf(spelt([...neighbour, ...one], isPadded))).not.toBe(first);
        // The shortest spelling, as `inet_ntop` writes it.
        const { hostname } = new URL(`http://[${spelt([...network, ...one], false)}]/`);
        expect(sourceOf(hostname.slice(1, -1))).toBe(first);
      }),
    );
  });
});

describe("a clock that is ahead", () => {
  const ahead = [10 * 60_000, 2 * HOUR_MS, DAY_MS, 400 * DAY_MS];
  test.each(ahead)("by %i ms makes no lock that outlasts it", async (offsetMs) => {
    const [one, other] = [await newUser(), await newUser()];
    clock.ms += offsetMs;
    await guess(one.name, 12);
    await guessWidely(other.name, ofName.failuresMax);
    expect([await isIn(one.name), await isIn(other.name)]).toEqual([false, false]);
    clock.ms = START_MS;
    expect([await isIn(one.name), await isIn(other.name)]).toEqual([true, true]);
  });
  test.each(ahead)("by %i ms starts no window that keeps guesses from being counted", async (offsetMs) => {
    const { name } = await newUser();
    clock.ms += offsetMs;
    await guess(name, 3);
    clock.ms = START_MS;
    await guess(name, 10);
    expect(await isIn(name)).toBe(false);
    clock.ms += ofSource.lockMs + 1;
    expect(await isIn(name)).toBe(true);
  });
  test.each(ahead)("by %i ms makes no source known", async (offsetMs) => {
    const { name } = await newUser();
    clock.ms += offsetMs;
    expect(await isIn(name)).toBe(true);
    clock.ms = START_MS;
    newContainer();
    await guessWidely(name, ofName.failuresMax);
    expect(await isIn(name)).toBe(false);
  });
  test("does not end a lock within the longest lock, and ends one that is longer", async () => {
    const { name } = await newUser();
    await guessWidely(name, ofName.failuresMax);
    const change = keys.lock(TENANT, "PRIMARY", name);
    for (const [lockedUntilMs, isAdmitted] of [
      [START_MS + ofName.lockMaxMs, false],
      [START_MS + ofName.lockMaxMs + HOUR_MS, true],
    ] as const) {
      const otherwise = () => new Error("no lock");
      await tableOf(service).write({ change, set: { lockedUntilMs }, when: "present", otherwise });
      expect(await isIn(name)).toBe(isAdmitted);
    }
  });
});

describe("costs", () => {
  test("a sign-in is two round trips when warm, three when cold; a new source costs one write a day", async () => {
    const { name } = await newUser();
    const costs = async () => {
      const { cost } = await inLockstep(() => attempt(name, "right"));
      return [cost.roundTrips, cost.readUnits, cost.writeUnits];
    };
    await isIn("admin");
    expect(await costs()).toEqual([3, 10, 1]);
    expect(await costs()).toEqual([2, 5, 0]);
    newContainer();
    await isIn("admin");
    expect(await costs()).toEqual([3, 6, 0]);
    clock.ms += DAY_MS + 1;
    newContainer();
    await isIn("admin");
    expect(await costs()).toEqual([3, 6, 1]);
    expect(await costs()).toEqual([2, 5, 0]);
  });
  test("many names of one attacker, or many sources of one name, make rows of at most 400 bytes", async () => {
    const { name } = await newUser();
    for (let at = 0; at < 20; at += 1) await guess(name, 1, `203.0.113.${at}`);
    const rows = await rowsOf(name);
    expect(rows).toHaveLength(21);
    for (const row of rows) expect(JSON.stringify(row).length).toBeLessThan(400);
  });
});

describe("of many attempts at once", () => {
  /** Lets the right password wait in its hash while `meanwhile` runs. */
  const whileHashing = async (name: string, meanwhile: () => Promise<void>): Promise<boolean> => {
    const verify = vi.mocked(passwords.verifyPassword);
    const hash = verify.getMockImplementation() ?? (async () => false);
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    verify.mockImplementation(async (password, phc) => {
      if (password === "right") {
        begun.resolve();
        await end.promise;
      }
      return hash(password, phc);
    });
    try {
      const right = isIn(name);
      await begun.promise;
      await meanwhile();
      end.resolve();
      return await right;
    } finally {
      verify.mockImplementation(hash);
    }
  };

  test("the right one does not end a lock that the others of its source made meanwhile", async () => {
    const { name } = await newUser();
    expect(await whileHashing(name, () => guess(name, 10))).toBe(false);
    expect(await isIn(name)).toBe(false);
    clock.ms += ofSource.lockMs + 1;
    expect(await isIn(name)).toBe(true);
  });
  test("the right one from a known source that the others lock meanwhile is refused, and the source stays known", async () => {
    const { name } = await newUser();
    expect(await isIn(name)).toBe(true);
    newContainer();
    expect(await whileHashing(name, () => guess(name, 10))).toBe(false);
    expect(reasons.at(-1)).toBe("locked");
    clock.ms += ofSource.lockMs + 1;
    await guessWidely(name, ofName.failuresMax);
    newContainer();
    expect(await isIn(name, "203.0.113.9")).toBe(false);
    expect(await isIn(name)).toBe(true);
  });
  test("the right one from an unknown source is refused when the limit of the name is reached, and stays unknown", async () => {
    const { name } = await newUser();
    expect(await whileHashing(name, () => guessWidely(name, ofName.failuresMax))).toBe(false);
    expect(reasons.at(-1)).toBe("locked");
    newContainer();
    expect(await isIn(name)).toBe(false);
  });
});
