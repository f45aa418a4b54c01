/** One-time codes against the vectors of RFC 6238 (appendix B), and what an app is given. */
import { describe, expect, test } from "vitest";
import { newRecoveryCodes, newSecret, secretForApps, stepOf, withoutRecoveryCode } from "#core/sign-in/flow/totp.ts";
import { codeAt } from "#tools/examples/authenticator.ts";

/** "12345678901234567890" in Base32, the key of the vectors for SHA-1. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

describe("a code", () => {
  // The last six of the eight digits of the vectors.
  test.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_111_111_111, "050471"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
    [20_000_000_000, "353130"],
  ])("at %d seconds is %s", async (seconds, code) => {
    const step = Math.floor(seconds / 30);
    expect(await stepOf(code, SECRET, -1, seconds * 1_000)).toBe(step);
    expect(codeAt(SECRET, seconds * 1_000)).toBe(code);
  });
  test("counts a step before and after its own, and not once a later one was used", async () => {
    const atMs = 1_111_111_111_000;
    const step = Math.floor(atMs / 30_000);
    const found = (offset: number, used = -1) => stepOf(codeAt(SECRET, atMs + offset * 30_000), SECRET, used, atMs);
    expect(await Promise.all([-2, -1, 0, 1, 2].map((offset) => found(offset)))).toEqual([
      ...[undefined, step - 1, step, step + 1, undefined],
    ]);
    expect(await Promise.all([-1, 0, 1].map((offset) => found(offset, step)))).toEqual([
      undefined,
      undefined,
      step + 1,
    ]);
  });
});

describe("a secret", () => {
  test("has 160 bits and is another one each time", async () => {
    const secrets = await Promise.all(Array.from({ length: 20 }, newSecret));
    expect(new Set(secrets).size).toBe(20);
    expect(secrets.every((secret) => /^[A-Z2-7]{32}$/.test(secret))).toBe(true);
  });
  test("goes to an app with the names of the service and the account, whatever they contain", async () => {
    const { address, svg } = await secretForApps(SECRET, {
      issuer: "Cars & more: <b>",
      account: `CORP/kim@example.com\uD800${"x".repeat(200)}`,
    });
    const url = new URL(address);
    expect([url.protocol, url.host, url.searchParams.get("secret")]).toEqual(["otpauth:", "totp", SECRET]);
    expect([url.searchParams.get("digits"), url.searchParams.get("period")]).toEqual(["6", "30"]);
    expect(url.searchParams.get("issuer")).toBe("Cars & more  <b>");
    expect(decodeURIComponent(url.pathname)).toMatch(/^\/Cars & more {2}<b>:CORP\/kim@example\.com\uFFFDx{39}$/);
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 \d+ \d+">/);
    expect(svg).not.toMatch(/<script|<image|href/);
  });
});

test("recovery codes count however they are written, once each", async () => {
  const { codes, digests } = await newRecoveryCodes();
  expect([codes.length, new Set(codes).size, digests.length]).toEqual([8, 8, 8]);
  expect(codes.every((code) => /^([a-z2-7]{4}-){3}[a-z2-7]{4}$/.test(code))).toBe(true);
  const [first = ""] = codes;
  const left = await withoutRecoveryCode(` ${first.toUpperCase().replaceAll("-", " ")}`, digests);
  expect(left).toEqual(digests.slice(1));
  expect(await withoutRecoveryCode(first, left ?? [])).toBeUndefined();
  expect(await withoutRecoveryCode("", digests)).toBeUndefined();
});
