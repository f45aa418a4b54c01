/** Client assertions at the edges of their times, with keys of every kind, and texts that are none. */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { assertionAlgorithms } from "#core/tokens/assertion-algorithms.ts";
import { type AssertionCheck, assertedClient, verifyAssertion } from "#core/tokens/client-assertion.ts";
import { readKeySet } from "#core/tokens/key-set.ts";
import { standInKey } from "#core/tokens/stand-in-key.ts";
import { assertionOf, inline, keyFor } from "#tests/support/client-keys.ts";

const AUDIENCE = "https://id.example/oauth2/token";
const NOW = 2_000_000_000;
const client = { clientId: "client" };
const key = keyFor("ES256", "edges");
const check = (more: Partial<AssertionCheck> = {}): AssertionCheck => ({
  clientId: "client",
  issuers: new Set([AUDIENCE]),
  addresses: new Set([AUDIENCE, "https://id.example/oauth2/introspect"]),
  algorithms: undefined,
  onlyAudience: undefined,
  keys: async () => readKeySet(inline(key).value)?.keys,
  nowMs: NOW * 1_000,
  ...more,
});
const base = { iat: NOW, nbf: NOW, exp: NOW + 60, jti: "1" };
const verified = async (claims: Readonly<Record<string, unknown>>, more: Partial<AssertionCheck> = {}) =>
  verifyAssertion(await assertionOf(client, key, AUDIENCE, { claims: { ...base, ...claims } }), check(more));

describe("times, with ten seconds of tolerance", () => {
  test.each<[string, Readonly<Record<string, unknown>>, boolean]>([
    ["as usual", {}, true],
    ["without iat and nbf", { iat: undefined, nbf: undefined }, true],
    ["expired nine seconds ago", { exp: NOW - 9 }, true],
    ["expired ten seconds ago", { exp: NOW - 10 }, false],
    ["expiring in 610 seconds", { exp: NOW + 610 }, true],
    ["expiring in 611 seconds", { exp: NOW + 611 }, false],
    ["issued in ten seconds", { iat: NOW + 10 }, true],
    ["issued in eleven seconds", { iat: NOW + 11 }, false],
    ["issued 610 seconds ago", { iat: NOW - 610 }, true],
    ["issued 611 seconds ago", { iat: NOW - 611 }, false],
    ["valid in ten seconds", { nbf: NOW + 10 }, true],
    ["valid in eleven seconds", { nbf: NOW + 11 }, false],
    ["with a fraction of a second", { exp: NOW + 59.5 }, true],
  ])("%s", async (_, claims, isRight) => {
    expect((await verified(claims)) !== undefined).toBe(isRight);
  });
  test("it cannot be used again until it is refused as expired", async () => {
    expect(await verified({})).toEqual({ id: "1", expiresAtSeconds: NOW + 70 });
    expect(await verified({ exp: NOW + 59.5 })).toEqual({ id: "1", expiresAtSeconds: NOW + 70 });
  });
});

describe("audiences", () => {
  test.each<[unknown, boolean]>([
    [AUDIENCE, true],
    [[AUDIENCE], true],
    [[AUDIENCE, "https://id.example/oauth2/introspect"], true],
    ["https://id.example/oauth2/introspect", false],
    [[AUDIENCE, "https://other.example"], false],
    [[AUDIENCE, 7], false],
    [[], false],
    [7, false],
    [`${AUDIENCE}/`, false],
  ])("%j", async (aud, isRight) => {
    expect((await verified({ aud })) !== undefined).toBe(isRight);
  });
});

test("a key that the cached set lacks is looked for in a newer one, once", async () => {
  const asked: (true | undefined)[] = [];
  const keys = async (isNewer?: true) => {
    asked.push(isNewer);
    return isNewer ? readKeySet(inline(key).value)?.keys : [];
  };
  expect(await verified({}, { keys })).toBeDefined();
  expect(asked).toEqual([undefined, true]);
});

test("a fault of the keys is not a wrong assertion", async () => {
  const broken = () => Promise.reject(new Error("the table is down"));
  await expect(verified({}, { keys: broken })).rejects.toThrow("the table is down");
});

describe("keys that stand in for those of unknown clients", () => {
  let assertions: readonly (readonly [string, string])[];
  beforeAll(async () => {
    assertions = await Promise.all(
      assertionAlgorithms.map(async (alg) => {
        const kid = /^[PR]S/.test(alg) ? "an RSA key" : `stand-in ${alg}`;
        return [alg, await assertionOf(client, keyFor(alg, kid), AUDIENCE, { claims: base })] as const;
      }),
    );
  });
  test("exist for each algorithm, are made once, and verify nothing", async () => {
    for (const [alg, assertion] of assertions) {
      expect(await standInKey(alg)).toBe(await standInKey(alg));
      expect([alg, await verifyAssertion(assertion, check({ keys: async () => undefined }))]).toEqual([alg, undefined]);
    }
  });
});

test("no text is an error", async () => {
  const part = fc.oneof(
    fc.string(),
    fc.json().map((text) => Buffer.from(text).toString("base64url")),
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(".")),
  );
  await fc.assert(
    fc.asyncProperty(text, async (given) => {
      expect(await verifyAssertion(given, check())).toBeUndefined();
      const claimed = assertedClient(given);
      expect(claimed === undefined || typeof claimed === "string").toBe(true);
    }),
  );
});
