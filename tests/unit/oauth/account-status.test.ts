/** A token never rests on what was true before a revocation and is dated behind it, however reads and writes fall together. */
import { beforeEach, expect, test } from "vitest";
import { groupStore } from "#core/identities/groups/store.ts";
import { roleStore } from "#core/identities/roles/store.ts";
import { freshUser, type User } from "#core/identities/users/model.ts";
import { readAccountStatus } from "#core/oauth/account-status.ts";
import type { OAuthContext } from "#core/oauth/context.ts";
import { newMeter } from "#core/table/meter.ts";
import type { Table } from "#core/table/table.ts";
import { REVOCATION_LEAD_MS, revokingRole, revokingUser } from "#core/tokens/revocation-store.ts";
import { testTable } from "#tests/support/engine.ts";

const TENANT = "acme.com";
let table: Table;
beforeEach(async () => {
  table = (await testTable()).open(newMeter());
});
const contextAt = (now: number): OAuthContext =>
  ({ now, table, roles: roleStore(table), groups: groupStore(table) }) as unknown as OAuthContext;
const before = freshUser("user", "u", 0, { roleIds: ["role"] });

/** Finds a user as it was, and lets something happen before anybody can look further. */
const overtaken = (happens: () => Promise<void>, then: User | undefined) => {
  let looks = 0;
  return async () => {
    looks += 1;
    if (looks > 1) return then;
    await happens();
    return before;
  };
};

test("a user who is as it was", async () => {
  const now = Date.now();
  expect(await readAccountStatus(TENANT, async () => before, contextAt(now))).toMatchObject({ user: before, knownMs: 0 });
});

test("a user who is deleted while it is looked at is found to be gone", async () => {
  const find = overtaken(() => table.write(...revokingUser(TENANT, "user")), undefined);
  expect(await readAccountStatus(TENANT, find, contextAt(Date.now()))).toBeUndefined();
});

test("one that changes is looked at again, and what it brings then is dated behind the change", async () => {
  const after = { ...before, roleIds: [] };
  for (const steps of [() => revokingUser(TENANT, "user"), () => revokingRole(TENANT, "role")]) {
    const now = Date.now();
    const found = await readAccountStatus(
      TENANT,
      overtaken(() => table.write(...steps()), after),
      contextAt(now),
    );
    expect(found?.user).toBe(after);
    expect(found?.knownMs).toBeGreaterThanOrEqual(now + REVOCATION_LEAD_MS);
  }
});

test("what changes once more while it is looked at again does not count as known", async () => {
  const now = Date.now();
  let latest = 0;
  const find = async () => {
    const steps = revokingUser(TENANT, "user", now + REVOCATION_LEAD_MS + latest);
    latest += 1_000;
    await table.write(...steps);
    return before;
  };
  const found = await readAccountStatus(TENANT, find, contextAt(now));
  expect(found?.knownMs).toBe(now + REVOCATION_LEAD_MS);
  expect(found?.userFromMs).toBe(now + REVOCATION_LEAD_MS + 1_000);
});
