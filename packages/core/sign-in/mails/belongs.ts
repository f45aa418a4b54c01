/** Whether the link of a mail belongs to a user as it is now. Pure. */
import { waitsForPassword } from "../../directory/provisioning/mails.ts";
import { addressesIn, asSent, mailAddressOf } from "../../directory/users/address.ts";
import type { User } from "../../directory/users/model.ts";
import type { Resource } from "../../scim/protocol/schema/attribute.ts";
import { addressDigest, type FoundLink } from "../../tokens/mail-link-store.ts";

/** The address of a profile that a link is for, as it is written there. */
export function addressOf({ address }: FoundLink, profile: Resource): string | undefined {
  return addressesIn(profile).find((each) => addressDigest(asSent(each) ?? "") === address);
}

/** Whether the mail went to the address that counts now, and nothing that the user did has ended its link. */
export function belongsTo(link: FoundLink, user: User): boolean {
  if (link.purpose === "address-check") return addressOf(link, user.profile) !== undefined;
  // The check of one address does not end with the confirmation of another one.
  if (user.linksEndedMs !== undefined && link.issuedMs <= user.linksEndedMs) return false;
  const address = mailAddressOf(user);
  if (address === undefined || addressDigest(address) !== link.address) return false;
  if (link.purpose === "sign-in-code" || link.purpose === "sign-in-link") return true;
  // An invitation ends with the first password.
  const waits = waitsForPassword(user);
  return link.purpose === "invitation" ? waits : user.hasPassword || waits;
}
