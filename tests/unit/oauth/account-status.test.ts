/**
 * A token that is dated after a revocation is never based on data from before it, however reads and writes interleave.
 */
import { beforeEach, expect, test } from "vitest";
import { apiResourceStore } from "#core/applications/apis/store.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { groupStore } from "#core/directory/groups/store.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { freshUser, type User } from "#core/directory/users/model.ts";
import { readAccountStatus } from "#core/sign-in/oauth/account-status.ts";
import type { OAuthContext } from "#core/sign-in/oauth/context.ts";
import { REVOCATION_LEAD_MS, revokingRole, revokingUser } from "#core/tokens/revocation-store.ts";
import { testTable } from "#tests/support/engine.ts";

const TENANT = "acme.com";
let table: Table;
beforeEach(async () => {
  table = (await testTable()).open(newMeter());
});
const contextAt = (now: number): OAuthContext =>
  ({
    now,
    table,
    roles: roleStore(table),
    groups: groupStore(table),
    apiResources: apiResourceStore(table),
  }) as unknown as OAuthContext;
const statusOf = (find: () => Promise<User | undefined>, now: number) =>
  readAccountStatus({ tenant: TENANT, names: [], clientId: "c", find }, contextAt(now));
const before = freshUser("user", "u", 0, { roleIds: ["role"] });

/** Returns a user as it was, and makes a change before anything else is read. */
const overtaken = (happens: () => Promise<void>, then: User | undefined) => {
  let looks = 0;
  return async () => {
    looks += 1;
    if (looks > 1) return then;
    await happens();
    return before;
  };
};

test("reads an unchanged user once", async () => {
  const now = Date.now();
  expect(await statusOf(async () => before, now)).toMatchObject({
    user: before,
    knownMs: 0,
  });
});

test("finds no user that is deleted during the read", async () => {
  const find = overtaken(() => table.write(...revokingUser(TENANT, "user")), undefined);
  expect(await statusOf(find, Date.now())).toBeUndefined();
});

test("reads a user that changes during the read again, and dates the result after the change", async () => {
  const after = { ...before, roleIds: [] };
  for (const steps of [() => revokingUser(TENANT, "user"), () => revokingRole(TENANT, "role")]) {
    const now = Date.now();
    const found = await statusOf(
      overtaken(() => table.write(...steps()), after),
      now,
    );
    expect(found?.user).toBe(after);
    expect(found?.knownMs).toBeGreaterThanOrEqual(now + REVOCATION_LEAD_MS);
  }
});

test("does not date the result after a change during the second read", async () => {
  const now = Date.now();
  let latest = 0;
  const find = async () => {
    const steps = revokingUser(TENANT, "user", now + REVOCATION_LEAD_MS + latest);
    latest += 1_000;
    await table.write(...steps);
    return before;
  };
  const found = await statusOf(find, now);
  expect(found?.knownMs).toBe(now + REVOCATION_LEAD_MS);
  expect(found?.userFromMs).toBe(now + REVOCATION_LEAD_MS + 1_000);
});
