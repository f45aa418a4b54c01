/** The keys that sign SAML assertions: a ring for each tenant, sealed under a key of their own (decision 0196). */
import { randomBytes, sign, verify, X509Certificate } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { newSeal, samlKeysOf as sealingKeysOf } from "#core/kernel/seal.ts";
import { readRing } from "#core/tokens/key-store.ts";
import { samlKeysOf } from "#core/tokens/saml-key-store.ts";
import { newSamlKeys } from "#core/tokens/saml-keys.ts";
import { testTable } from "#tests/support/engine.ts";
import { manageKeys } from "#tools/keys.ts";

const NOW = 1_800_000_000_000;
const DAY_MS = 86_400_000;
const TENANT = "taxi.example";
const [FIRST, SECOND] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")];
const derived = (sealKey: string, former = "none") => {
  const [key = Buffer.alloc(32), ...others] = sealingKeysOf(sealKey, former)
    .split(",")
    .map((text) => Buffer.from(text, "base64"));
  return newSeal(key, others);
};
let table: Table;
beforeEach(async () => {
  table = (await testTable()).open(newMeter());
});

const read = (base64: string) => new X509Certificate(Buffer.from(base64, "base64"));

test("a tenant has a key with a self-signed certificate for years, and another tenant has another one", async () => {
  const keys = newSamlKeys(derived(FIRST));
  const { key, certificate } = await keys.signer(table, TENANT, NOW);
  const shown = read(certificate);
  expect([shown.subject, shown.verify(shown.publicKey)]).toEqual([`CN=${TENANT}`, true]);
  expect(shown.validToDate.getTime() - NOW).toBeGreaterThan(3_600 * DAY_MS);
  expect(verify("sha256", Buffer.from("x"), shown.publicKey, sign("sha256", Buffer.from("x"), key))).toBe(true);
  expect(await keys.certificates(table, TENANT, NOW)).toEqual([certificate]);
  expect((await keys.signer(table, "other.example", NOW)).certificate).not.toBe(certificate);
});

test("the keys of a former sealing key go on, and a function with another key opens none", async () => {
  const { certificate } = await newSamlKeys(derived(FIRST)).signer(table, TENANT, NOW);
  expect((await newSamlKeys(derived(SECOND, FIRST)).signer(table, TENANT, NOW)).certificate).toBe(certificate);
  await expect(newSamlKeys(derived(SECOND)).signer(table, TENANT, NOW)).rejects.toThrow(/another key/);
  expect(() => newSeal(Buffer.from(FIRST, "base64")).open(derived(FIRST).seal("x", "o"), "o")).toThrow(/another key/);
});

test("npm run keys publishes the next certificate for 30 days before its key signs", async () => {
  await bootstrapTenant(table, TENANT, { username: "boss", password: "a long enough password" });
  const samlSeal = derived(FIRST);
  const [first] = await newSamlKeys(samlSeal).certificates(table, TENANT, NOW);
  const run = (...words: string[]) => manageKeys(words, { table, seal: derived(SECOND), samlSeal }, NOW);
  expect(await run("rotate", "--saml", TENANT)).toMatch(/signs\n.* signs from /);
  const keys = newSamlKeys(samlSeal);
  const both = await keys.certificates(table, TENANT, NOW);
  expect([both.length, both[0]]).toEqual([2, first]);
  expect((await keys.signer(table, TENANT, NOW + 29 * DAY_MS)).certificate).toBe(first);
  expect((await keys.signer(table, TENANT, NOW + 31 * DAY_MS)).certificate).toBe(both[1]);
  const [{ kid } = { kid: "" }] = await readRing(table, samlKeysOf(TENANT));
  expect(await run("drop", kid, "--saml", TENANT)).toContain("Service providers refuse");
  await expect(run("list", "--saml", "nowhere.example")).rejects.toThrow("There is no tenant nowhere.example.");
  await expect(run("list", "--saml")).rejects.toThrow("npm run keys");
  await expect(run("list", "--saml", TENANT, "--events")).rejects.toThrow("npm run keys");
});
