/** The attributes of users that other protocols than OpenID Connect send, and the claims behind them. Pure. */
import type { Application } from "../../../applications/registry/model.ts";
import { LOCAL_DIALECT } from "../../../directory/claims/model.ts";
import { consentName, uriOf } from "../../openid/user-claims.ts";

const VERIFIERS = {
  email: `${LOCAL_DIALECT}/identity/emailVerified`,
  phone: `${LOCAL_DIALECT}/identity/phoneVerified`,
};
const EMAILS = /^(?:emailaddress|emailAddresses|emails\.[a-z]+)$/;
const PHONES = /^(?:telephone|mobile|mobileNumbers|otherphone|phoneNumbers(?:\.[a-z]+)?)$/;

/** An attribute, and the local claim that it has the value of. */
export interface AskedAttribute {
  readonly name: string;
  readonly uri: string;
}

type Configuration = Application["claimConfiguration"];

/** The attributes of the claim configuration, by the names that the application has for them. */
export function requestedAttributes({
  requestedClaims,
  claimMappings,
  dialect,
}: Configuration): readonly AskedAttribute[] {
  const found = requestedClaims.map(({ claim }) => {
    const name = uriOf(claim);
    const mapped = claimMappings.find(({ applicationClaim }) => applicationClaim === name);
    if (mapped) return { name, uri: uriOf(mapped.localClaim) };
    const own = dialect === "CUSTOM" ? claimMappings.find(({ localClaim }) => uriOf(localClaim) === name) : undefined;
    return { name: own?.applicationClaim ?? name, uri: name };
  });
  return found.filter(({ name }, at) => found.findIndex((each) => each.name === name) === at);
}

/** Claims as consents name them. */
export function referencesTo(uris: readonly string[]): readonly string[] {
  return [...new Set(uris.map(consentName))];
}

/** The same for a guest, who is asked for the claim that is the subject, too (decision 0134). */
export function withSubject(
  references: readonly string[],
  { claimConfiguration: { subject } }: { readonly claimConfiguration: Configuration },
): readonly string[] {
  const ofSubject = subject.claim && uriOf(subject.claim);
  return [...new Set([...references, ...(ofSubject ? [ofSubject] : [])])];
}

/** The claim that says whether the value of another one is verified; `undefined` where nothing needs to be. */
export function verifierOf(uri: string): string | undefined {
  const local = uri.slice(LOCAL_DIALECT.length + 1);
  if (EMAILS.test(local)) return VERIFIERS.email;
  return PHONES.test(local) ? VERIFIERS.phone : undefined;
}

/** Whether a claim says that an address or a number is verified. */
export function isVerifier(uri: string): boolean {
  return uri === VERIFIERS.email || uri === VERIFIERS.phone;
}
