/** The key ring in the table: creation, rotation, removal, and the caches of containers. */
import { createPrivateKey, createPublicKey, randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { newSeal } from "#core/kernel/seal.ts";
import { issuerAt, type publicKey, readAccessToken } from "#core/tokens/jwt.ts";
import { newSigningKeys, newVerifyingKeys } from "#core/tokens/key-cache.ts";
import { LEAD_MS, LIFE_SECONDS } from "#core/tokens/key-ring.ts";
import { keyStore, readRing } from "#core/tokens/key-store.ts";
import type { AccessToken } from "#core/tokens/model.ts";
import { VerifiedJwts } from "#core/tokens/verified-jwts.ts";
import { testTable } from "#tests/support/engine.ts";
import { manageKeys } from "#tools/keys.ts";

const NOW = 1_800_000_000_000;
const seal = newSeal(randomBytes(32));
const issuer = issuerAt("https://id.example");
let open: Awaited<ReturnType<typeof testTable>>["open"];
let table: Table;
beforeEach(async () => {
  ({ open } = await testTable());
  table = open(newMeter());
});

const token = (nowMs: number, lifeSeconds = 3_600): AccessToken => ({
  tenant: "carbon.super",
  clientId: "c",
  applicationId: "a",
  scopes: ["s"],
  roleIds: [],
  grantId: "g",
  issuedAtSeconds: Math.floor(nowMs / 1_000),
  issuedMs: nowMs,
  expiresAtSeconds: Math.floor(nowMs / 1_000) + lifeSeconds,
});
const signed = (keys: ReturnType<typeof newSigningKeys>, nowMs: number, lifeSeconds?: number) =>
  keys.sign(table, token(nowMs, lifeSeconds), "id", issuer, nowMs);
const isGood = async (text: string, nowMs: number, keys = newVerifyingKeys()) =>
  (await readAccessToken(text, keys.at(table, nowMs), issuer, nowMs)) !== undefined;
const kidOf = (text: string) => JSON.parse(Buffer.from(text.split(".")[0] ?? "", "base64url").toString()).kid;

describe("the first key", () => {
  test("of many concurrent containers one creates it, and all sign with it", async () => {
    const texts = await Promise.all(Array.from({ length: 20 }, () => signed(newSigningKeys(seal), NOW)));
    const ring = await readRing(table);
    expect(ring).toHaveLength(1);
    expect(new Set(texts.map(kidOf))).toEqual(new Set([ring[0]?.kid]));
    for (const text of texts) expect(await isGood(text, NOW)).toBe(true);
  });
  test("its private half is stored sealed, in another row than the public half, and opens under this seal only", async () => {
    const { secrets, ring } = await keyStore(table, seal).open(NOW);
    const [kid = "", d = ""] = [...secrets][0] ?? [];
    const items = await Promise.all(["G#KEYS", "G#SIGN"].map((PK) => table.get({ PK, SK: "A" })));
    expect(JSON.stringify(items)).not.toContain(d);
    expect(JSON.stringify(items[1])).not.toContain(kid);
    await expect(keyStore(table, newSeal(randomBytes(32))).open(NOW)).rejects.toThrow();
    const { x = "", y = "" } = ring[0] ?? {};
    const made = createPublicKey(createPrivateKey({ key: { kty: "EC", crv: "P-256", x, y, d }, format: "jwk" }));
    expect(made.export({ format: "jwk" })).toMatchObject({ x, y });
  });
});

describe("rotation", () => {
  test("publishes the new key at once and signs with it later; accepts the old key until its tokens have expired", async () => {
    const container = newSigningKeys(seal);
    const before = await signed(container, NOW);
    await keyStore(table, seal).add(NOW, NOW + LEAD_MS);
    const ring = await readRing(table);
    expect(ring).toHaveLength(2);
    expect(kidOf(await signed(container, NOW + LEAD_MS - 60_000))).toBe(kidOf(before));
    const last = await signed(container, NOW + LEAD_MS - 1, LIFE_SECONDS);
    const after = await signed(container, NOW + LEAD_MS + 60_000);
    expect(kidOf(after)).toBe(ring[1]?.kid);
    const nearlyOver = NOW + LEAD_MS - 2_000 + LIFE_SECONDS * 1_000;
    expect([await isGood(before, NOW + 3_000_000), await isGood(last, nearlyOver)]).toEqual([true, true]);
    expect(await isGood(after, NOW + LEAD_MS + 120_000)).toBe(true);
  });
  test("removes the private half of a key that does not sign any more with the next change", async () => {
    const keys = keyStore(table, seal);
    const first = [...(await keys.open(NOW)).secrets.keys()];
    await keys.add(NOW, NOW);
    const { secrets, ring } = await keys.open(NOW + 1);
    expect(ring).toHaveLength(2);
    expect([...secrets.keys()]).not.toEqual(expect.arrayContaining(first));
  });
  test("concurrent rotations add all keys", async () => {
    await Promise.all(Array.from({ length: 10 }, (_, index) => keyStore(table, seal).add(NOW, NOW + index)));
    expect(await readRing(table)).toHaveLength(10);
  });
  test("a token with a longer life extends the acceptance of its key", async () => {
    const container = newSigningKeys(seal);
    const long = await signed(container, NOW, 40 * LIFE_SECONDS);
    await keyStore(table, seal).add(NOW, NOW);
    const late = NOW + 39 * LIFE_SECONDS * 1_000;
    expect(await isGood(long, late)).toBe(true);
    await keyStore(table, seal).add(late, late);
    expect(await isGood(long, late)).toBe(true);
  });
  test("an old key is accepted for no longer than tokens may live now, whatever was asked of it before", async () => {
    const longest = 2_147_483_647;
    const text = await signed(newSigningKeys(seal), NOW, longest);
    await keyStore(table, seal).add(NOW, NOW);
    expect(await isGood(text, NOW + 100 * LIFE_SECONDS * 1_000)).toBe(true);
    const limited = newSigningKeys(seal, { lifeSecondsMax: 30 * LIFE_SECONDS });
    await signed(limited, NOW);
    expect(await isGood(text, NOW + 29 * LIFE_SECONDS * 1_000)).toBe(true);
    expect(await isGood(text, NOW + 31 * LIFE_SECONDS * 1_000)).toBe(false);
    // A shorter limit than the usual life of a key holds for new keys too.
    const brief = newSigningKeys(seal, { lifeSecondsMax: 600 });
    await signed(brief, NOW);
    await keyStore(table, seal, { lifeSecondsMax: 600 }).add(NOW, NOW + 1);
    expect((await readRing(table)).map(({ longestLifeSeconds }) => longestLifeSeconds)).toEqual([600, 600, 600]);
  });
  test("the ring is shortened once: later containers only read", async () => {
    await signed(newSigningKeys(seal), NOW, 40 * LIFE_SECONDS);
    const cost = async () => {
      const meter = newMeter();
      await newSigningKeys(seal, { lifeSecondsMax: LIFE_SECONDS }).ring(open(meter), NOW);
      return [meter.cost.roundTrips, meter.cost.writeUnits > 0];
    };
    expect([await cost(), await cost()]).toEqual([
      [2, true],
      [1, false],
    ]);
  });
  test("a verifying container reads a new key when it first sees a token of it", async () => {
    const verifying = newVerifyingKeys();
    const first = await signed(newSigningKeys(seal), NOW);
    expect(await isGood(first, NOW, verifying)).toBe(true);
    await keyStore(table, seal).add(NOW, NOW);
    const second = await signed(newSigningKeys(seal), NOW);
    expect(kidOf(second)).not.toBe(kidOf(first));
    expect(await isGood(second, NOW + 6_000, verifying)).toBe(true);
  });
  test("a dropped key is refused within the life of a container's cache; another key signs", async () => {
    const [signing, verifying] = [newSigningKeys(seal), newVerifyingKeys()];
    const text = await signed(signing, NOW);
    expect(await isGood(text, NOW, verifying)).toBe(true);
    expect(await keyStore(table, seal).drop(kidOf(text), NOW)).toBe(true);
    expect(await isGood(text, NOW + 31_000, verifying)).toBe(false);
    const next = await signed(signing, NOW + 31_000);
    expect([kidOf(next) === kidOf(text), await isGood(next, NOW + 31_000, verifying)]).toEqual([false, true]);
    expect(await keyStore(table, seal).drop("nobody", NOW)).toBe(false);
  });
});

describe("costs", () => {
  test("no round trip while the ring is fresh; unknown key ids cause at most one read every 5 seconds", async () => {
    const signing = newSigningKeys(seal);
    const text = await signed(signing, NOW);
    const verifying = newVerifyingKeys();
    const cost = async (what: (own: Table) => Promise<unknown>) => {
      const meter = newMeter();
      await what(open(meter));
      return meter.cost.roundTrips;
    };
    const verify = (nowMs: number, kid?: string) => (own: Table) =>
      kid === undefined
        ? readAccessToken(text, verifying.at(own, nowMs), issuer, nowMs)
        : verifying.at(own, nowMs)(kid);
    expect(await cost(verify(NOW))).toBe(1);
    expect(await cost(verify(NOW + 29_000))).toBe(0);
    expect(await cost(verify(NOW + 29_000, "stranger"))).toBe(1);
    for (let index = 0; index < 50; index += 1) {
      expect(await cost(verify(NOW + 30_000 + index, `stranger ${index}`))).toBe(0);
    }
    expect(await cost((own) => signing.sign(own, token(NOW), "id", issuer, NOW))).toBe(0);
  });
});

describe("npm run keys", () => {
  const run = (...words: string[]) => manageKeys(words, { table, seal }, NOW);
  test("list, rotate, rotate --now, drop", async () => {
    expect(await run("list")).toMatch(/^There are no keys yet\./);
    const rotated = (await run("rotate")).split("\n");
    expect(rotated).toEqual([
      expect.stringMatching(/^\S{43} {2}signs$/),
      expect.stringMatching(/^\S{43} {2}signs from 20\d\d-/),
    ]);
    const now = (await run("rotate", "--now")).split("\n");
    expect(now.map((line) => line.slice(45).split(" ")[0])).toEqual(["is", "signs", "signs"]);
    const [kid = ""] = now[1]?.split(" ") ?? [];
    expect(await run("drop", kid)).not.toContain(kid);
  });
  test("with --events: the keys of security events, and none of tokens", async () => {
    const [line = ""] = (await run("rotate", "--now", "--events")).split("\n").slice(-1);
    expect(line).toMatch(/^\S{43} {2}signs$/);
    expect(await run("list", "--events")).toContain(line);
    expect(await run("list")).toMatch(/^There are no keys yet\./);
    await expect(run("drop", line.split(" ")[0] ?? "")).rejects.toThrow("There is no key");
    expect(await run("drop", line.split(" ")[0] ?? "", "--events")).not.toContain(line);
  });
  test.each([[], ["rotate", "--soon"], ["drop"], ["list", "x"], ["constructor"]])(
    "%j is not a command",
    async (...words) => {
      await expect(run(...words.flat())).rejects.toThrow("npm run keys -- list");
      expect(await readRing(table)).toEqual([]);
    },
  );
  test("an unknown key cannot be dropped", async () => {
    await expect(run("drop", "nobody")).rejects.toThrow("There is no key nobody.");
  });
});

describe("a signature that a container has verified", () => {
  const reading = (verified: VerifiedJwts, keys = newVerifyingKeys()) => {
    return async (text: string, nowMs: number) =>
      (await readAccessToken(text, keys.at(table, nowMs), issuer, nowMs, { verified })) !== undefined;
  };
  test("is not verified again, and that of any other text is", async () => {
    const text = await signed(newSigningKeys(seal), NOW);
    const isValid = reading(new VerifiedJwts());
    const verify = vi.spyOn(crypto.subtle, "verify");
    expect([await isValid(text, NOW), await isValid(text, NOW + 1_000)]).toEqual([true, true]);
    expect(verify).toHaveBeenCalledTimes(1);
    const [head, claims = "", signature] = text.split(".");
    const changed = `${claims[0]}${claims[1] === "A" ? "B" : "A"}${claims.slice(2)}`;
    expect(await isValid([head, changed, signature].join("."), NOW)).toBe(false);
    expect(verify).toHaveBeenCalledTimes(2);
    verify.mockRestore();
  });
  test("does not make an expired token valid, nor one from the future, nor one whose key is not accepted any more", async () => {
    const text = await signed(newSigningKeys(seal), NOW, 60);
    const isValid = reading(new VerifiedJwts());
    expect([await isValid(text, NOW), await isValid(text, NOW + 60_000)]).toEqual([true, false]);
    expect(await isValid(text, NOW - 10_000)).toBe(false);
    expect(await isValid(text, NOW + 1_000)).toBe(true);
    await keyStore(table, seal).drop(kidOf(text), NOW);
    expect(await isValid(text, NOW + 32_000)).toBe(false);
  });
  test("counts under the key that it was verified with only", async () => {
    const text = await signed(newSigningKeys(seal), NOW);
    const verified = new VerifiedJwts();
    expect(await reading(verified)(text, NOW)).toBe(true);
    const { publicKey: other } = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
      "verify",
      "sign",
    ]);
    expect(await readAccessToken(text, async () => other, issuer, NOW, { verified })).toBeUndefined();
  });
  test("is forgotten for the newest of a thousand others", () => {
    const verified = new VerifiedJwts();
    const entry = { kid: "k", key: {} as Awaited<ReturnType<typeof publicKey>>, payload: {} };
    for (let at = 0; at <= 1_000; at += 1) verified.set(`token ${at}`, entry);
    expect([verified.get("token 0"), verified.get("token 1")]).toEqual([undefined, entry]);
  });
});
