/** Rows of consents: one is stored in place of the very one that was read. */
import { beforeEach, expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import { isStale } from "#core/database/table/stale.ts";
import type { Step, Table } from "#core/database/table/table.ts";
import { findConsent, removingConsent, storingConsent } from "#core/sign-in/sessions/consent-store.ts";
import { testTable } from "#tests/support/engine.ts";

const [tenant, userId, applicationId] = ["acme.com", "8c5a8c1c-6a5f-4a63-9d5e-5a4a1a7c0001", "cars"] as const;
const owner = { tenant, userId, applicationId };
const given = (...scopes: readonly string[]) => ({ scopes, claims: [], givenMs: 1_000 });
const found = () => findConsent(table, tenant, userId, applicationId);
const isRefused = (step: Step) => table.write(step).then(() => false, isStale);
let table: Table;

beforeEach(async () => {
  table = (await testTable()).open(newMeter());
});

test("a consent of the same millisecond is another one", async () => {
  await table.write(storingConsent(owner, undefined, given("a", "b")));
  const before = await found();
  await table.write(removingConsent(tenant, userId, applicationId));
  expect(await isRefused(storingConsent(owner, before, given("c")))).toBe(true);
  await table.write(storingConsent(owner, undefined, given("a")));
  expect(await isRefused(storingConsent(owner, before, given("c")))).toBe(true);
  expect(await isRefused(storingConsent(owner, undefined, given("c")))).toBe(true);
  await table.write(storingConsent(owner, await found(), given("c")));
  expect(await found()).toMatchObject({ scopes: ["a", "c"] });
});

test("a step that is repeated because its response was lost finds its own consent", async () => {
  const step = storingConsent(owner, undefined, given("a"));
  await table.write(step);
  await table.write(step);
  expect(await found()).toMatchObject({ scopes: ["a"] });
});
