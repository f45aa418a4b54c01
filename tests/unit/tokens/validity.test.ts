/** The revocation cache of a container: what it knows, what it costs, and that it misses nothing between two reads. */
import { beforeEach, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Step, Table } from "#core/database/table/table.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { systemClock } from "#core/kernel/clock.ts";
import {
  FRESH,
  newRevocationCache,
  REVOCATION_FRESH_MS,
  type RevocationState,
  STRICT,
} from "#core/sign-in/authentication/token-validity.ts";
import type { AccessToken } from "#core/tokens/model.ts";
import { LOG_WINDOW_MS } from "#core/tokens/revocation-log-store.ts";
import {
  REVOCATION_LEAD_MS,
  revocationStore,
  revocationTime,
  revokingClient,
  revokingGrant,
  revokingRole,
  revokingScopes,
  revokingUser,
} from "#core/tokens/revocation-store.ts";
import { testTable } from "#tests/support/engine.ts";

const TENANT = "acme.com";
const fail = () => new Error("in use");
const someTenant = { id: "tenant", active: true, createdMs: 0, administrator: "user" };
let open: Awaited<ReturnType<typeof testTable>>["open"];
let table: Table;
beforeEach(async () => {
  ({ open } = await testTable());
  table = open(newMeter());
  await table.write(...tenantStore(table).adding({ ...someTenant, domain: TENANT }, fail));
});

const issuedAt = (ms: number, more: Partial<AccessToken> = {}): AccessToken => ({
  tenant: TENANT,
  clientId: "client",
  applicationId: "application",
  user: { id: "user", userName: "u", userStore: "PRIMARY" },
  scopes: ["a", "b"],
  roleIds: ["role"],
  grantId: "grant",
  issuedAtSeconds: Math.floor(ms / 1_000),
  issuedMs: ms,
  expiresAtSeconds: Math.floor(ms / 1_000) + 3_600,
  ...more,
});

const all: [string, () => readonly Step[]][] = [
  ["the user", () => revokingUser(TENANT, "user")],
  ["a role", () => revokingRole(TENANT, "role")],
  ["the client", () => [revokingClient(TENANT, "client", revocationTime())]],
  ["a scope", () => [revokingScopes(TENANT, "client", revocationTime(), ["x", "b"])]],
  ["a grant", () => revokingGrant(TENANT, "grant", revocationTime(), 4_000_000_000)],
];
const others: [string, () => readonly Step[]][] = [
  ["another user", () => revokingUser(TENANT, "use")],
  ["another role", () => revokingRole(TENANT, "user")],
  ["another client", () => [revokingClient(TENANT, "user", revocationTime())]],
  ["another scope", () => [revokingScopes(TENANT, "client", revocationTime(), ["c"])]],
  ["a scope of another client", () => [revokingScopes(TENANT, "clients", revocationTime(), ["a"])]],
  ["another grant", () => revokingGrant(TENANT, "client", revocationTime(), 4_000_000_000)],
  ["the user of another tenant", () => revokingUser("other.com", "user")],
];
const now = () => systemClock.now();
const ends = (state: RevocationState, token: AccessToken) => state.judge(token, "key", now()) === "revoked";

describe.each(all)("a revocation of %s", (_, steps) => {
  test("ends tokens that were issued before it, and no later ones", async () => {
    await table.write(...steps());
    const state = await newRevocationCache().of(TENANT, table, now(), STRICT);
    expect(ends(state, issuedAt(now()))).toBe(true);
    expect(ends(state, issuedAt(now() + REVOCATION_LEAD_MS + 1_000))).toBe(false);
  });
});
test.each(others)("a revocation of %s does not end the token", async (_, steps) => {
  await table.write(...steps());
  expect(ends(await newRevocationCache().of(TENANT, table, now(), STRICT), issuedAt(now()))).toBe(false);
});

test("two revocations of one millisecond both count", async () => {
  const at = revocationTime();
  await Promise.all([
    table.write(revokingScopes(TENANT, "client", at, ["a"])),
    table.write(revokingScopes(TENANT, "client", at, ["z"])),
  ]);
  const state = await newRevocationCache().of(TENANT, table, now(), STRICT);
  expect(ends(state, issuedAt(now(), { scopes: ["a"] }))).toBe(true);
  expect(ends(state, issuedAt(now(), { scopes: ["z"] }))).toBe(true);
});

describe("a container", () => {
  test("reads the log once, then only new entries, and nothing while its cache is fresh", async () => {
    const cache = newRevocationCache();
    const start = now();
    for (let index = 0; index < 40; index += 1) await table.write(...revokingUser(TENANT, `user ${index}`));
    const look = async (nowMs: number, ages: typeof FRESH) => {
      const meter = newMeter();
      const state = await cache.of(TENANT, open(meter), nowMs, ages);
      return { ...meter.cost, state };
    };
    expect((await look(start, FRESH)).roundTrips).toBe(1);
    expect((await look(start + REVOCATION_FRESH_MS, FRESH)).roundTrips).toBe(0);
    expect((await look(start + 60_000, FRESH)).roundTrips).toBe(1);
    // It reads the tenant and two empty ranges: the entries of the log are older than the overlap.
    const later = await look(start + 120_000, FRESH);
    expect([later.roundTrips, later.readUnits]).toEqual([1, 3]);
    expect(ends(later.state, issuedAt(start, { user: { id: "user 7", userName: "", userStore: "" } }))).toBe(true);
    expect((await look(start + 120_001, STRICT)).roundTrips).toBe(1);
  });
  test("misses no entry that is dated before its last read and was written after it", async () => {
    const cache = newRevocationCache();
    const steps = revokingUser(TENANT, "user");
    const issued = now();
    // A transaction may take nine seconds.
    expect(ends(await cache.of(TENANT, table, issued + 9_000, STRICT), issuedAt(issued))).toBe(false);
    await table.write(...steps);
    const state = await cache.of(TENANT, table, issued + 9_000 + REVOCATION_FRESH_MS + 1, FRESH);
    expect(ends(state, issuedAt(issued))).toBe(true);
  });
  test("does not remember an unknown tenant, which is not active", async () => {
    const cache = newRevocationCache();
    for (let again = 0; again < 2; again += 1) {
      const meter = newMeter();
      expect((await cache.of("nowhere", open(meter), now(), FRESH)).isActive).toBe(false);
      expect(meter.cost.roundTrips).toBe(1);
    }
  });
  test("forgets the tenant that it read first when it knows more than a hundred", async () => {
    const cache = newRevocationCache();
    const cost = async (tenant: string) => {
      const meter = newMeter();
      await cache.of(tenant, open(meter), now(), FRESH);
      return meter.cost.roundTrips;
    };
    for (let index = 0; index <= 100; index += 1) {
      await table.write(...tenantStore(table).adding({ ...someTenant, id: `id${index}`, domain: `t${index}` }, fail));
      expect(await cost(`t${index}`)).toBe(1);
    }
    expect([await cost("t100"), await cost("t0")]).toEqual([0, 1]);
  });
});

describe("a token of more than a day", () => {
  const old = () => issuedAt(now() - LOG_WINDOW_MS - 1);
  const client = (more: Record<string, number> = {}) =>
    table.write({
      put: { ...keys.client("client"), tenant: TENANT, tokensFromMs: 0, ...more },
      when: "any",
      otherwise: fail,
    });
  test("is older than the log, which leaves it to the marks each time", async () => {
    const state = await newRevocationCache().of(TENANT, table, now(), FRESH);
    expect(state.judge(issuedAt(now() - LOG_WINDOW_MS / 2), "key", now())).toBe("valid");
    expect(state.judge(old(), "key", now())).toBe("marks");
    state.pass(old(), "key");
    expect(state.judge(old(), "key", now())).toBe("marks");
  });
  test("is compared with the marks of all its subjects, in one round trip", async () => {
    await client();
    const meter = newMeter();
    expect(await revocationStore(open(meter)).isRevokedByMark(old(), now())).toBe(false);
    expect(meter.cost.roundTrips).toBe(1);
    const marks: [() => Promise<void>, () => Promise<void>][] = [
      [() => table.write(...revokingUser(TENANT, "user")), () => table.forget(keys.revocation(TENANT, "U:user"))],
      [() => table.write(...revokingRole(TENANT, "role")), () => table.forget(keys.revocation(TENANT, "R:role"))],
      [
        () => table.write(...revokingGrant(TENANT, "grant", revocationTime(), 4_000_000_000)),
        () => table.forget(keys.revocation(TENANT, "F:grant")),
      ],
      [() => client({ tokensFromMs: now() }), () => client()],
      [() => client({ scopesFromMs: now() }), () => client()],
      [() => table.forget(keys.client("client")), () => client()],
    ];
    for (const [revoke, undo] of marks) {
      await revoke();
      expect(await revocationStore(table).isRevokedByMark(old(), now())).toBe(true);
      await undo();
      expect(await revocationStore(table).isRevokedByMark(old(), now())).toBe(false);
    }
  });
  test("ends when its client belongs to another tenant now", async () => {
    await client();
    expect(await revocationStore(table).isRevokedByMark({ ...old(), tenant: "other.com" }, now())).toBe(true);
  });
});
