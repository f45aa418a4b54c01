/**
 * Attributes of a user's account that the service itself keeps true. Pure.
 *
 * `totpEnabled` says whether one-time codes are set up, `enabledAuthenticators` names passkeys where there are some.
 * Only a sign-in sets them up, with a proof; so a client that says that there are some has no effect, as with read-only
 * attributes (RFC 7644 section 3.5.1). "false" and "none" take them away. A client that leaves the attribute out, or
 * sends a list without passkeys, means neither: many replace a user without knowing of them.
 *
 * `emailVerified` and `phoneVerified` say something of one address and one number. Where users change theirs, the new
 * one is not verified: applications link accounts by what they are told is verified.
 *
 * `forcePasswordReset` ends when the user chooses a password, and cannot be switched off by that user.
 */

import { isDeepStrictEqual } from "node:util";
import { foldName } from "../../kernel/fold.ts";
import { isObject } from "../../kernel/json.ts";
import type { Resource } from "../../scim/protocol/schema/attribute.ts";
import { oneOfMany } from "../users/best-value.ts";
import {
  hasCodes,
  hasPasskeys,
  mustChangePassword,
  namesNothing,
  namesPasskeys,
  systemAttributes,
  withPasskeys,
  withSystemAttributes,
} from "../users/model.ts";

const verifications = [
  { values: "emails", further: "emailAddresses", flag: "emailVerified", list: "verifiedEmailAddresses" },
  { values: "phoneNumbers", further: "mobileNumbers", flag: "phoneVerified", list: "verifiedMobileNumbers" },
] as const;

/** A second factor of a user. */
export type FactorKind = "codes" | "passkeys";

/** What a request asks for. */
export interface FlagChange {
  /** Absent for a new user. */
  readonly before?: { readonly profile: Resource } | undefined;
  /** As the request leaves it. */
  readonly profile: Resource;
  /** What a sign-in sets up. */
  readonly setsUp?: FactorKind | undefined;
  /** True where the user chooses the own password. */
  readonly choosesPassword?: boolean;
  /** True where users change themselves. */
  readonly isOwn?: boolean;
}

/** The profile as it is stored, and the second factors that the request takes away from its user. */
export function settledFlags({ before, profile, setsUp, choosesPassword = false, isOwn = false }: FlagChange): {
  readonly profile: Resource;
  readonly takenAway: readonly FactorKind[];
} {
  const asked = systemAttributes(profile);
  const codes = codesFlag(asked.totpEnabled, before !== undefined && hasCodes(before), setsUp === "codes");
  const passkeys = passkeysFlag(
    asked.enabledAuthenticators,
    before !== undefined && hasPasskeys(before),
    setsUp === "passkeys",
  );
  const isKept = isOwn && !choosesPassword && before !== undefined && mustChangePassword(before);
  const flags = {
    ...(codes.shown !== asked.totpEnabled && { totpEnabled: codes.shown }),
    ...(passkeys.shown !== asked.enabledAuthenticators && { enabledAuthenticators: passkeys.shown }),
    ...(choosesPassword && { forcePasswordReset: undefined }),
    ...(isKept && { forcePasswordReset: true }),
    ...(isOwn && before && unverified(before.profile, profile)),
  };
  return {
    profile: Object.keys(flags).length === 0 ? profile : withSystemAttributes(profile, flags),
    takenAway: [
      ...(codes.isTakenAway ? ["codes" as const] : []),
      ...(passkeys.isTakenAway ? ["passkeys" as const] : []),
    ],
  };
}

/** What of the own changes of a user is not verified any more. */
function unverified(before: Resource, after: Resource): Readonly<Record<string, unknown>> {
  const [was, asked] = [systemAttributes(before), systemAttributes(after)];
  const flags = verifications.flatMap(({ values, further, flag, list }) => {
    const isSame = isDeepStrictEqual(oneOfMany(before[values]), oneOfMany(after[values]));
    const kept = new Set([...valuesOf(after[values]), ...valuesOf(asked[further])]);
    const gone = [...valuesOf(before[values]), ...valuesOf(was[further])].filter((one) => !kept.has(one));
    const listed = asked[list];
    const left = Array.isArray(listed) ? listed.filter((one) => !gone.includes(folded(one))) : undefined;
    return [
      ...(!isSame && isTrue(asked[flag]) ? [[flag, typeof asked[flag] === "string" ? "false" : false] as const] : []),
      ...(left && Array.isArray(listed) && left.length < listed.length ? [[list, left] as const] : []),
    ];
  });
  return Object.fromEntries(flags);
}

/** The values of texts, or of elements with a value. */
function valuesOf(elements: unknown): readonly unknown[] {
  const all = Array.isArray(elements) ? elements : [];
  return all.map((one) => folded(isObject(one) ? one.value : one));
}

function folded(value: unknown): unknown {
  return typeof value === "string" ? foldName(value) : value;
}

/** What an attribute shows then. */
interface Flag {
  readonly shown: unknown;
  readonly isTakenAway: boolean;
}

function codesFlag(asked: unknown, had: boolean, isSetUp: boolean): Flag {
  const isTakenAway = had && !isSetUp && typeof asked === "string" && /^false$/i.test(asked);
  if (isSetUp || (had && !isTakenAway)) return { shown: "true", isTakenAway };
  // Without codes, another value than "true" stays as it was written.
  return { shown: isTrue(asked) ? undefined : asked, isTakenAway };
}

function passkeysFlag(asked: unknown, had: boolean, isSetUp: boolean): Flag {
  const isTakenAway = had && !isSetUp && namesNothing(asked);
  const has = isSetUp || (had && !isTakenAway);
  // A list that is right stays as it was written.
  return { shown: has === namesPasskeys(asked) ? asked : withPasskeys(asked, has), isTakenAway };
}

function isTrue(value: unknown): boolean {
  return value === true || (typeof value === "string" && /^true$/i.test(value));
}
