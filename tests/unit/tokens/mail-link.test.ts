/** Links in mails: each counts in its tenant, for its purpose, until its end, and once. */
import { beforeEach, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { freshUser } from "#core/directory/users/model.ts";
import { usableLink } from "#core/sign-in/recovery/reset.ts";
import {
  addingLink,
  addressDigest,
  findLink,
  LINK_SECONDS,
  LinkEnded,
  usingLink,
} from "#core/tokens/mail-link-store.ts";
import { digestOf } from "#core/tokens/opaque.ts";
import { testTable } from "#tests/support/engine.ts";

const START = Date.parse("2026-01-01T00:00:00Z");
const purpose = "password-link";
const tenant = "acme.com";

let table: Table;
let handle: string;
beforeEach(async () => {
  table = (await testTable()).open(newMeter());
  const issued = { issuedAtSeconds: START / 1_000, issuedMs: START };
  const link = addingLink({ purpose, tenant, userId: "kim", address: "digest", ...issued });
  handle = link.handle;
  await table.write(link.step);
});
const END = START + LINK_SECONDS[purpose] * 1_000;

describe("a link", () => {
  test("is found in its tenant, for its purpose, until its end", async () => {
    const found = await findLink(table, handle, { purposes: [purpose], tenant }, END - 1);
    expect(found).toMatchObject({ purpose, tenant, userId: "kim" });
  });
  test.each([
    ["in another tenant", { purposes: [purpose], tenant: "other.com" }, START],
    ["for another purpose", { purposes: ["password-reset", "invitation", "address-check"], tenant }, START],
    ["at its end", { purposes: [purpose], tenant }, END],
  ] as const)("is not found %s", async (_, wanted, nowMs) => {
    expect(await findLink(table, handle, wanted, nowMs)).toBeUndefined();
  });
  test("is used by one of several that have found it", async () => {
    const found = await findLink(table, handle, { purposes: [purpose], tenant }, START);
    if (!found) throw new Error("the link was not found");
    const uses = await Promise.allSettled(Array.from({ length: 4 }, () => table.write(usingLink(found))));
    expect(uses.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const use of uses) if (use.status === "rejected") expect(use.reason).toBeInstanceOf(LinkEnded);
    expect(await findLink(table, handle, { purposes: [purpose], tenant }, START)).toBeUndefined();
  });
  test("is stored without its handle", async () => {
    const row = await table.get(keys.mailLink(digestOf(handle)));
    expect(row).toBeDefined();
    expect(JSON.stringify(row)).not.toContain(handle);
  });
});

describe("a link for a password", () => {
  const profile = { emails: [{ value: "kim@example.com", primary: true }] };
  const user = freshUser("kim", "kim", START, { profile, hasPassword: true });
  const usable = async (address: string) => {
    const issued = { issuedAtSeconds: START / 1_000, issuedMs: START };
    const link = addingLink({ purpose, tenant, userId: user.id, address: addressDigest(address), ...issued });
    await table.write(link.step);
    const users = { find: async () => user };
    return (await usableLink(link.handle, [purpose], tenant, { table, users, now: START })) !== undefined;
  };
  // The function of mails may write a link for the address that it has read just before that was changed.
  test("counts for the address alone that the user has, however late it was written", async () => {
    expect([await usable("kim@example.com"), await usable("former@example.com")]).toEqual([true, false]);
  });
});
