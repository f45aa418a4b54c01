/** The keys that sign events are sealed under a key that is derived for them, which opens nothing else. */
import { randomBytes } from "node:crypto";
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { beforeEach, expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { eventKeysOf, eventSigningKeysOf, newSeal } from "#core/kernel/seal.ts";
import { newEventSigner } from "#core/tokens/event-token.ts";
import { eventKeys, readRing } from "#core/tokens/key-store.ts";
import { eventSigningSeal, eventSigningSealOf } from "#functions/seals.ts";
import { testTable } from "#tests/support/engine.ts";
import { manageKeys } from "#tools/keys.ts";

const NOW = 1_800_000_000_000;
const [FIRST, SECOND] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")];
const sealOf = (...keys: string[]) => {
  const [key = Buffer.alloc(32), ...former] = keys.map((text) => Buffer.from(text, "base64"));
  return newSeal(key, former);
};
const derived = (sealKey: string, former = "none") => sealOf(...eventSigningKeysOf(sealKey, former).split(","));
const claims = { iss: "https://id.example", aud: "a", jti: "j", sub_id: {}, events: {} };
let table: Table;
beforeEach(async () => {
  table = (await testTable()).open(newMeter());
});

const kidOf = (set: string) => JSON.parse(Buffer.from(set.split(".")[0] ?? "", "base64url").toString()).kid as string;
const verifies = async (set: string, signer: ReturnType<typeof newEventSigner>) => {
  const keySet = (await signer.keySet(table, NOW)) as unknown as JSONWebKeySet;
  return (await jwtVerify(set, createLocalJWKSet(keySet), { currentDate: new Date(NOW) })).payload.jti === "j";
};

test("keys of a sealing key and its former ones are derived, and differ by purpose", () => {
  const [own, former] = eventSigningKeysOf(FIRST, SECOND).split(",");
  expect(former).toBe(eventSigningKeysOf(SECOND, "none"));
  expect(new Set([own, former, FIRST, SECOND, ...eventKeysOf(FIRST, SECOND).split(",")]).size).toBe(6);
});

test("what delivers opens the signing keys without the sealing key, and no other secret", async () => {
  const environment = { SEAL_KEY: process.env.SEAL_KEY, EVENT_SIGNING_KEYS: process.env.EVENT_SIGNING_KEYS };
  const keys = { EVENT_KEYS: eventKeysOf(FIRST, "none"), EVENT_SIGNING_KEYS: eventSigningKeysOf(FIRST, "none") };
  const before = { EVENT_KEYS: process.env.EVENT_KEYS, ...environment };
  try {
    Object.assign(process.env, keys);
    delete process.env.SEAL_KEY;
    const signer = newEventSigner(eventSigningSeal());
    expect(await verifies(await signer.sign(table, claims, NOW), signer)).toBe(true);
    const secret = sealOf(FIRST).seal("a client secret", "owner");
    expect(() => eventSigningSeal().open(secret, "owner")).toThrow(/another key/);
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
});

test("keys of a former sealing key go on", async () => {
  const set = await newEventSigner(derived(FIRST)).sign(table, claims, NOW);
  const signer = newEventSigner(derived(SECOND, FIRST));
  expect(kidOf(await signer.sign(table, claims, NOW))).toBe(kidOf(set));
});

test("a function with another key adds none, and signs nothing", async () => {
  await newEventSigner(derived(FIRST)).sign(table, claims, NOW);
  await expect(newEventSigner(derived(SECOND)).sign(table, claims, NOW)).rejects.toThrow(/another key/);
  expect(await readRing(table, eventKeys)).toHaveLength(1);
});

test("npm run keys seals keys for what delivers", async () => {
  await newEventSigner(derived(FIRST)).sign(table, claims, NOW);
  const eventSeal = eventSigningSealOf({ key: FIRST, former: [] });
  await manageKeys(["rotate", "--now", "--events"], { table, seal: sealOf(FIRST), eventSeal }, NOW);
  const [, newest] = await readRing(table, eventKeys);
  expect(kidOf(await newEventSigner(derived(FIRST)).sign(table, claims, NOW))).toBe(newest?.kid);
  expect(await readRing(table, eventKeys)).toHaveLength(2);
});
