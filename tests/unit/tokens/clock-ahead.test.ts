/**
 * What was issued or revoked under a clock that was a day ahead, once the clock is right again: such tokens are not
 * valid, and such revocations end the tokens of before and no later ones.
 */
import { describe, expect, test } from "vitest";
import type { AccessToken } from "#core/tokens/model.ts";
import { type Family, isFamilyFromFuture } from "#core/tokens/refresh-family-store.ts";
import { revocationTime, revokingRole, revokingUser } from "#core/tokens/revocation-store.ts";
import { madeAt, newReader, TOKEN_TENANT as TENANT, tokenOf, tokenWorld } from "#tests/support/token-world.ts";

const { read, write, jwtOf, opaqueOf } = tokenWorld();
const DAY_MS = 86_400_000;
const formats: [string, (token: AccessToken) => Promise<string>][] = [
  ["a JWT", jwtOf],
  ["an opaque token", opaqueOf],
];
/** A token that is issued now by a right clock, and dated after a mark. */
const datedAfter = (markMs: number) => tokenOf(Date.now(), { issuedMs: markMs });

describe.each(formats)("%s", (_, textOf) => {
  test("of a clock that is ahead is not valid until its time, with a tolerance of five seconds", async () => {
    const now = Date.now();
    for (const [aheadMs, isValid] of [
      [DAY_MS, false],
      [60_000, false],
      [7_000, false],
      [4_000, true],
      [0, true],
    ] as const) {
      const text = await textOf(tokenOf(now + aheadMs));
      expect([aheadMs, (await read(newReader(), text, now)).isValid]).toEqual([aheadMs, isValid]);
    }
  });

  test("of before a revocation by a clock that was ahead has ended; a later one is valid", async () => {
    const now = Date.now();
    const reader = newReader();
    const [before, after] = [await textOf(tokenOf(now)), await textOf(datedAfter(revocationTime(now + DAY_MS)))];
    expect((await read(reader, before, now)).isValid).toBe(true);
    await write(...madeAt(now + DAY_MS, () => revokingUser(TENANT, "user")));
    for (const each of [reader, newReader()]) {
      for (const laterMs of [31_000, 3_600_000]) {
        expect((await read(each, before, now + laterMs)).isValid).toBe(false);
        expect((await read(each, after, now + laterMs)).isValid).toBe(true);
      }
    }
  });

  test("of after such a revocation ends by the next one, of the same or another subject", async () => {
    for (const revoking of [() => revokingUser(TENANT, "user"), () => revokingRole(TENANT, "role")]) {
      const now = Date.now();
      const reader = newReader();
      await write(...madeAt(now + DAY_MS, () => revokingUser(TENANT, "user")));
      const text = await textOf(datedAfter(revocationTime(now + DAY_MS)));
      expect((await read(reader, text, now)).isValid).toBe(true);
      await write(...revoking());
      for (const each of [reader, newReader()]) {
        for (const laterMs of [31_000, DAY_MS, 2 * DAY_MS]) {
          expect((await read(each, text, now + laterMs)).isValid).toBe(false);
        }
      }
    }
  });

  test("is valid where a right revocation has replaced the mark of a clock that was ahead", async () => {
    const now = Date.now();
    await write(...madeAt(now + DAY_MS, () => revokingUser(TENANT, "user")));
    await write(...revokingUser(TENANT, "user"));
    const [old, fresh] = [
      await textOf(tokenOf(now - 1)),
      await textOf(tokenOf(now + 3_000, { issuedMs: now + 12_000 })),
    ];
    const reader = newReader();
    expect((await read(reader, old, now + 15_000)).isValid).toBe(false);
    expect((await read(reader, fresh, now + 15_000)).isValid).toBe(true);
  });
});

test("a sign-in, and its refreshed tokens, of a clock that is ahead are not valid until their time", () => {
  const now = Date.now();
  const family = (startedMs: number, rotatedMs: number, startedSeconds: number): Family => ({
    id: "f",
    tenant: TENANT,
    clientId: "client",
    applicationId: "application",
    user: { id: "user", userName: "u", userStore: "PRIMARY" },
    scopes: [],
    startedMs,
    startedSeconds,
    endsAtSeconds: 4_000_000_000,
    current: "c",
    currentUntilSeconds: 4_000_000_000,
    rotatedMs,
    access: { issuedMs: startedMs, expiresAtSeconds: 0 },
  });
  const seconds = Math.floor(now / 1_000);
  for (const [one, isAhead] of [
    [family(now, 0, seconds), false],
    [family(now + 10_000, 0, seconds), false],
    [family(now + DAY_MS, 0, seconds), false],
    [family(now, now + 20_000, seconds), false],
    [family(now + DAY_MS, 0, seconds + 86_400), true],
    [family(now, now + DAY_MS, seconds), true],
  ] as const) {
    expect(isFamilyFromFuture(one, now)).toBe(isAhead);
  }
});
