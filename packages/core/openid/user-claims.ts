/**
 * Claims about a user, as ID tokens and the UserInfo endpoint have them (OpenID Connect Core 1.0 section 5): which ones
 * an application gets, and their values. Pure.
 */
import type { Application } from "../applications/registry/model.ts";
import { attributeClaims, LOCAL_DIALECT, oidcClaims } from "../claims/model.ts";
import { PRIMARY } from "../domain/username.ts";
import { qualifiedName, type User } from "../identities/users/model.ts";
import type { OidcScope } from "../oidc-scopes/model.ts";

/** A user with what its claims refer to. */
export interface ClaimedUser {
  readonly user: User;
  readonly tenant: string;
  readonly groupNames: readonly string[];
  readonly roleNames: readonly string[];
}

type Claims = Readonly<Record<string, unknown>>;
type Json = Readonly<Record<string, unknown>>;

const SYSTEM_SCHEMA = "urn:scim:wso2:schema";
const LOCAL = `${LOCAL_DIALECT}/`;

/** Claims that a token has for itself: no setting may replace them. */
const RESERVED: ReadonlySet<string> = new Set([
  ...["iss", "sub", "aud", "exp", "iat", "nbf", "jti", "nonce", "auth_time", "acr", "amr", "azp", "sid"],
  ...["at_hash", "c_hash", "s_hash", "cnf", "events"],
]);

/** The attributes of users by the ends of URIs of local claims. */
const attributes: ReadonlyMap<string, string> = new Map([...attributeClaims].map(([path, claim]) => [claim, path]));

/** The claims of a user for an application with granted scopes. Claims without a value are left out. */
export function claimsFor(
  claimed: ClaimedUser,
  { claimConfiguration }: Pick<Application, "claimConfiguration">,
  granted: readonly OidcScope[],
): Claims {
  const ofScopes = [...new Set(granted.flatMap(({ claims }) => claims))].filter((name) => !RESERVED.has(name));
  const { requestedClaims, dialect, claimMappings } = claimConfiguration;
  const requested = new Set(requestedClaims.map(({ claim }) => claim.uri ?? claim.id ?? ""));
  const mapped = new Map(claimMappings.map((each) => [each.applicationClaim, each.localClaim.uri ?? ""]));
  const isRequested = (name: string) =>
    requested.size === 0 ||
    requested.has(`${LOCAL}${localOf(name)}`) ||
    [...requested].some((uri) => mapped.get(uri) === `${LOCAL}${localOf(name)}`);
  const standard = ofScopes
    .filter(isRequested)
    .map((name) => [name, oidcValue(name, claimed, claimConfiguration.role)]);
  const custom =
    dialect === "CUSTOM"
      ? [...mapped]
          .filter(([name, uri]) => (requested.has(name) || requested.has(uri)) && !RESERVED.has(name) && name !== uri)
          .map(([name, uri]) => [name, localValue(uri, claimed)])
      : [];
  return Object.fromEntries([...standard, ...custom].filter(([, value]) => isPresent(value)));
}

/** The subject of a user for an application: its id, unless the application chose another claim. */
export function subjectFor(claimed: ClaimedUser, { claimConfiguration }: Pick<Application, "claimConfiguration">) {
  const { claim, includeUserDomain, includeTenantDomain } = claimConfiguration.subject;
  const chosen = claim?.uri === undefined ? undefined : localValue(claim.uri, claimed);
  const { userStore } = claimed.user;
  const base = typeof chosen === "string" && chosen !== "" ? chosen : claimed.user.id;
  const inStore = includeUserDomain && userStore !== PRIMARY ? `${userStore}/${base}` : base;
  return includeTenantDomain ? `${inStore}@${claimed.tenant}` : inStore;
}

/** The end of the URI of the local claim that a claim of OpenID Connect is mapped to. */
function localOf(name: string): string {
  return oidcClaims[name] ?? name;
}

function oidcValue(name: string, claimed: ClaimedUser, role: Application["claimConfiguration"]["role"]): unknown {
  const { user } = claimed;
  const { profile } = user;
  switch (name) {
    case "preferred_username":
      return user.userName;
    case "name":
      return fullName(profile);
    case "updated_at":
      return Math.floor(user.modifiedMs / 1_000);
    case "email_verified":
    case "phone_number_verified": {
      const value = objectIn(profile, SYSTEM_SCHEMA)[name === "email_verified" ? "emailVerified" : "phoneVerified"];
      return value === undefined ? undefined : value === true || value === "true";
    }
    case "address":
      return addressOf(profile);
    case "phone_number":
      return oneOfMany(profile.phoneNumbers);
    case "roles":
      return rolesOf(claimed, role);
    default:
      return localValue(`${LOCAL}${localOf(name)}`, claimed);
  }
}

/** Role names, by their names in the application. */
function rolesOf({ roleNames }: ClaimedUser, { mappings = [] }: Application["claimConfiguration"]["role"]) {
  return roleNames.map((name) => mappings.find(({ localRole }) => localRole === name)?.applicationRole ?? name);
}

/** The value of a local claim; `undefined` for one that users do not have. */
function localValue(uri: string, claimed: ClaimedUser): unknown {
  if (!uri.startsWith(LOCAL)) return undefined;
  const { user } = claimed;
  const claim = uri.slice(LOCAL.length);
  switch (claim) {
    case "userid":
      return user.id;
    case "username":
      return qualifiedName(user);
    case "groups":
      return claimed.groupNames;
    case "roles":
    case "role":
      return claimed.roleNames;
    case "fullname":
      return fullName(user.profile);
    case "created":
      return new Date(user.createdMs).toISOString();
    case "modified":
      return new Date(user.modifiedMs).toISOString();
    default: {
      const path = attributes.get(claim);
      return path === undefined ? undefined : attributeValue(user.profile, path);
    }
  }
}

/** A simple value of an attribute: `name.givenName`, the best of `emails`, `emails.work`, or that of an extension. */
function attributeValue(profile: Json, path: string): unknown {
  const at = path.lastIndexOf(":");
  const owner = at < 0 ? profile : objectIn(profile, path.slice(0, at));
  const [name = "", part] = path.slice(at + 1).split(".");
  const value = owner[name];
  if (Array.isArray(value)) return oneOfMany(value, part);
  if (part === undefined) return isScalar(value) ? value : undefined;
  const inner = isObject(value) ? value[part] : undefined;
  return isScalar(inner) ? inner : undefined;
}

/** The value of a type, or the primary one, or the first. */
function oneOfMany(values: unknown, type?: string): unknown {
  const objects = Array.isArray(values) ? values.filter(isObject) : [];
  const best =
    type === undefined
      ? (objects.find(({ primary }) => primary === true) ?? objects[0])
      : objects.find((each) => each.type === type);
  return isScalar(best?.value) ? best.value : undefined;
}

function fullName(profile: Json): unknown {
  const { formatted, givenName, familyName } = objectIn(profile, "name");
  const joined = [givenName, familyName].filter((part) => typeof part === "string" && part !== "").join(" ");
  return [profile.displayName, formatted, joined].find((text) => typeof text === "string" && text !== "");
}

/** OpenID Connect Core 1.0 section 5.1.1. */
function addressOf({ addresses }: Json): unknown {
  const objects = Array.isArray(addresses) ? addresses.filter(isObject) : [];
  const address = objects.find(({ primary }) => primary === true) ?? objects[0];
  if (!address) return undefined;
  const { formatted, streetAddress: street_address, locality, region, postalCode: postal_code, country } = address;
  const named = { formatted, street_address, locality, region, postal_code, country };
  const present = Object.entries(named).filter(([, value]) => typeof value === "string" && value !== "");
  return present.length > 0 ? Object.fromEntries(present) : undefined;
}

function objectIn(owner: Json, name: string): Json {
  const value = owner[name];
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0);
}
