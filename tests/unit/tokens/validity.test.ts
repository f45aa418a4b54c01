/** What a container knows of revocations, what asking costs, and that nothing is missed between two looks. */
import { beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "#core/platform/clock.ts";
import { keys } from "#core/table/keys.ts";
import { newMeter } from "#core/table/meter.ts";
import type { Step, Table } from "#core/table/table.ts";
import type { AccessToken } from "#core/tokens/model.ts";
import {
  LOG_WINDOW_MS,
  REVOCATION_LEAD_MS,
  revocationStore,
  revocationTime,
  revokingClient,
  revokingGrant,
  revokingRole,
  revokingScopes,
  revokingUser,
} from "#core/tokens/revocation-store.ts";
import { isBeyondLog, newRevocationCache, REVOCATION_FRESH_MS } from "#core/tokens/validity.ts";
import { testTable } from "#tests/support/engine.ts";

const TENANT = "acme.com";
const fail = () => new Error("in use");
let open: Awaited<ReturnType<typeof testTable>>["open"];
let table: Table;
beforeEach(async () => {
  ({ open } = await testTable());
  table = open(newMeter());
  await table.write({ put: { ...keys.tenant(TENANT), active: true }, when: "absent", otherwise: fail });
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
  ["what was granted", () => revokingGrant(TENANT, "grant", revocationTime(), 4_000_000_000)],
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

describe.each(all)("a revocation of %s", (_, steps) => {
  test("ends tokens from before it, and none that are dated behind it", async () => {
    await table.write(...steps());
    const standing = await newRevocationCache().of(TENANT, table, now(), 0);
    expect(standing.revokes(issuedAt(now()))).toBe(true);
    expect(standing.revokes(issuedAt(now() + REVOCATION_LEAD_MS + 1_000))).toBe(false);
  });
});
test.each(others)("a revocation of %s ends none of them", async (_, steps) => {
  await table.write(...steps());
  expect((await newRevocationCache().of(TENANT, table, now(), 0)).revokes(issuedAt(now()))).toBe(false);
});

test("two of one moment are both known", async () => {
  const at = revocationTime();
  await Promise.all([
    table.write(revokingScopes(TENANT, "client", at, ["a"])),
    table.write(revokingScopes(TENANT, "client", at, ["z"])),
  ]);
  const standing = await newRevocationCache().of(TENANT, table, now(), 0);
  expect(standing.revokes(issuedAt(now(), { scopes: ["a"] }))).toBe(true);
  expect(standing.revokes(issuedAt(now(), { scopes: ["z"] }))).toBe(true);
});

describe("a container", () => {
  test("asks once, then only what was added, and not while it is fresh", async () => {
    const standings = newRevocationCache();
    const start = now();
    for (let index = 0; index < 40; index += 1) await table.write(...revokingUser(TENANT, `user ${index}`));
    const look = async (nowMs: number, maxAgeMs: number) => {
      const meter = newMeter();
      const standing = await standings.of(TENANT, open(meter), nowMs, maxAgeMs);
      return { ...meter.cost, standing };
    };
    expect((await look(start, REVOCATION_FRESH_MS)).roundTrips).toBe(1);
    expect((await look(start + REVOCATION_FRESH_MS, REVOCATION_FRESH_MS)).roundTrips).toBe(0);
    expect((await look(start + 60_000, REVOCATION_FRESH_MS)).roundTrips).toBe(1);
    // What is in the log lies behind what it reads again now: the tenant and an empty range.
    const later = await look(start + 120_000, REVOCATION_FRESH_MS);
    expect([later.roundTrips, later.readUnits]).toEqual([1, 2]);
    expect(later.standing.revokes(issuedAt(start, { user: { id: "user 7", userName: "", userStore: "" } }))).toBe(true);
    expect((await look(start + 120_001, 0)).roundTrips).toBe(1);
  });
  test("misses nothing that was dated before its last look and written behind it", async () => {
    const standings = newRevocationCache();
    const steps = revokingUser(TENANT, "user");
    const issued = now();
    // Nine seconds are what a transaction may take.
    expect((await standings.of(TENANT, table, issued + 9_000, 0)).revokes(issuedAt(issued))).toBe(false);
    await table.write(...steps);
    const standing = await standings.of(TENANT, table, issued + 9_000 + REVOCATION_FRESH_MS + 1, REVOCATION_FRESH_MS);
    expect(standing.revokes(issuedAt(issued))).toBe(true);
  });
  test("a tenant that there is not lets nobody in, and is not remembered", async () => {
    const standings = newRevocationCache();
    for (let again = 0; again < 2; again += 1) {
      const meter = newMeter();
      expect((await standings.of("nowhere", open(meter), now(), REVOCATION_FRESH_MS)).isActive).toBe(false);
      expect(meter.cost.roundTrips).toBe(1);
    }
  });
  test("forgets the tenant it asked about first once it knows more than a hundred", async () => {
    const standings = newRevocationCache();
    const cost = async (tenant: string) => {
      const meter = newMeter();
      await standings.of(tenant, open(meter), now(), REVOCATION_FRESH_MS);
      return meter.cost.roundTrips;
    };
    for (let index = 0; index <= 100; index += 1) {
      await table.write({ put: { ...keys.tenant(`t${index}`), active: true }, when: "absent", otherwise: fail });
      expect(await cost(`t${index}`)).toBe(1);
    }
    expect([await cost("t100"), await cost("t0")]).toEqual([0, 1]);
  });
});

describe("a token of more than a day", () => {
  const old = () => issuedAt(now() - LOG_WINDOW_MS - 1);
  const client = (more: Record<string, number> = {}) =>
    table.write({ put: { ...keys.client("client"), tenant: TENANT, ...more }, when: "any", otherwise: fail });
  test("is one that the log does not reach; others are not", () => {
    expect(isBeyondLog(old(), now())).toBe(true);
    expect(isBeyondLog(issuedAt(now() - LOG_WINDOW_MS / 2), now())).toBe(false);
  });
  test("is held against the marks of all that it depends on, in one round trip", async () => {
    await client();
    const meter = newMeter();
    expect(await revocationStore(open(meter)).isRevokedByMark(old())).toBe(false);
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
      expect(await revocationStore(table).isRevokedByMark(old())).toBe(true);
      await undo();
      expect(await revocationStore(table).isRevokedByMark(old())).toBe(false);
    }
  });
  test("goes with a client that belongs to another tenant now", async () => {
    await client();
    expect(await revocationStore(table).isRevokedByMark({ ...old(), tenant: "other.com" })).toBe(true);
  });
});
