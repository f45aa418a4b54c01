/** The addresses at which a user is written to. Pure. */
import { foldName } from "../../kernel/fold.ts";
import { isObject } from "../../kernel/json.ts";
import { readAddress } from "../../kernel/mail-address.ts";
import { oneOfMany } from "./best-value.ts";
import { isIdentifiedBy } from "./lookup-rows.ts";
import { systemAttributes, type User } from "./model.ts";

/**
 * The primary e-mail address of a user, where it counts (decision 0186) and mail can go to it; otherwise `undefined`.
 * An address that users gave themselves counts for nothing until it is verified, nor does one that is said to be
 * unverified.
 */
export function mailAddressOf({ profile, unproven }: Pick<User, "profile" | "unproven">): string | undefined {
  const value = primaryAddress(profile);
  if (value === undefined || isRefused(profile, value)) return undefined;
  return counts({ profile, unproven }, value) ? asSent(value) : undefined;
}

/** Where notices go: to the first address that counts, also where it is said to be unverified. */
export function noticeAddressOf(user: Pick<User, "profile" | "unproven">): string | undefined {
  const primary = primaryAddress(user.profile);
  const all = [...(primary === undefined ? [] : [primary]), ...addressesIn(user.profile)];
  const value = all.find((each) => counts(user, each));
  return value === undefined ? undefined : asSent(value);
}

/**
 * From when on an address is that of a user. Of the address for mail: since it is that one, or was said anew to be
 * verified.
 */
export function sinceMs(user: User, to: string): number {
  const { createdMs, linksEndedMs = 0 } = user;
  const isForMail = mailAddressOf(user)?.toLowerCase() === to.toLowerCase();
  return isForMail ? Math.max(createdMs, linksEndedMs) : createdMs;
}

/** The addresses of a user that count for nothing, as they are written. */
export function unprovenAddresses(user: Pick<User, "profile" | "unproven">): readonly string[] {
  return addressesIn(user.profile).filter((each) => !counts(user, each));
}

/** The primary address of a profile as it is written, if mail can be sent to it. */
export function primaryAddress({ emails }: User["profile"]): string | undefined {
  const value = oneOfMany(emails);
  return typeof value === "string" && asSent(value) !== undefined ? value : undefined;
}

/** The addresses of a profile that mail can be sent to, as they are written. */
export function addressesIn({ emails }: User["profile"]): readonly string[] {
  const values = Array.isArray(emails) ? emails.filter(isObject).map(({ value }) => value) : [];
  return values.filter((value) => typeof value === "string").filter((value) => asSent(value) !== undefined);
}

/** An address as mails are sent to it: its domain in ASCII. `undefined` where mail cannot be sent. */
export function asSent(value: string): string | undefined {
  const read = readAddress(value);
  return "address" in read ? read.address : undefined;
}

function counts(user: Pick<User, "profile" | "unproven">, value: string): boolean {
  return isIdentifiedBy(user, { attribute: "emails", value });
}

function isRefused(profile: User["profile"], value: string): boolean {
  const { emailVerified, verifiedEmailAddresses } = systemAttributes(profile);
  const verified = Array.isArray(verifiedEmailAddresses) ? verifiedEmailAddresses : [];
  if (verified.some((each) => typeof each === "string" && foldName(each) === foldName(value))) return false;
  return emailVerified === false || (typeof emailVerified === "string" && /^false$/i.test(emailVerified));
}
