/** What of an account is verified, after its user changed it. */
import { describe, expect, test } from "vitest";
import { settledFlags } from "#core/directory/provisioning/account-flags.ts";
import { systemAttributes } from "#core/directory/users/model.ts";
import type { Resource } from "#core/scim/protocol/schema/attribute.ts";

const SYSTEM = "urn:scim:wso2:schema";
const profile = (emails: readonly object[], system: object = {}): Resource =>
  ({
    emails,
    phoneNumbers: [{ value: "+1", type: "mobile" }],
    [SYSTEM]: { emailVerified: true, phoneVerified: "true", verifiedEmailAddresses: ["a@x", "b@x"], ...system },
  }) as Resource;
const both = [{ value: "a@x", primary: true }, { value: "b@x" }];
const before = { profile: profile(both) };
const flagsOf = (after: Resource, isOwn = true) =>
  systemAttributes(settledFlags({ before, profile: after, isOwn }).profile);

describe("own changes", () => {
  test("of the primary address end its verification, and that of an address that is gone", () => {
    expect(flagsOf(profile([{ value: "ceo@x", primary: true }, { value: "b@x" }]))).toEqual({
      ...{ emailVerified: false, phoneVerified: "true", verifiedEmailAddresses: ["b@x"] },
    });
    expect(flagsOf(profile([]))).toEqual({ emailVerified: false, phoneVerified: "true", verifiedEmailAddresses: [] });
  });
  test("of which address is the primary one end it, too", () => {
    expect(flagsOf(profile([{ value: "a@x" }, { value: "b@x", primary: true }]))).toMatchObject({
      ...{ emailVerified: false, verifiedEmailAddresses: ["a@x", "b@x"] },
    });
  });
  test("of the telephone number end its own", () => {
    const after = { ...profile(both), phoneNumbers: [{ value: "+2" }] } as Resource;
    expect(flagsOf(after)).toMatchObject({ emailVerified: true, phoneVerified: "false" });
  });
  test("of anything else end nothing", () => {
    expect(flagsOf({ ...profile(both), title: "CEO" } as Resource)).toEqual(systemAttributes(before.profile));
    expect(flagsOf(profile(both.map((one) => ({ ...one, type: "work" }))))).toEqual(systemAttributes(before.profile));
  });
});

test("addresses that are known from elsewhere stay verified", () => {
  const system = { emailAddresses: ["a@x", "c@x"], verifiedEmailAddresses: ["A@x", "c@x", "old@x"] };
  const was = { profile: profile(both, system) };
  const flagsAfter = (after: Resource) =>
    systemAttributes(settledFlags({ before: was, profile: after, isOwn: true }).profile);
  expect(flagsAfter({ ...was.profile, nickName: "kim" } as Resource)).toEqual(systemAttributes(was.profile));
  // Of the two places that name the address, one still does.
  const moved = profile([{ value: "b@x", primary: true }], system);
  expect(flagsAfter(moved)).toMatchObject({ emailVerified: false, verifiedEmailAddresses: ["A@x", "c@x", "old@x"] });
  const without = profile([{ value: "b@x", primary: true }], { ...system, emailAddresses: ["c@x"] });
  expect(flagsAfter(without)).toMatchObject({ emailVerified: false, verifiedEmailAddresses: ["c@x", "old@x"] });
});

test("administrators say themselves what is verified", () => {
  expect(flagsOf(profile([{ value: "new@x" }]), false)).toMatchObject({ emailVerified: true });
});
