/**
 * What the authorizer reads of the revocation log is bounded, and nothing is missed by it: tokens from before what a
 * container has read are compared with their marks.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import type { Item } from "#core/database/table/table.ts";
import { newId } from "#core/kernel/ids.ts";
import { newRevocationCache, REVOCATION_FRESH_MS } from "#core/sign-in/authentication/token-validity.ts";
import { LOG_LIMITS } from "#core/tokens/known-log.ts";
import type { AccessToken } from "#core/tokens/model.ts";
import { revokingGrant, revokingUser } from "#core/tokens/revocation-store.ts";
import {
  anything,
  madeAt,
  newReader,
  rowsOf,
  TOKEN_TENANT as TENANT,
  tokenOf,
  tokenWorld,
} from "#tests/support/token-world.ts";

const world = tokenWorld();
const { load, read, write, jwtOf, opaqueOf } = world;
const HOUR_MS = 3_600_000;
const UNITS_MAX = 50;
let start = 0;
beforeEach(() => {
  start = Date.now();
});

const untilSeconds = () => Math.floor(start / 1_000) + 86_400;
/** The rows of refreshes, evenly over a time. */
const refreshes = (count: number, fromMs: number, toMs: number): Item[] =>
  Array.from({ length: count }, (_, at) => fromMs + ((toMs - fromMs) * at) / count).flatMap((ms) =>
    rowsOf(madeAt(Math.floor(ms), () => revokingGrant(TENANT, newId(), Math.floor(ms), untilSeconds()))).slice(1),
  );
const deactivations = (count: number, fromMs: number, toMs: number): Item[] =>
  Array.from({ length: count }, (_, at) => fromMs + ((toMs - fromMs) * at) / count).flatMap((ms) =>
    rowsOf(madeAt(Math.floor(ms), () => revokingUser(TENANT, newId()))).slice(1),
  );

describe("a container that starts", () => {
  test.each<[string, (token: AccessToken) => Promise<string>]>([
    ["a JWT", jwtOf],
    ["an opaque token", opaqueOf],
  ])("decides about %s with at most 50 units and two round trips, however long the logs are", async (_, textOf) => {
    await load([...refreshes(1_500, start - 23 * HOUR_MS, start), ...deactivations(600, start - 23 * HOUR_MS, start)]);
    const [good, ended, young] = [
      tokenOf(start - HOUR_MS * 20),
      tokenOf(start - HOUR_MS * 20),
      tokenOf(start + 12_000),
    ];
    await write(...madeAt(start - HOUR_MS * 19, () => revokingGrant(TENANT, ended.grantId, start, untilSeconds())));
    for (const [token, isValid] of [
      [good, true],
      [ended, false],
      [young, true],
    ] as const) {
      const text = await textOf({
        ...token,
        issuedAtSeconds: Math.min(token.issuedAtSeconds, Math.floor(start / 1e3)),
      });
      const cost = await read(newReader(), text, start);
      expect(cost.isValid).toBe(isValid);
      expect(cost.roundTrips).toBeLessThanOrEqual(2);
      expect(cost.readUnits).toBeLessThanOrEqual(UNITS_MAX);
    }
  });

  test("compares a token with its marks once; from then on new entries end it", async () => {
    await load(refreshes(700, start - HOUR_MS, start));
    const [reader, text] = [newReader(), await jwtOf(tokenOf(start - 2 * HOUR_MS))];
    expect(await read(reader, text, start)).toMatchObject({ isValid: true, roundTrips: 2 });
    expect(await read(reader, text, start + 1_000)).toMatchObject({ isValid: true, roundTrips: 0 });
    expect(await read(reader, text, start + 31_000)).toMatchObject({ isValid: true, roundTrips: 1 });
    await write(...madeAt(start + 40_000, () => revokingUser(TENANT, "user")));
    expect(await read(reader, text, start + 62_000)).toMatchObject({ isValid: false, roundTrips: 1 });
  });
});

describe("a warm container, with fifty refreshes a second", () => {
  test("reads what was added in 30 seconds in one round trip of at most 50 units, and compares no token again", async () => {
    await load(refreshes(3_000, start - 60_000, start));
    const [reader, old] = [newReader(), await jwtOf(tokenOf(start - HOUR_MS))];
    expect(await read(reader, old, start)).toMatchObject({ isValid: true, roundTrips: 2 });
    for (let at = start; at < start + 90_000; at += REVOCATION_FRESH_MS + 1) {
      await load(refreshes(1_500, at, at + REVOCATION_FRESH_MS));
      const issued = at + REVOCATION_FRESH_MS - 100;
      for (const [token, roundTrips] of [
        [old, 1],
        [await jwtOf(tokenOf(issued)), 0],
      ] as const) {
        const cost = await read(reader, token, at + REVOCATION_FRESH_MS + 1);
        expect(cost).toMatchObject({ isValid: true, roundTrips });
        expect(cost.readUnits).toBeLessThanOrEqual(UNITS_MAX);
      }
    }
  });

  test("an opaque token reads no such entry while the container is warm", async () => {
    const [reader, text] = [newReader(), await opaqueOf(tokenOf(start - 60_000))];
    await read(reader, text, start);
    await load(refreshes(1_500, start, start + 29_000));
    expect(await read(reader, text, start + 29_000)).toMatchObject({ isValid: true, roundTrips: 1, readUnits: 3 });
  });

  test("more than it reads at once sends tokens to their marks, once", async () => {
    const [reader, text] = [newReader(), await jwtOf(tokenOf(start - HOUR_MS))];
    expect(await read(reader, text, start)).toMatchObject({ isValid: true, roundTrips: 1 });
    await load(refreshes(4_000, start, start + REVOCATION_FRESH_MS));
    const cost = await read(reader, text, start + REVOCATION_FRESH_MS + 1);
    expect(cost).toMatchObject({ isValid: true, roundTrips: 2 });
    expect(cost.readUnits).toBeLessThanOrEqual(UNITS_MAX + 10);
    expect(await read(reader, text, start + REVOCATION_FRESH_MS + 2)).toMatchObject({ isValid: true, roundTrips: 0 });
  });

  test("a long pause costs no more than a start", async () => {
    const [reader, text] = [newReader(), await jwtOf(tokenOf(start - HOUR_MS))];
    await read(reader, text, start);
    await load(refreshes(1_500, start, start + HOUR_MS));
    const cost = await read(reader, text, start + HOUR_MS);
    expect(cost).toMatchObject({ isValid: true, roundTrips: 2 });
    expect(cost.readUnits).toBeLessThanOrEqual(UNITS_MAX / 2);
  });
});

describe("a damaged row of a log", () => {
  test.each<[string, Item]>([
    ["of subjects", { ...keys.revocationLog(TENANT, String(Date.now() + HOUR_MS).padStart(15, "0"), "x"), subject: 1 }],
    ["of subjects, with a key of another form", { PK: keys.revocations(TENANT), SK: "9-nonsense", subject: 7 }],
    ["of grants", { ...keys.grantLog(TENANT, "nonsense") }],
  ])("%s fails no token: the marks decide, and it is reported once", async (_, row) => {
    const [good, ended] = [await jwtOf(tokenOf(start - 1_000)), await jwtOf(tokenOf(start, { grantId: "ended" }))];
    await write(...revokingGrant(TENANT, "ended", start + 10_000, untilSeconds()));
    await write(anything(row));
    const damages: Error[] = [];
    const reader = newReader(newRevocationCache((damage) => damages.push(damage)));
    for (const [at, roundTrips] of [
      [start, 2],
      [start + 1, 0],
      [start + 31_000, 1],
    ] as const) {
      expect(await read(reader, good, at)).toMatchObject({ isValid: true, roundTrips });
    }
    expect((await read(reader, ended, start + 31_001)).isValid).toBe(false);
    expect(damages.map(({ message }) => message)).toEqual([expect.stringContaining(JSON.stringify(row.SK))]);
  });
});

test("a container whose clock is set back sees revocations at once", async () => {
  const [reader, text] = [newReader(), await jwtOf(tokenOf(start - HOUR_MS))];
  expect((await read(reader, text, start + 23 * HOUR_MS)).isValid).toBe(true);
  await write(...revokingUser(TENANT, "user"));
  expect((await read(reader, text, start)).isValid).toBe(false);
});

test("a container that sees ever new subjects forgets old ones, and misses no revocation", async () => {
  const reader = newReader(newRevocationCache(undefined, { ...LOG_LIMITS, generation: 100 }));
  const [text, ended] = [await jwtOf(tokenOf(start)), await jwtOf(tokenOf(start, { grantId: "ended" }))];
  await write(...revokingGrant(TENANT, "ended", start + 10_000, untilSeconds()));
  expect([(await read(reader, text, start)).isValid, (await read(reader, ended, start)).isValid]).toEqual([
    true,
    false,
  ]);
  for (let round = 0; round < 9; round += 1) {
    const at = start + round * 40_000;
    await load(refreshes(90, at, at + 26_000));
    expect((await read(reader, text, at + 40_000)).isValid).toBe(true);
    expect((await read(reader, ended, at + 40_000)).isValid).toBe(false);
  }
});

describe("a container that reads only the newest entries", () => {
  const one = { first: 1, further: 2 };
  const limits = { subjects: one, grants: one, generation: 100 };
  const small = () => newReader(newRevocationCache(undefined, limits));

  test("does not trust its log about a token from within the lead of an entry that it did not read", async () => {
    await write(...madeAt(start, () => revokingUser(TENANT, "user")));
    await write(...madeAt(start + 5_000, () => revokingUser(TENANT, "another")));
    // It was issued on the state from before the revocation, which took long to commit.
    const text = await jwtOf(tokenOf(start + 6_000, { issuedAtSeconds: Math.floor(start / 1_000) }));
    expect((await read(small(), text, start + 7_000)).isValid).toBe(false);
  });

  test("compares a token with its marks again when it may have missed an entry", async () => {
    await load(refreshes(5, start - HOUR_MS, start));
    const reader = small();
    const token = tokenOf(start - 2 * HOUR_MS);
    const text = await jwtOf(token);
    expect(await read(reader, text, start)).toMatchObject({ isValid: true, roundTrips: 2 });
    expect(await read(reader, text, start + 1)).toMatchObject({ isValid: true, roundTrips: 0 });
    await write(...madeAt(start + 1_000, () => revokingGrant(TENANT, token.grantId, start + 11_000, untilSeconds())));
    await load(refreshes(5, start + 2_000, start + 3_000));
    expect(await read(reader, text, start + 31_000)).toMatchObject({ isValid: false, roundTrips: 2 });
  });
});
