/** The RSA keys of ID tokens: made once, sealed, rotated like those of access tokens, and of no use for these. */
import { randomBytes } from "node:crypto";
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { beforeEach, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { newSeal } from "#core/kernel/seal.ts";
import { newIdTokenKeys } from "#core/tokens/id-token-keys.ts";
import { issuerAt, readAccessToken } from "#core/tokens/jwt.ts";
import { newSigningKeys, newVerifyingKeys } from "#core/tokens/key-cache.ts";
import { rsaJwks } from "#core/tokens/key-kinds.ts";
import { LEAD_MS } from "#core/tokens/key-ring.ts";
import { idTokenKeys, readRing, ringStore } from "#core/tokens/key-store.ts";
import { testTable } from "#tests/support/engine.ts";
import { manageKeys } from "#tools/keys.ts";

const NOW = 1_800_000_000_000;
const CLAIMS = { iss: "https://id.example/oauth2/token", sub: "u", aud: "a" };
const seal = newSeal(randomBytes(32));
const opened = () => newIdTokenKeys(seal, newSigningKeys(seal));
let table: Table;
beforeEach(async () => {
  table = (await testTable()).open(newMeter());
});
const ring = () => readRing(table, idTokenKeys);
const kidOf = (text: string) => decodeProtectedHeader(text).kid;

test("ten containers at once make one key, which signs what the published half verifies", async () => {
  const containers = Array.from({ length: 10 }, opened);
  const tokens = await Promise.all(containers.map((each) => each.sign(table, CLAIMS, "RS256", 60, NOW)));
  const published = await ring();
  expect([published.length, new Set(tokens.map(kidOf)).size]).toEqual([1, 1]);
  const keySet = createLocalJWKSet({ keys: published.flatMap(rsaJwks).map((jwk) => ({ ...jwk })) });
  const { payload, protectedHeader } = await jwtVerify(tokens[0] ?? "", keySet, { currentDate: new Date(NOW) });
  expect([payload.sub, protectedHeader]).toEqual(["u", { alg: "RS256", typ: "JWT", kid: published[0]?.kid }]);
});

test("the private half is stored sealed, and not under another key", async () => {
  await opened().sign(table, CLAIMS, "RS256", 60, NOW);
  const row = await table.get(keys.idTokenSigningKeys());
  expect(String(row?.sealed)).toMatch(/^s1\.[\w-]+\.[\w-]+$/);
  expect(JSON.stringify(row)).not.toContain('"d"');
  const other = newSeal(randomBytes(32));
  await expect(newIdTokenKeys(other, newSigningKeys(other)).sign(table, CLAIMS, "RS256", 60, NOW)).rejects.toThrow();
});

test("a new key is published first and signs later; the former one stays for its last token", async () => {
  const before = await opened().sign(table, CLAIMS, "RS256", 2 * 86_400, NOW);
  await ringStore(table, seal, { place: idTokenKeys }).add(NOW, NOW + LEAD_MS);
  expect(kidOf(await opened().sign(table, CLAIMS, "RS256", 60, NOW + LEAD_MS - 1))).toBe(kidOf(before));
  expect(kidOf(await opened().sign(table, CLAIMS, "RS256", 60, NOW + LEAD_MS))).not.toBe(kidOf(before));
  // The longest token of the first key lives two days.
  expect((await ring())[0]?.longestLifeSeconds).toBe(2 * 86_400);
});

test("ES256 is signed by the keys of access tokens, and is no access token", async () => {
  const text = await opened().sign(table, CLAIMS, "ES256", 60, NOW);
  expect(decodeProtectedHeader(text)).toMatchObject({ alg: "ES256", typ: "JWT" });
  expect(await ring()).toEqual([]);
  for (const token of [text, await opened().sign(table, CLAIMS, "RS256", 60, NOW)]) {
    const issuer = issuerAt("https://id.example");
    expect(await readAccessToken(token, newVerifyingKeys().at(table, NOW), issuer, NOW)).toBeUndefined();
  }
});

test("the command lists, rotates and drops them", async () => {
  const place = { table, seal };
  expect(await manageKeys(["list", "--id-tokens"], place, NOW)).toContain("The first ID token creates one.");
  expect((await manageKeys(["rotate", "--now", "--id-tokens"], place, NOW)).split("\n")).toHaveLength(2);
  const [first] = await ring();
  expect(await manageKeys(["drop", first?.kid ?? "", "--id-tokens"], place, NOW)).toContain(
    "Applications refuse ID tokens",
  );
  expect((await ring()).map(({ kid }) => kid)).not.toContain(first?.kid);
  await expect(manageKeys(["list", "--id-tokens", "--events"], place, NOW)).rejects.toThrow("npm run keys");
});
