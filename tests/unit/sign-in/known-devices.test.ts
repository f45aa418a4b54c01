/** Which browsers are known to be those of a user (decision 0182). */
import { expect, test } from "vitest";
import { freshUser } from "#core/directory/users/model.ts";
import { newSeal } from "#core/kernel/seal.ts";
import type { SignInContext } from "#core/sign-in/flow/context.ts";
import { notingDevice } from "#core/sign-in/flow/known-devices.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const seal = newSeal(Buffer.alloc(32, 1));
const profile = { emails: [{ value: "kim@example.com" }] };

/** A browser. `signsIn` says whether the user is told of it. */
const newBrowser = (recovers = true) => {
  let cookies: readonly string[] = [];
  return {
    signsIn(id: string, { tenant = "acme.com", fromMs = 0, now = NOW } = {}): boolean {
      const context = { cookies, now, sourceIp: "192.0.2.1", tools: { recovers, seal } } as SignInContext;
      const signedIn = { user: freshUser(id, id, NOW, { profile }), tenant, userAgent: "x".repeat(5_000), fromMs };
      const { steps, cookies: set } = notingDevice(signedIn, context);
      cookies = set.map((each) => each.slice(0, each.indexOf(";")));
      expect(JSON.stringify(steps).length).toBeLessThan(1_500);
      return steps.length > 0;
    },
    size: () => cookies.join("").length,
  };
};

test("eight users are known in a browser, those of the latest sign-ins", () => {
  const browser = newBrowser();
  for (let at = 0; at < 9; at += 1) expect(browser.signsIn(`user-${at}`)).toBe(true);
  expect([browser.signsIn("user-8"), browser.signsIn("user-1"), browser.signsIn("user-0")]).toEqual([
    false,
    false,
    true,
  ]);
  expect(browser.size()).toBeLessThan(1_000);
});
test("a user is known in the own tenant, since the latest sign-out everywhere, for half a year", () => {
  const browser = newBrowser();
  browser.signsIn("kim");
  expect(browser.signsIn("kim")).toBe(false);
  expect(browser.signsIn("kim", { tenant: "other.com" })).toBe(true);
  expect(browser.signsIn("kim", { fromMs: NOW + 1 })).toBe(true);
  expect(browser.signsIn("kim", { now: NOW + 179 * 86_400_000 })).toBe(false);
  expect(browser.signsIn("kim", { now: NOW + 360 * 86_400_000 })).toBe(true);
});
test("nothing is noted where the deployment sends no mail", () => {
  const browser = newBrowser(false);
  expect([browser.signsIn("kim"), browser.size()]).toEqual([false, 0]);
});
