/** JWK sets at addresses of clients: how often an address is read, and which set counts. */
import { describe, expect, test } from "vitest";
import { newRemoteKeySets } from "#core/tokens/remote-documents.ts";

const [SECOND, MINUTE] = [1_000, 60_000];
const AT = "https://client.example/jwks";
const x = Buffer.alloc(32, 1).toString("base64url");

/** A cache with a clock that a test moves, over addresses whose documents a test sets. */
const cache = () => {
  let nowMs = 1_000_000;
  let document: (address: string) => Promise<string> | string = () => setOf("a");
  const asked: string[] = [];
  const sets = newRemoteKeySets(
    async (address) => {
      asked.push(address);
      return Buffer.from(await document(address));
    },
    { now: () => nowMs },
  );
  return {
    asked,
    idOf: async (address = AT, isNewer?: true) => (await sets.at(address, isNewer))?.keys.map(({ kid }) => kid).join(),
    later: (ms: number) => {
      nowMs += ms;
    },
    serves: (next: typeof document) => {
      document = next;
    },
  };
};
const setOf = (kid: string) => JSON.stringify({ keys: [{ kty: "OKP", crv: "Ed25519", x, kid }] });
const down = () => Promise.reject(new Error("down"));

describe("a set", () => {
  test("is read once in ten minutes, and then again", async () => {
    const { asked, idOf, later, serves } = cache();
    expect(await idOf()).toBe("a");
    serves(() => setOf("b"));
    later(10 * MINUTE);
    expect([await idOf(), asked.length]).toEqual(["a", 1]);
    later(SECOND);
    expect([await idOf(), asked.length]).toEqual(["b", 2]);
  });
  test("is read again for a key that it lacks, at most every 30 seconds", async () => {
    const { asked, idOf, later, serves } = cache();
    await idOf();
    serves(() => setOf("b"));
    later(29 * SECOND);
    for (let at = 0; at < 50; at += 1) expect(await idOf(AT, true)).toBe("a");
    expect(asked).toHaveLength(1);
    later(SECOND);
    expect([await idOf(AT, true), asked.length]).toEqual(["b", 2]);
    for (let at = 0; at < 50; at += 1) await idOf(AT, true);
    expect(asked).toHaveLength(2);
  });
  test("is read once for many requests at the same time", async () => {
    const { asked, idOf } = cache();
    expect(new Set(await Promise.all(Array.from({ length: 20 }, () => idOf())))).toEqual(new Set(["a"]));
    expect(asked).toHaveLength(1);
  });
  test("is used for an hour while its address does not respond, which is asked every 30 seconds at most", async () => {
    const { asked, idOf, later, serves } = cache();
    await idOf();
    serves(down);
    later(11 * MINUTE);
    expect([await idOf(), await idOf(), asked.length]).toEqual(["a", "a", 2]);
    later(49 * MINUTE);
    expect(await idOf()).toBe("a");
    later(SECOND);
    expect(await idOf()).toBeUndefined();
    serves(() => setOf("b"));
    later(30 * SECOND);
    expect(await idOf()).toBe("b");
  });
  test("that cannot be read at first is asked for every 30 seconds at most", async () => {
    const { asked, idOf, later, serves } = cache();
    serves(down);
    for (let at = 0; at < 20; at += 1) expect(await idOf(AT, true)).toBeUndefined();
    expect(asked).toHaveLength(1);
    serves(() => "no JSON");
    later(30 * SECOND);
    expect([await idOf(), asked.length]).toEqual([undefined, 2]);
    serves(() => setOf("a"));
    later(30 * SECOND);
    expect(await idOf()).toBe("a");
  });
  test("of one address does not count for another", async () => {
    const { idOf, serves } = cache();
    serves((address) => setOf(address));
    expect([await idOf("https://a.example"), await idOf("https://b.example")]).toEqual([
      "https://a.example",
      "https://b.example",
    ]);
  });
});

test("at most 200 sets are kept", async () => {
  const { asked, idOf } = cache();
  const addresses = Array.from({ length: 201 }, (_, at) => `https://client-${at}.example`);
  for (const address of addresses) await idOf(address);
  await idOf(addresses[200]);
  expect(asked).toHaveLength(201);
  await idOf(addresses[0]);
  expect(asked).toHaveLength(202);
});
