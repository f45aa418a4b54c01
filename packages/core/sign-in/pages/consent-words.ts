/** What an application asks for, in the words of the person who decides about it. */
import { defaultScopes, type OidcScope } from "../../applications/oidc-scopes/model.ts";
import type { Language } from "./language.ts";

/** One line of the page. */
export interface Asked {
  readonly name: string;
  readonly description?: string | undefined;
}

type Words = Readonly<Record<string, string>>;

const scopes: Readonly<Record<Language, Words>> = {
  en: {
    openid: "To know you again when you come back",
    profile: "Your name, and what your profile says about you",
    email: "Your e-mail address",
    address: "Your postal address",
    phone: "Your phone number",
    groups: "The groups that you belong to",
    roles: "Your roles",
    offline_access: "To act for you while you are away",
  },
  de: {
    openid: "Sie wiederzuerkennen, wenn Sie zurückkommen",
    profile: "Ihr Name und was Ihr Profil über Sie sagt",
    email: "Ihre E-Mail-Adresse",
    address: "Ihre Postanschrift",
    phone: "Ihre Telefonnummer",
    groups: "Die Gruppen, zu denen Sie gehören",
    roles: "Ihre Rollen",
    offline_access: "Für Sie zu handeln, während Sie nicht da sind",
  },
};

/** Standard claims (OpenID Connect Core 1.0 section 5.1) and those that this service adds. */
const claims: Readonly<Record<Language, Words>> = {
  en: {
    sub: "To know you again when you come back",
    name: "Your name",
    given_name: "Your first name",
    family_name: "Your last name",
    middle_name: "Your middle name",
    nickname: "Your nickname",
    preferred_username: "Your user name",
    profile: "The address of your profile",
    picture: "Your picture",
    website: "Your website",
    email: "Your e-mail address",
    email_verified: "Whether your e-mail address is verified",
    gender: "Your gender",
    birthdate: "Your date of birth",
    zoneinfo: "Your time zone",
    locale: "Your language",
    phone_number: "Your phone number",
    phone_number_verified: "Whether your phone number is verified",
    address: "Your postal address",
    updated_at: "When your profile was changed last",
    groups: "The groups that you belong to",
    roles: "Your roles",
  },
  de: {
    sub: "Sie wiederzuerkennen, wenn Sie zurückkommen",
    name: "Ihr Name",
    given_name: "Ihr Vorname",
    family_name: "Ihr Nachname",
    middle_name: "Ihr zweiter Vorname",
    nickname: "Ihr Spitzname",
    preferred_username: "Ihr Benutzername",
    profile: "Die Adresse Ihres Profils",
    picture: "Ihr Bild",
    website: "Ihre Website",
    email: "Ihre E-Mail-Adresse",
    email_verified: "Ob Ihre E-Mail-Adresse bestätigt ist",
    gender: "Ihr Geschlecht",
    birthdate: "Ihr Geburtsdatum",
    zoneinfo: "Ihre Zeitzone",
    locale: "Ihre Sprache",
    phone_number: "Ihre Telefonnummer",
    phone_number_verified: "Ob Ihre Telefonnummer bestätigt ist",
    address: "Ihre Postanschrift",
    updated_at: "Wann Ihr Profil zuletzt geändert wurde",
    groups: "Die Gruppen, zu denen Sie gehören",
    roles: "Ihre Rollen",
  },
};

/**
 * A scope for the page. `scope` is what the tenant says of it: its own words stay, those that a tenant has by default
 * become sentences, unless the scope has further claims than by default. Scopes of APIs are shown by their names.
 */
export function scopeInWords(name: string, scope: OidcScope | undefined, language: Language): Asked {
  const isUsual = scope ? isAsByDefault(scope) : name === OFFLINE_ACCESS;
  const words = isUsual ? wordsIn(scopes[language], name) : undefined;
  if (words !== undefined) return { name: words };
  return { name: scope?.displayName ?? name, description: scope?.description };
}

/** OpenID Connect Core 1.0 section 11. It is no scope of a tenant. */
const OFFLINE_ACCESS = "offline_access";

function isAsByDefault({ name, displayName, description, claims: granted }: OidcScope): boolean {
  const usual = defaultScopes.find((one) => one.name === name);
  if (usual?.displayName !== displayName || usual.description !== description) return false;
  return granted.every((claim) => usual.claims.includes(claim));
}

/** A claim for the page: in words where there are some, otherwise by its name. */
export function claimInWords(name: string, language: Language): Asked {
  return { name: wordsIn(claims[language], name) ?? name };
}

/** Names come from requests: those of the prototype are no words. */
function wordsIn(words: Words, name: string): string | undefined {
  return Object.hasOwn(words, name) ? words[name] : undefined;
}
