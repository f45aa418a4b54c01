/** The attributes of users as claims of WSO2 Identity Server, as events show them. Pure. */

import { type Change, type Json, SECRET } from "../../database/changes/model.ts";
import { isObject } from "../../kernel/json.ts";

/** A claim with its value. */
export interface Claim {
  readonly uri: string;
  readonly value: Json;
}

/** Claims that a change gave, changed and took away. */
export interface ClaimChanges {
  readonly addedClaims: readonly Claim[];
  readonly updatedClaims: readonly Claim[];
  readonly removedClaims: readonly Claim[];
}

const DIALECT = "http://wso2.org/claims/";
const USER_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:User";

/** By the path of the attribute in the document of a user. */
const claims: Readonly<Record<string, string>> = {
  userName: "username",
  externalId: "externalid",
  "name.givenName": "givenname",
  "name.familyName": "lastname",
  "name.middleName": "middleName",
  "name.formatted": "formattedName",
  "name.honorificPrefix": "honorificPrefix",
  "name.honorificSuffix": "honorificSuffix",
  displayName: "displayName",
  nickName: "nickname",
  profileUrl: "url",
  title: "title",
  userType: "userType",
  preferredLanguage: "preferredLanguage",
  locale: "local",
  timezone: "timeZone",
  emails: "emailaddress",
  phoneNumbers: "phoneNumbers",
  addresses: "addresses",
  photos: "photos",
};

/** Members that are no claims: events of their own say them, or they are secret. */
const others: ReadonlySet<string> = new Set(["active", "password", "id", "meta", "schemas", "groups", "roles"]);

/** The claims of the whole document of a user. */
export function claimsOf(document: Json | undefined): Claim[] {
  return leavesOf([], document).flatMap(({ path, value }) => claimOf(path, value));
}

/** The claims that the changes of a user are about; empty lists where they are about something else. */
export function claimChangesOf(changes: readonly Change[]): ClaimChanges {
  const of = (op: Change["op"]) =>
    changes
      .filter((change) => change.op === op && change.secret === undefined)
      .flatMap(({ path, value, from }) => leavesOf(segmentsOf(path), op === "remove" ? from : value))
      .flatMap(({ path, value }) => claimOf(path, value));
  return { addedClaims: of("add"), updatedClaims: of("replace"), removedClaims: of("remove") };
}

/** The segments of a JSON Pointer (RFC 6901). */
export function segmentsOf(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: Json;
}

/** The attributes in a value: members of objects one by one, lists as a whole. */
function leavesOf(path: readonly string[], value: Json | undefined): Leaf[] {
  if (value === undefined || isSecret(value)) return [];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([name, member]) => leavesOf([...path, name], member));
}

function claimOf(path: readonly string[], value: Json): Claim[] {
  const [first = ""] = path;
  if (path.length === 0 || others.has(first)) return [];
  const name = path.join(".");
  const uri = first.startsWith("urn:") ? [first, path.slice(1).join(".")].join(":") : `${USER_SCHEMA}:${name}`;
  const known = claims[name];
  return [{ uri: known === undefined ? uri : `${DIALECT}${known}`, value: shown(value) }];
}

/** Values of several, such as addresses: the values alone where each has one. A single one stands for itself. */
function shown(value: Json): Json {
  if (!Array.isArray(value)) return value;
  const values = (value as readonly Json[])
    .filter((one) => !isSecret(one))
    .map((one) => (isObject(one) && one.value !== undefined ? one.value : one));
  return values.length === 1 && values[0] !== undefined ? values[0] : values;
}

function isSecret(value: Json): boolean {
  return isObject(value) && value.secret === true && Object.keys(value).length === Object.keys(SECRET ?? {}).length;
}
