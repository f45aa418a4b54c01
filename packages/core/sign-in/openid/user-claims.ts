/**
 * Claims about a user, as ID tokens and the UserInfo endpoint have them (OpenID Connect Core 1.0 section 5): which ones
 * an application gets, and their values. Pure.
 */

import type { OidcScope } from "../../applications/oidc-scopes/model.ts";
import type { Application } from "../../applications/registry/model.ts";
import { attributeClaims, LOCAL_DIALECT, oidcClaims } from "../../directory/claims/model.ts";
import { oneOfMany } from "../../directory/users/best-value.ts";
import { qualifiedName, type User } from "../../directory/users/model.ts";
import { PRIMARY } from "../../kernel/domain/username.ts";
import { guestSubject, subjectAmongGuests } from "../../tokens/guest-subject.ts";
import { impliedClaims } from "./guest-claims.ts";
import { addressOf, attributeValue, fullName, objectIn } from "./profile-values.ts";

/** A user with what its claims refer to. */
export interface ClaimedUser {
  readonly user: User;
  /** The tenant of the user. */
  readonly tenant: string;
  /** True for a guest, whose tenant is not that of the application (decision 0134). */
  readonly isGuest?: boolean;
  /** What a guest gives besides what its scopes stand for (`claimsAskedFor`); absent before it is asked. */
  readonly given?: readonly string[] | undefined;
  readonly groupNames: readonly string[];
  readonly roleNames: readonly string[];
  /** Of each role, whether it is of the tenant or of the application. */
  readonly roleAudiences: readonly ("organization" | "application")[];
}

type Claims = Readonly<Record<string, unknown>>;
type Configuration = Application["claimConfiguration"];
type Configured = Pick<Application, "claimConfiguration">;

/** What a client is given. */
export interface Granted {
  readonly scopes: readonly OidcScope[];
  /** Names of single claims that it asked for (OpenID Connect Core 1.0 section 5.5). */
  readonly claims?: readonly string[] | undefined;
}

const SYSTEM_SCHEMA = "urn:scim:wso2:schema";
const LOCAL = `${LOCAL_DIALECT}/`;

/** Claims that a token has for itself: no setting may replace them. */
const RESERVED: ReadonlySet<string> = new Set([
  ...["iss", "sub", "aud", "exp", "iat", "nbf", "jti", "nonce", "auth_time", "acr", "amr", "azp", "sid"],
  ...["at_hash", "c_hash", "s_hash", "cnf", "events"],
]);

/** Local claims that Identity Server maps to attributes of another meaning: the gender to the manager, for one. */
const MISLEADING: ReadonlySet<string> = new Set(["gender", "stateorprovince"]);

/** Local claims that say what somebody has verified. */
const VERIFIED = /^identity\/(?:email|phone)Verified$/;
const VERIFIED_LISTS: ReadonlySet<string> = new Set(["verifiedEmailAddresses", "verifiedMobileNumbers"]);

/** The attributes of users by the ends of URIs of local claims. */
const attributes: ReadonlyMap<string, string> = new Map([
  ...[...attributeClaims].flatMap(([path, claim]) => (MISLEADING.has(claim) ? [] : [[claim, path] as const])),
  ["dob", `${SYSTEM_SCHEMA}:dateOfBirth`],
  ["country", `${SYSTEM_SCHEMA}:country`],
]);

/** The claims of a user for an application. Claims without a value are left out. */
export function claimsFor(claimed: ClaimedUser, { claimConfiguration }: Configured, granted: Granted): Claims {
  const { dialect } = claimConfiguration;
  const implied = impliedClaims(granted.scopes.map(({ name }) => name));
  const isGiven = (reference: string) =>
    !claimed.isGuest || implied.has(reference) || claimed.given?.includes(reference) === true;
  const standard = standardNames(claimConfiguration, granted)
    .filter(isGiven)
    .map((name) => [shownName(name, claimConfiguration), oidcValue(name, claimed, claimConfiguration.role)]);
  const custom = dialect === "CUSTOM" ? customClaims(claimConfiguration).filter(([, uri]) => isGiven(uri)) : [];
  const values = custom.map(([name, uri]) => [name, localValue(uri, claimed, claimConfiguration.role)]);
  return Object.fromEntries([...standard, ...values].filter(([, value]) => isPresent(value)));
}

/**
 * All claims that an application gets of a user: names in OpenID Connect, and the URIs of local claims for which it has
 * names of its own, or which are the subject.
 */
export function claimsAskedFor({ claimConfiguration }: Configured, granted: Granted): readonly string[] {
  const { dialect, subject } = claimConfiguration;
  const custom = dialect === "CUSTOM" ? customClaims(claimConfiguration).map(([, uri]) => uri) : [];
  const ofSubject = [uriOf(subject.claim ?? {})].filter((uri) => uri.startsWith(LOCAL));
  return [...new Set([...standardNames(claimConfiguration, granted), ...custom, ...ofSubject])];
}

/** The claims of OpenID Connect that an application gets. */
function standardNames(configuration: Configuration, { scopes, claims = [] }: Granted): readonly string[] {
  const names = new Set([...scopes.flatMap((scope) => scope.claims), ...claims]);
  return [...names].filter((name) => !RESERVED.has(name) && isAllowed(name, configuration));
}

/** The names that a client may ask for one by one: those of OpenID Connect, and of scopes of the tenant. */
export function knownClaims(
  asked: readonly string[],
  { claimConfiguration }: Configured,
  known: readonly OidcScope[],
): readonly string[] {
  const names = new Set([...Object.keys(oidcClaims), ...known.flatMap(({ claims }) => claims)]);
  return [...new Set(asked)].filter(
    (name) => names.has(name) && !RESERVED.has(name) && isAllowed(name, claimConfiguration),
  );
}

/** Claims that an access token has for itself, besides those of every token. */
const OF_ACCESS_TOKENS: ReadonlySet<string> = new Set(["client_id", "scope", "act", "aut", "idp", "username"]);
/** Characters of the claims about a user in an access token, as JSON: it travels in a header. */
const ATTRIBUTES_LENGTH_MAX = 2_048;

/** Claims about a user for an access token, by their names in OpenID Connect or URIs: as many as there is room for. */
export function attributesFor(
  claimed: ClaimedUser,
  names: readonly string[],
  role: Configuration["role"] = {},
): Claims {
  const found: Record<string, unknown> = {};
  for (const given of names) {
    const local = given.startsWith(LOCAL) ? given.slice(LOCAL.length) : undefined;
    const name = local === undefined ? given : (nameOf(local) ?? local);
    const value =
      local === undefined || nameOf(local) ? oidcValue(name, claimed, role) : localValue(given, claimed, role);
    const isFree = !RESERVED.has(name) && !OF_ACCESS_TOKENS.has(name) && isPresent(value);
    if (isFree && JSON.stringify({ ...found, [name]: value }).length <= ATTRIBUTES_LENGTH_MAX) found[name] = value;
  }
  return found;
}

/** The name in OpenID Connect of a local claim. */
function nameOf(local: string): string | undefined {
  return Object.entries(oidcClaims).find(([name, each]) => each === local && !RESERVED.has(name))?.[0];
}

/** The mandatory claims of an application that a user has no value for, as an application names them. */
export function missingClaims({ user, tenant }: Pick<ClaimedUser, "user" | "tenant">, application: Configured) {
  const { requestedClaims, claimMappings, role } = application.claimConfiguration;
  // What counts is that the user has some, not what they are called.
  const claimed = { user, tenant, groupNames: user.groupIds, roleNames: [tenant], roleAudiences: [] };
  return requestedClaims.flatMap(({ claim, mandatory }) => {
    const name = uriOf(claim);
    const mapped = claimMappings.find(({ applicationClaim }) => applicationClaim === name);
    const uri = mapped ? uriOf(mapped.localClaim) : name;
    return mandatory && !isPresent(localValue(uri, claimed, role)) ? [name] : [];
  });
}

/** Whether an application may have a claim: it requests no claims at all, or this one. */
function isAllowed(name: string, { requestedClaims, claimMappings }: Configuration): boolean {
  const requested = new Set(requestedClaims.map(({ claim }) => uriOf(claim)));
  const uri = `${LOCAL}${localOf(name)}`;
  const mappings = claimMappings.filter(({ localClaim }) => uriOf(localClaim) === uri);
  return (
    requested.size === 0 ||
    requested.has(uri) ||
    mappings.some(({ applicationClaim }) => requested.has(applicationClaim))
  );
}

/** The names that an application has of its own for claims that it requests, each with the local claim. */
function customClaims({ requestedClaims, claimMappings }: Configuration): readonly (readonly [string, string])[] {
  const requested = new Set(requestedClaims.map(({ claim }) => uriOf(claim)));
  return claimMappings
    .map(({ applicationClaim, localClaim }) => [applicationClaim, uriOf(localClaim)] as const)
    .filter(([name, uri]) => (requested.has(name) || requested.has(uri)) && !RESERVED.has(name) && name !== uri);
}

/** The name of a claim for an application: it may have chosen the one in which it gets roles. */
function shownName(name: string, { role, claimMappings }: Configuration): string {
  const chosen = role.claim && uriOf(role.claim);
  if (name !== "roles" || !chosen || ROLE_CLAIMS.has(chosen)) return name;
  if (!chosen.startsWith(LOCAL)) return RESERVED.has(chosen) ? name : chosen;
  const mapped = claimMappings.find(({ localClaim }) => uriOf(localClaim) === chosen)?.applicationClaim;
  const local = chosen.slice(LOCAL.length);
  const shown = mapped ?? nameOf(local) ?? local;
  return RESERVED.has(shown) ? name : shown;
}

/** The local claims of roles: under either name the claim is `roles`. */
const ROLE_CLAIMS: ReadonlySet<string> = new Set([`${LOCAL}roles`, `${LOCAL}role`]);

/** The URI of a reference to a claim, which has one or the id that `/claim-dialects` shows; otherwise that id. */
export function uriOf({ uri, id }: { readonly uri?: string | undefined; readonly id?: string | undefined }): string {
  if (uri || id === undefined) return uri ?? "";
  const read = Buffer.from(id, "base64url").toString("utf8");
  return read.startsWith(LOCAL) ? read : id;
}

/**
 * The subject of a user for an application: its id, unless the application chose another claim. `pairwise` is the
 * subject for the sector of the application, where it has pairwise ones. That of a guest always ends in its tenant, and
 * is by a claim only where those of all users do: values of two tenants can be the same (decision 0134).
 */
export function subjectFor(
  claimed: ClaimedUser,
  { claimConfiguration, advancedConfigurations }: Pick<Application, "claimConfiguration" | "advancedConfigurations">,
  pairwise?: string,
): string {
  if (pairwise !== undefined) return pairwise;
  const { user, tenant, isGuest, given } = claimed;
  const { claim, includeUserDomain, includeTenantDomain } = claimConfiguration.subject;
  const isGiven = claim && given?.includes(uriOf(claim)) !== false;
  const mayChoose = claim && (!isGuest || (includeTenantDomain && isGiven));
  const value = mayChoose ? localValue(uriOf(claim), claimed, claimConfiguration.role) : undefined;
  const chosen = typeof value === "string" && value !== "" ? value : undefined;
  const inStore = (base: string) =>
    !includeUserDomain || user.userStore === PRIMARY || base.startsWith(`${user.userStore}/`)
      ? base
      : `${user.userStore}/${base}`;
  if (isGuest && chosen === undefined) return inStore(guestSubject(user.id, tenant));
  const subject = inStore(chosen ?? user.id);
  if (includeTenantDomain) return `${subject}@${tenant}`;
  return advancedConfigurations.saas ? subjectAmongGuests(subject, tenant) : subject;
}

/** The end of the URI of the local claim that a claim of OpenID Connect is mapped to. */
function localOf(name: string): string {
  return oidcClaims[name] ?? name;
}

function oidcValue(name: string, claimed: ClaimedUser, role: Configuration["role"]): unknown {
  const { user } = claimed;
  const { profile } = user;
  switch (name) {
    case "preferred_username":
      return inTenant(user.userName, claimed);
    case "name":
      return fullName(profile);
    case "updated_at":
      return Math.floor(user.modifiedMs / 1_000);
    case "email_verified":
    case "phone_number_verified": {
      const [flag, values] =
        name === "email_verified"
          ? (["emailVerified", "emails"] as const)
          : (["phoneVerified", "phoneNumbers"] as const);
      // What another tenant has verified, the issuer has not: it says so, lest it be overlooked.
      if (claimed.isGuest) return oneOfMany(profile[values]) === undefined ? undefined : false;
      const value = objectIn(profile, SYSTEM_SCHEMA)[flag];
      return value === undefined ? undefined : value === true || value === "true";
    }
    case "address":
      return addressOf(profile);
    case "phone_number":
      return oneOfMany(profile.phoneNumbers);
    case "roles":
      return rolesOf(claimed, role);
    default:
      return localValue(`${LOCAL}${localOf(name)}`, claimed, role);
  }
}

/** Role names, by their names in the application. Mappings name a role with or without its domain. */
function rolesOf(
  { roleNames, roleAudiences }: ClaimedUser,
  { mappings = [], includeUserDomain }: Configuration["role"],
): readonly string[] {
  return roleNames.map((name, at) => {
    const qualified = `${roleAudiences[at] === "application" ? "Application" : "Internal"}/${name}`;
    const mapped = mappings.find(({ localRole }) => localRole === name || localRole === qualified)?.applicationRole;
    return mapped ?? (includeUserDomain ? qualified : name);
  });
}

/** How consents name a local claim: by its name in OpenID Connect, or by its URI where it has none there. */
export function consentName(uri: string): string {
  return (uri.startsWith(LOCAL) ? nameOf(uri.slice(LOCAL.length)) : undefined) ?? uri;
}

/** The value of a local claim; `undefined` for one that users do not have. */
export function localValue(uri: string, claimed: ClaimedUser, role: Configuration["role"]): unknown {
  if (!uri.startsWith(LOCAL)) return undefined;
  const { user } = claimed;
  const claim = uri.slice(LOCAL.length);
  switch (claim) {
    case "userid":
      return user.id;
    case "username":
      return inTenant(qualifiedName(user), claimed);
    case "groups":
      return claimed.groupNames;
    case "roles":
    case "role":
      return rolesOf(claimed, role);
    case "fullname":
      return fullName(user.profile);
    case "created":
      return new Date(user.createdMs).toISOString();
    case "modified":
      return new Date(user.modifiedMs).toISOString();
    default: {
      const path = attributes.get(claim);
      const value = path === undefined ? undefined : attributeValue(user.profile, path);
      if (!claimed.isGuest || value === undefined) return value;
      if (VERIFIED_LISTS.has(claim)) return undefined;
      return VERIFIED.test(claim) ? false : value;
    }
  }
}

/** A name with the tenant behind it for a guest, so that it is no name of the application's tenant. */
export function inTenant(name: string, { tenant, isGuest }: Pick<ClaimedUser, "tenant" | "isGuest">): string {
  return isGuest ? `${name}@${tenant}` : name;
}

/** Whether a claim has a value. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0);
}
