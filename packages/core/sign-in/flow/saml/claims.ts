/** What a service provider learns of a user: the attributes of its assertions, and the claims behind them. Pure. */
import type { SamlServiceProvider } from "../../../applications/protocols/model.ts";
import type { Application } from "../../../applications/registry/model.ts";
import { LOCAL_DIALECT } from "../../../directory/claims/model.ts";
import { consentName, uriOf } from "../../openid/user-claims.ts";
import type { SamlAsked } from "./asked.ts";

/** The local claim that NameIDs in the format of an e-mail address are. */
export const EMAIL_CLAIM = `${LOCAL_DIALECT}/emailaddress`;
const VERIFIERS = {
  email: `${LOCAL_DIALECT}/identity/emailVerified`,
  phone: `${LOCAL_DIALECT}/identity/phoneVerified`,
};
const EMAILS = /^(?:emailaddress|emailAddresses|emails\.[a-z]+)$/;
const PHONES = /^(?:telephone|mobile|mobileNumbers|otherphone|phoneNumbers(?:\.[a-z]+)?)$/;

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

/** The formats of NameID (SAML Core 2.0 section 8.3). */
export const nameIdFormats = {
  unspecified: "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
  email: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
  persistent: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
  transient: "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
} as const;

/** An attribute of assertions, and the local claim that it has the value of. */
export interface AskedAttribute {
  readonly name: string;
  readonly uri: string;
}

type Provider = Pick<Application, "claimConfiguration" | "inbound">;

/** The attributes of an answer: none where neither the settings nor the request ask for them. */
export function attributesOf(asked: SamlAsked, { claimConfiguration, inbound }: Provider): readonly AskedAttribute[] {
  const { attributeProfile, singleSignOnProfile, imported } = samlOf(inbound);
  const { attributeConsumingServiceIndex: own } = singleSignOnProfile;
  const indexes = [own, ...(imported?.attributeConsumingServiceIndexes ?? []).map(String)];
  const isNamed = asked.attributeIndex !== undefined && indexes.includes(asked.attributeIndex);
  if (!attributeProfile.enabled || !(attributeProfile.alwaysIncludeAttributesInResponse || isNamed)) return [];
  const { requestedClaims, claimMappings, dialect } = claimConfiguration;
  const found = requestedClaims.map(({ claim }) => {
    const name = uriOf(claim);
    const mapped = claimMappings.find(({ applicationClaim }) => applicationClaim === name);
    if (mapped) return { name, uri: uriOf(mapped.localClaim) };
    const own = dialect === "CUSTOM" ? claimMappings.find(({ localClaim }) => uriOf(localClaim) === name) : undefined;
    return { name: own?.applicationClaim ?? name, uri: name };
  });
  return found.filter(({ name }, at) => found.findIndex((each) => each.name === name) === at);
}

/** The format of the NameID of an answer. */
export function nameIdFormatOf({ nameIdFormat }: SamlAsked, { inbound }: Pick<Application, "inbound">): string {
  return nameIdFormat ?? samlOf(inbound).singleSignOnProfile.assertion.nameIdFormat;
}

/** The claims that an answer shows, as consents name them. */
export function claimReferences(asked: SamlAsked, application: Provider): readonly string[] {
  const isEmail = nameIdFormatOf(asked, application) === nameIdFormats.email;
  const uris = [...attributesOf(asked, application).map(({ uri }) => uri), ...(isEmail ? [EMAIL_CLAIM] : [])];
  return [...new Set(uris.map(consentName))];
}

/** The same for a guest, who is asked for the claim that is the subject, too (decision 0134). */
export function guestReferences(asked: SamlAsked, application: Provider): readonly string[] {
  const { claim } = application.claimConfiguration.subject;
  const ofSubject = claim && uriOf(claim);
  return [...new Set([...claimReferences(asked, application), ...(ofSubject ? [ofSubject] : [])])];
}

/** The service provider of an application that was found by it. */
export function samlOf({ saml }: Pick<Application, "inbound">["inbound"]): SamlServiceProvider {
  if (!saml) throw new Error("an application without a service provider was not refused");
  return saml;
}
