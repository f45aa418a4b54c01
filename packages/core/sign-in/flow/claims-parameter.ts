/**
 * The parameter `claims` of an authorization request (OpenID Connect Core 1.0 section 5.5): single claims that a client
 * asks for, for its ID token and for UserInfo. Pure.
 */
import { isObject, parsedJson } from "../../kernel/json.ts";
import { AuthorizationError } from "./authorization-error.ts";

/** A value that a client asks a claim to have. */
export type ClaimValue = string | number | boolean;

/** One requested claim. */
export interface RequestedClaim {
  /** As it was sent: it may have a language, `name#de`, and need not exist. */
  readonly name: string;
  readonly isEssential: boolean;
  /** The values that are good enough, the best first; absent for any. */
  readonly values?: readonly ClaimValue[] | undefined;
}

/** The requested claims by the place where the client wants them. Each name once. */
export interface RequestedClaims {
  readonly idToken: readonly RequestedClaim[];
  readonly userInfo: readonly RequestedClaim[];
}

/** Characters of the parameter: it waits in the form of a page. */
const LENGTH_MAX = 4_096;
/** Claims for each place, and values of each claim. */
const CLAIMS_MAX = 50;
const VALUES_MAX = 20;
const TEXT_MAX = 255;

type Json = Readonly<Record<string, unknown>>;

/** Reads the parameter. Throws `AuthorizationError` where it does not have the form of the specification. */
export function readClaimsParameter(text: string | undefined): RequestedClaims | undefined {
  if (text === undefined) return undefined;
  if (text.length > LENGTH_MAX) throw refuse(`is longer than ${LENGTH_MAX} characters`);
  const given = parsedJson(text);
  if (!isObject(given)) throw refuse("is not a JSON object");
  // Other members are for extensions, which are ignored where they are not understood (section 5.5).
  return { idToken: claimsIn(given, "id_token"), userInfo: claimsIn(given, "userinfo") };
}

/** The requested claim of a name. */
export function requestedClaim(claims: readonly RequestedClaim[], name: string): RequestedClaim | undefined {
  return claims.find((each) => each.name === name);
}

function claimsIn(given: Json, place: "id_token" | "userinfo"): readonly RequestedClaim[] {
  const members = Object.hasOwn(given, place) ? given[place] : null;
  if (members === null) return [];
  if (!isObject(members)) throw refuse(`${place} is not an object`);
  const entries = Object.entries(members);
  if (entries.length > CLAIMS_MAX) throw refuse(`${place} has more than ${CLAIMS_MAX} members`);
  return entries.map(([name, wish]) => claimOf(name, wish, place));
}

function claimOf(name: string, wish: unknown, place: string): RequestedClaim {
  const at = `${place}.${name.slice(0, 100)}`;
  if (name === "" || name.length > TEXT_MAX) throw refuse(`${place} has a name without 1 to ${TEXT_MAX} characters`);
  if (wish === null) return { name, isEssential: false };
  if (!isObject(wish)) throw refuse(`${at} is neither null nor an object`);
  const { essential = false } = wish;
  if (typeof essential !== "boolean") throw refuse(`${at}.essential is neither true nor false`);
  const values = valuesOf(wish, at);
  return { name, isEssential: essential, ...(values && { values }) };
}

function valuesOf(wish: Json, at: string): readonly ClaimValue[] | undefined {
  const [hasOne, hasMany] = [Object.hasOwn(wish, "value"), Object.hasOwn(wish, "values")];
  if (hasOne && hasMany) throw refuse(`${at} has both value and values`);
  if (!hasOne && !hasMany) return undefined;
  const given: unknown = hasOne ? [wish.value] : wish.values;
  const isList = Array.isArray(given) && given.length > 0 && given.length <= VALUES_MAX && given.every(isValue);
  if (isList) return given;
  throw refuse(
    hasOne
      ? `${at}.value is no text, number, true or false`
      : `${at}.values is no list of 1 to ${VALUES_MAX} texts, numbers, true or false`,
  );
}

function isValue(value: unknown): value is ClaimValue {
  return typeof value === "string" ? value.length <= TEXT_MAX : typeof value === "number" || typeof value === "boolean";
}

function refuse(problem: string): AuthorizationError {
  return new AuthorizationError("invalid_request", `claims: ${problem}.`);
}
