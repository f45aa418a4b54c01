/** The classes of sign-in (SAML Core 2.0 section 3.3.2.2.1): which of them a request takes, and a session has. Pure. */
import type { AskedContexts } from "../flow/saml/asked.ts";
import { isWithFactors } from "../openid/id-token.ts";

const CLASSES = "urn:oasis:names:tc:SAML:2.0:ac:classes:";

/** The classes of a password over TLS, of a second factor or a passkey, and of what is neither. */
export const PASSWORD = `${CLASSES}PasswordProtectedTransport`;
export const FACTORS = "https://refeds.org/profile/mfa";
export const UNSPECIFIED = `${CLASSES}unspecified`;

export const comparisons = ["exact", "minimum", "maximum", "better"] as const;

/** How much each class proves. A password here is always sent over TLS. */
const levels: ReadonlyMap<string, number> = new Map([
  [UNSPECIFIED, 0],
  [`${CLASSES}Password`, 1],
  [PASSWORD, 1],
  [FACTORS, 2],
]);

/** The class of what somebody has proven. A passkey alone has verified its user (decision 0184). */
export function classOf(methods: readonly string[] = ["pwd"]): string {
  if (isWithFactors(methods)) return FACTORS;
  return methods.includes("pwd") ? PASSWORD : UNSPECIFIED;
}

/**
 * The class that an answer names for a sign-in of a class; `undefined` where the request takes none of what was proven
 * (NoAuthnContext).
 */
export function answeredClass(asked: AskedContexts | undefined, own: string): string | undefined {
  if (!asked) return own;
  const level = levels.get(own) ?? 0;
  const known = asked.classes.flatMap((name) => {
    const found = levels.get(name);
    return found === undefined ? [] : [{ name, level: found }];
  });
  const most = known.toSorted((one, other) => other.level - one.level)[0];
  if (!most) return undefined;
  switch (asked.comparison) {
    case "exact":
      // Who has proven more has proven that, too. The first of the request is what it prefers.
      return known.find((each) => each.level <= level)?.name;
    case "minimum":
      return known.some((each) => each.level <= level) ? own : undefined;
    case "better":
      return most.level < level ? own : undefined;
    case "maximum":
      return most.level >= level ? own : most.name;
  }
}

/** Whether a request can only be answered for somebody with a second factor. */
export function needsFactors(asked: AskedContexts | undefined): boolean {
  return answeredClass(asked, PASSWORD) === undefined;
}
