/** What tokens of WS-Federation say about how somebody has signed in: never more than was proven. */
import { describe, expect, test } from "vitest";
import { methodsOfRequests, needsFactors, provenMethod } from "#core/sign-in/passive-sts/methods.ts";

const PASSWORD = "urn:oasis:names:tc:SAML:1.0:am:password";
const UNSPECIFIED = "urn:oasis:names:tc:SAML:1.0:am:unspecified";
const SEVERAL = "http://schemas.microsoft.com/claims/multipleauthn";
const MFA = "https://refeds.org/profile/mfa";
const MAILED = ["mail"];

describe("provenMethod", () => {
  test("a code by mail alone is neither a password nor several factors", () => {
    for (const method of methodsOfRequests.keys()) {
      const isMet = method === UNSPECIFIED;
      expect([method, provenMethod({ method, version: "1.1" }, MAILED)]).toEqual([method, isMet ? method : undefined]);
    }
    expect(provenMethod({ version: "1.1" }, MAILED)).toBe(UNSPECIFIED);
    expect(provenMethod({ version: "2.0" }, MAILED)).toBe("urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified");
  });
  test("a password is no second factor; who has proven more has proven it, too", () => {
    expect(provenMethod({ method: SEVERAL, version: "1.1" }, undefined)).toBeUndefined();
    expect(provenMethod({ method: MFA, version: "2.0" }, ["pwd"])).toBeUndefined();
    expect(provenMethod({ method: PASSWORD, version: "1.1" }, ["pwd", "otp"])).toBe(PASSWORD);
    expect(provenMethod({ version: "1.1" }, ["pwd", "otp"])).toBe(SEVERAL);
    expect(provenMethod({ version: "2.0" }, ["pwd", "otp"])).toBe(MFA);
  });
});

describe("needsFactors", () => {
  test("is true for the names of several factors alone", () => {
    const names = [...methodsOfRequests.keys()].filter((name) => needsFactors(name));
    expect([names.sort(), needsFactors(undefined)]).toEqual([[SEVERAL, MFA].sort(), false]);
  });
});
