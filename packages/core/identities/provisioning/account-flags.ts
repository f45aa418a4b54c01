/**
 * Attributes of a user's account that the service itself keeps true. Pure.
 *
 * `totpEnabled` says whether one-time codes are set up. Only a sign-in sets them up, with a code that proves the app;
 * so "true" from a client has no effect, as with read-only attributes (RFC 7644 section 3.5.1). "false" takes them
 * away. A client that leaves the attribute out means neither: many replace a user without knowing it.
 *
 * `forcePasswordReset` ends when the user chooses a password, and cannot be switched off by that user.
 */
import type { Resource } from "../../scim/schema/attribute.ts";
import { hasCodes, mustChangePassword, systemAttributes, withSystemAttributes } from "../users/model.ts";

/** What happens to the one-time codes of a user. */
export type CodesChange = "set up" | "taken away" | "none";

/** What a request asks for. */
export interface FlagChange {
  /** Absent for a new user. */
  readonly before?: { readonly profile: Resource } | undefined;
  /** As the request leaves it. */
  readonly profile: Resource;
  /** True where a sign-in sets codes up. */
  readonly setsUpCodes?: boolean | undefined;
  /** True where the user chooses the own password. */
  readonly choosesPassword?: boolean;
  /** True where users change themselves. */
  readonly isOwn?: boolean;
}

/** The profile as it is stored, and what happens to the codes of its user. */
export function settledFlags({
  before,
  profile,
  setsUpCodes = false,
  choosesPassword = false,
  isOwn = false,
}: FlagChange): {
  readonly profile: Resource;
  readonly codes: CodesChange;
} {
  const had = before !== undefined && hasCodes(before);
  const asked = systemAttributes(profile).totpEnabled;
  const isTakenAway = had && !setsUpCodes && typeof asked === "string" && /^false$/i.test(asked);
  const has = setsUpCodes || (had && !isTakenAway);
  // Without codes, another value than "true" stays as it was written.
  const shown = has ? "true" : isTrue(asked) ? undefined : asked;
  const isKept = isOwn && !choosesPassword && before !== undefined && mustChangePassword(before);
  const flags = {
    ...(shown !== asked && { totpEnabled: shown }),
    ...(choosesPassword && { forcePasswordReset: undefined }),
    ...(isKept && { forcePasswordReset: true }),
  };
  return {
    profile: Object.keys(flags).length === 0 ? profile : withSystemAttributes(profile, flags),
    codes: setsUpCodes ? "set up" : isTakenAway ? "taken away" : "none",
  };
}

function isTrue(value: unknown): boolean {
  return typeof value === "string" && /^true$/i.test(value);
}
