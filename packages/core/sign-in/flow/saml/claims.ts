/** What a service provider learns of a user: the attributes of its assertions, and the claims behind them. Pure. */
import type { SamlServiceProvider } from "../../../applications/protocols/model.ts";
import type { Application } from "../../../applications/registry/model.ts";
import { LOCAL_DIALECT } from "../../../directory/claims/model.ts";
import { type AskedAttribute, referencesTo, requestedAttributes, withSubject } from "../sso/attributes.ts";
import type { SamlAsked } from "./asked.ts";

/** The local claim that NameIDs in the format of an e-mail address are. */
export const EMAIL_CLAIM = `${LOCAL_DIALECT}/emailaddress`;

/** The formats of NameID (SAML Core 2.0 section 8.3). */
export const nameIdFormats = {
  unspecified: "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
  email: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
  persistent: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
  transient: "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
} as const;

type Provider = Pick<Application, "claimConfiguration" | "inbound">;

/** The attributes of an answer: none where neither the settings nor the request ask for them. */
export function attributesOf(asked: SamlAsked, { claimConfiguration, inbound }: Provider): readonly AskedAttribute[] {
  const { attributeProfile, singleSignOnProfile, imported } = samlOf(inbound);
  const { attributeConsumingServiceIndex: own } = singleSignOnProfile;
  const indexes = [own, ...(imported?.attributeConsumingServiceIndexes ?? []).map(String)];
  const isNamed = asked.attributeIndex !== undefined && indexes.includes(asked.attributeIndex);
  if (!attributeProfile.enabled || !(attributeProfile.alwaysIncludeAttributesInResponse || isNamed)) return [];
  return requestedAttributes(claimConfiguration);
}

/** The format of the NameID of an answer. */
export function nameIdFormatOf({ nameIdFormat }: SamlAsked, { inbound }: Pick<Application, "inbound">): string {
  return nameIdFormat ?? samlOf(inbound).singleSignOnProfile.assertion.nameIdFormat;
}

/** The claims that an answer shows, as consents name them. */
export function claimReferences(asked: SamlAsked, application: Provider): readonly string[] {
  const isEmail = nameIdFormatOf(asked, application) === nameIdFormats.email;
  return referencesTo([...attributesOf(asked, application).map(({ uri }) => uri), ...(isEmail ? [EMAIL_CLAIM] : [])]);
}

/** The same for a guest, who is asked for the claim that is the subject, too (decision 0134). */
export function guestReferences(asked: SamlAsked, application: Provider): readonly string[] {
  return withSubject(claimReferences(asked, application), application);
}

/** The service provider of an application that was found by it. */
export function samlOf({ saml }: Pick<Application, "inbound">["inbound"]): SamlServiceProvider {
  if (!saml) throw new Error("an application without a service provider was not refused");
  return saml;
}
