import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { canarySecretOf, cursorKeyOf, newSeal, nonceKeyOf, randomText } from "#core/kernel/seal.ts";
import { canaryClientIdOf } from "#core/service/health/model.ts";

const seal = newSeal(randomBytes(32));

describe("the key of cursors", () => {
  const key = randomBytes(32).toString("base64");
  const sealOf = (text: string) => newSeal(Buffer.from(text, "base64"));

  test("is the same for the same sealing key, and another one for another", () => {
    expect(cursorKeyOf(key)).toBe(cursorKeyOf(key));
    expect(cursorKeyOf(key)).not.toBe(cursorKeyOf(randomBytes(32).toString("base64")));
    // Instances of other versions, and of other regions, derive the same key.
    expect(cursorKeyOf(Buffer.alloc(32, 7).toString("base64"))).toBe("mnQIKqRlDyZvBNdD0edMgLLNXYCa7N/zAYgsamtOKDI=");
    expect(() => cursorKeyOf(randomBytes(16).toString("base64"))).toThrow("32 bytes");
  });
  test("opens nothing that the sealing key has sealed, and neither does that key open cursors", () => {
    const [secrets, cursors] = [sealOf(key), sealOf(cursorKeyOf(key))];
    expect(() => cursors.open(secrets.seal("secret", "tenant/app"), "tenant/app")).toThrow(/another key/);
    expect(() => secrets.open(cursors.seal("{}", "cursor"), "cursor")).toThrow(/another key/);
  });
});

test("the key of nonces is derived in the same way, and is another one", () => {
  const key = Buffer.alloc(32, 7).toString("base64");
  expect(nonceKeyOf(key)).toBe(nonceKeyOf(key));
  expect(nonceKeyOf(key)).not.toBe(cursorKeyOf(key));
  expect(Buffer.from(nonceKeyOf(key), "base64")).toHaveLength(32);
  expect(() => nonceKeyOf(randomBytes(16).toString("base64"))).toThrow("32 bytes");
});

describe("the secret of the synthetic check", () => {
  const key = Buffer.alloc(32, 7).toString("base64");
  test("is the same for the same sealing key, another one for another, and not the key of cursors", () => {
    expect(canarySecretOf(key)).toBe(canarySecretOf(key));
    expect(canarySecretOf(key)).toMatch(/^[\w-]{43}$/);
    expect(canarySecretOf(key)).not.toBe(canarySecretOf(randomBytes(32).toString("base64")));
    expect(Buffer.from(canarySecretOf(key), "base64url").toString("base64")).not.toBe(cursorKeyOf(key));
    expect(() => canarySecretOf(randomBytes(16).toString("base64"))).toThrow("32 bytes");
  });
  test("gives the client an id that does not contain it", () => {
    const id = canaryClientIdOf(canarySecretOf(key));
    expect(id).toMatch(/^canary-[\w-]{22}$/);
    expect(canarySecretOf(key)).not.toContain(id.slice("canary-".length));
  });
});

describe("a sealed secret", () => {
  test("opens for its owner, and differs each time", () => {
    const [one, two] = [seal.seal("p\u00e4ss", "tenant/app"), seal.seal("p\u00e4ss", "tenant/app")];
    expect(one).not.toBe(two);
    expect(one).not.toContain("p\u00e4ss");
    expect([seal.open(one, "tenant/app"), seal.open(two, "tenant/app")]).toEqual(["p\u00e4ss", "p\u00e4ss"]);
  });
  test("does not open for another owner, with another key, or after any change", () => {
    const sealed = seal.seal("secret", "tenant/app");
    expect(() => seal.open(sealed, "tenant/other")).toThrow();
    expect(() => newSeal(randomBytes(32)).open(sealed, "tenant/app")).toThrow(/another key/);
    const [version, key, body = ""] = sealed.split(".");
    const bytes = Buffer.from(body, "base64url");
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => seal.open(`${version}.${key}.${changed.toString("base64url")}`, "tenant/app")).toThrow();
    }
  });
  test("does not open in another encoding, truncated or extended", () => {
    const sealed = seal.seal("secret", "tenant/app");
    const [version, key, body = ""] = sealed.split(".");
    const short = Buffer.from(body, "base64url").subarray(0, 20).toString("base64url");
    for (const other of [`${body}A`, `${body}=`, ` ${body}`, `${body}.x`, body.slice(1), short, "AAAA"]) {
      expect(() => seal.open(`${version}.${key}.${other}`, "tenant/app")).toThrow();
    }
  });
  test("opens with a former key, is sealed with the current one, and does not open without its key", () => {
    const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)];
    const old = newSeal(first).seal("secret", "tenant/app");
    const both = newSeal(second, [third, first]);
    expect(both.open(old, "tenant/app")).toBe("secret");
    expect(() => both.open(old, "tenant/other")).toThrow();
    const fresh = both.seal("secret", "tenant/app");
    expect(newSeal(second).open(fresh, "tenant/app")).toBe("secret");
    expect(() => newSeal(first).open(fresh, "tenant/app")).toThrow(/another key/);
    expect(() => newSeal(second, [third]).open(old, "tenant/app")).toThrow(/another key/);
    expect(() => newSeal(second, [randomBytes(16)])).toThrow(/32/);
  });
  test("needs a key of 32 bytes", () => expect(() => newSeal(randomBytes(31))).toThrow(/32/));
});

test("random text has its length, its letters and no pattern", () => {
  const texts = Array.from({ length: 200 }, () => randomText(28));
  expect(new Set(texts).size).toBe(200);
  expect(new Set(texts.join("")).size).toBe(63);
  for (const text of texts) expect(text).toMatch(/^[A-Za-z0-9_]{28}$/);
});
