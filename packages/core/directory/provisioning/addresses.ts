/**
 * Which addresses of a user count as login names (decision 0186): those that somebody else wrote, who may write users,
 * and those that are verified. What the person writes counts for nothing until then. Pure.
 */
import { foldName } from "../../kernel/fold.ts";
import type { Resource } from "../../scim/protocol/schema/attribute.ts";
import { oneOfMany } from "../users/best-value.ts";
import { phoneForm } from "../users/identifiers.ts";
import { lookupsOf, lookupText } from "../users/lookup-rows.ts";
import { systemAttributes, type User } from "../users/model.ts";

const verifications = [
  { values: "emails", flag: "emailVerified", list: "verifiedEmailAddresses", form: foldName },
  { values: "phoneNumbers", flag: "phoneVerified", list: "verifiedMobileNumbers", form: phoneForm },
] as const;

/**
 * The addresses that do not count after a change of the profile; `undefined` for none. `isOwn`: users change
 * themselves. `confirms`: an e-mail address that counts from now on. Another caller verifies an address by saying that
 * it is verified, where that was not said before: a client that sends the whole user with a changed title says nothing
 * about addresses.
 */
export function unprovenAfter(
  { profile: before, unproven = [] }: Pick<User, "profile" | "unproven">,
  profile: Resource,
  { isOwn, confirms }: { readonly isOwn: boolean; readonly confirms?: string | undefined },
): readonly string[] | undefined {
  const had = addressesOf(before);
  const [was, is] = [verifiedIn(before), verifiedIn(profile)];
  const confirmed = confirms === undefined ? "" : lookupText({ attribute: "emails", value: foldName(confirms) });
  const left = [...addressesOf(profile)].filter((one) => {
    const isNew = isOwn && !had.has(one);
    const isVouched = !isOwn && is.has(one) && !was.has(one);
    return isNew || (unproven.includes(one) && !isVouched && one !== confirmed);
  });
  return left.length > 0 ? left.sort() : undefined;
}

function addressesOf(profile: Resource): ReadonlySet<string> {
  const addresses = lookupsOf(profile).filter(({ attribute }) => attribute !== "externalId");
  return new Set(addresses.map(lookupText));
}

/** What a profile says is verified: one address of each kind by its flag, others by lists. */
function verifiedIn(profile: Resource): ReadonlySet<string> {
  const system = systemAttributes(profile);
  const all = verifications.flatMap(({ values, flag, list, form }) => {
    const isFlagged = /^true$/i.test(String(system[flag]));
    const listed = system[list];
    const texts = [...(isFlagged ? [oneOfMany(profile[values])] : []), ...(Array.isArray(listed) ? listed : [])];
    return texts.flatMap((one) => {
      const value = typeof one === "string" ? form(one) : undefined;
      return value === undefined ? [] : [lookupText({ attribute: values, value })];
    });
  });
  return new Set(all);
}
