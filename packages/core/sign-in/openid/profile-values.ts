/** Values of the profile of a user, as SCIM has it, for claims. Pure. */
import { isScalar, oneOfMany } from "../../directory/users/best-value.ts";
import { isObject } from "../../kernel/json.ts";

type Json = Readonly<Record<string, unknown>>;

/** A simple value of an attribute: `name.givenName`, the best of `emails`, `emails.work`, or that of an extension. */
export function attributeValue(profile: Json, path: string): unknown {
  const at = path.lastIndexOf(":");
  const owner = at < 0 ? profile : objectIn(profile, path.slice(0, at));
  const [name = "", part] = path.slice(at + 1).split(".");
  const value = owner[name];
  if (Array.isArray(value)) return oneOfMany(value, part);
  if (part === undefined) return isScalar(value) ? value : undefined;
  const inner = isObject(value) ? value[part] : undefined;
  return isScalar(inner) ? inner : undefined;
}

/** The name of the user in one text. */
export function fullName(profile: Json): unknown {
  const { formatted, givenName, familyName } = objectIn(profile, "name");
  const joined = [givenName, familyName].filter((part) => typeof part === "string" && part !== "").join(" ");
  return [profile.displayName, formatted, joined].find((text) => typeof text === "string" && text !== "");
}

/** The address as a claim (OpenID Connect Core 1.0 section 5.1.1). */
export function addressOf({ addresses }: Json): unknown {
  const objects = Array.isArray(addresses) ? addresses.filter(isObject) : [];
  const address = objects.find(({ primary }) => primary === true) ?? objects[0];
  if (!address) return undefined;
  const { formatted, streetAddress: street_address, locality, region, postalCode: postal_code, country } = address;
  const named = { formatted, street_address, locality, region, postal_code, country };
  const present = Object.entries(named).filter(([, value]) => typeof value === "string" && value !== "");
  return present.length > 0 ? Object.fromEntries(present) : undefined;
}

/** A complex attribute; an empty one where there is none. */
export function objectIn(owner: Json, name: string): Json {
  const value = owner[name];
  return isObject(value) ? value : {};
}
