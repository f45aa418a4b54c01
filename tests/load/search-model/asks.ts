/** Random lists: filters of every operator, joined by and, or and not, with brackets; orders; both versions of SCIM. */
import type { Json, Resource } from "#core/scim/protocol/schema/attribute.ts";
import type { Random } from "#tests/support/random.ts";
import { LONG } from "./people.ts";

/** What a request asks for. */
export interface Ask {
  readonly version: 1 | 2;
  readonly filter?: string;
  readonly sortBy?: string;
  readonly sortOrder?: "ascending" | "descending";
}

/** What asks may name. */
export interface Named {
  /** The ids of groups of which some users are members. */
  readonly groups: readonly string[];
  readonly stores: readonly string[];
}

/** Resources whose values filters take, so that they match some. */
export type Pool = readonly Resource[];

const DEPTH = 3;
const operators = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"];
const sorts = [
  "userName",
  "name.familyName",
  "name.givenName",
  "displayName",
  "active",
  "externalId",
  "meta.created",
  "meta.lastModified",
];
/** Those without an index, and the one of which users have several values. */
const others = ["title", "emails"];
const texts = ["", "a", "m", "@acme", "ACME", "Ext-1", "user", "zzz", "\u{1F600}", "ö", "Å", ...LONG];

const quoted = (text: string): string => JSON.stringify(text);
const member = (value: Json | undefined, name: string): Json | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Resource)[name] : undefined;
const textOf = (value: Json | undefined): string | undefined => (typeof value === "string" ? value : undefined);

/** The value of a path of one resource; of several elements, one of them. */
const valueAt = (random: Random, resource: Resource, path: string): string | undefined => {
  const [first = "", sub] = path.split(".");
  const value = resource[first];
  if (!Array.isArray(value)) return textOf(sub === undefined ? value : member(value, sub));
  return value.length > 0 ? textOf(member(random.of(value as readonly Json[]), sub ?? "value")) : undefined;
};

/** A value that someone has, or a part of it, perhaps in another case. */
const operandFor = (random: Random, pool: Pool, path: string): string => {
  const value = (random.chance(0.85) && pool.length > 0 && valueAt(random, random.of(pool), path)) || random.of(texts);
  const characters = Array.from(value);
  const from = random.chance(0.5) ? 0 : random.upTo(characters.length + 1);
  const to = random.chance(0.5) ? characters.length : from + random.upTo(characters.length - from + 1);
  const part = random.chance(0.4) ? value : characters.slice(from, to).join("");
  return random.of([part, part, part.toUpperCase(), part.toLowerCase(), part.normalize("NFD")]);
};

const stringTerm = (random: Random, pool: Pool, path: string, name = path): string =>
  random.chance(0.1) ? `${name} pr` : `${name} ${random.of(operators)} ${quoted(operandFor(random, pool, path))}`;

/** Names with a user store, in any case, which filters may write before them. */
const nameTerm = (random: Random, pool: Pool, stores: readonly string[]): string => {
  const term = stringTerm(random, pool, "userName");
  if (stores.length === 1 || random.chance(0.5)) return term;
  const store = random.of([...stores, ...stores.map((one) => one.toLowerCase()), "OTHER"]);
  return term.replace('"', `"${store}/`);
};

const timeTerm = (random: Random, pool: Pool): string => {
  const name = random.of(["created", "lastModified"]);
  const time = textOf(member(pool.length > 0 ? random.of(pool).meta : undefined, name)) ?? "2025-06-01T00:00:00.000Z";
  const forms = [time, time, time.replace("Z", "0001Z"), time.slice(0, -5), `${time.slice(0, -1)}-05:00`];
  if (random.chance(0.05)) return `meta.${name} pr`;
  return `meta.${name} ${random.of(["eq", "ne", "gt", "ge", "lt", "le"])} ${quoted(random.of(forms))}`;
};

const joined = (random: Random, depth: number, leaf: () => string): string => {
  if (depth === 0 || random.chance(0.45)) return leaf();
  if (random.chance(0.25)) return `not (${joined(random, depth - 1, leaf)})`;
  return `(${joined(random, depth - 1, leaf)} ${random.of(["and", "or"])} ${joined(random, depth - 1, leaf)})`;
};

const inEmail = (random: Random, pool: Pool): string =>
  joined(random, 2, () => {
    if (random.chance(0.5)) return stringTerm(random, pool, "emails.value", "value");
    if (random.chance(0.2)) return random.of(["type pr", "primary eq true", "primary pr"]);
    return `type ${random.of(["eq", "ne", "sw", "gt"])} ${quoted(random.of(["work", "HOME", "o", ""]))}`;
  });

const inName = (random: Random, pool: Pool): string =>
  joined(random, 1, () => {
    const sub = random.of(["familyName", "givenName"]);
    return stringTerm(random, pool, `name.${sub}`, sub);
  });

const leafOf = (random: Random, pool: Pool, { groups, stores }: Named): string => {
  const kind = random.upTo(100);
  if (kind < 44) {
    return stringTerm(random, pool, random.of(["name.familyName", "name.givenName", "displayName", "externalId"]));
  }
  if (kind < 55) return stringTerm(random, pool, random.of(["emails", "emails.value"]));
  if (kind < 58) return stringTerm(random, pool, "phoneNumbers.value");
  if (kind < 66) return nameTerm(random, pool, stores);
  if (kind < 68) return stringTerm(random, pool, "title");
  if (kind < 74) return random.of(["active eq true", "active ne true", "active eq false", "active pr"]);
  if (kind < 84) return timeTerm(random, pool);
  if (kind < 87 && groups.length > 0)
    return `groups.value ${random.of(["eq", "eq", "ne"])} ${quoted(random.of(groups))}`;
  if (kind < 91) return `emails[${inEmail(random, pool)}]`;
  if (kind < 94) return stringTerm(random, pool, "emails.value", `emails[${inEmail(random, pool)}].value`);
  if (kind < 95) return `emails[${inEmail(random, pool)}] pr`;
  if (kind < 98) return `name[${inName(random, pool)}]`;
  return random.of(["id pr", 'emails.type eq "work"', "name pr", "emails pr"]);
};

const sortFrom = (random: Random): Pick<Ask, "sortBy" | "sortOrder"> => {
  if (random.chance(0.4)) return {};
  const sortBy = random.chance(0.06) ? random.of(others) : random.of(sorts);
  return { sortBy, sortOrder: random.of(["ascending", "descending"]) };
};

/** A list of SCIM 1.1: one attribute and one value. */
const firstVersion = (random: Random, pool: Pool): Ask => {
  const path = random.of(["userName", "name.familyName", "displayName", "emails", "externalId", "meta.lastModified"]);
  const value = (pool.length > 0 && valueAt(random, random.of(pool), path)) || "kim";
  const asked = path.startsWith("meta") && random.chance(0.5) ? `${value.slice(0, -5)}Z` : value;
  const escaped = asked.replace(/["\\]/g, (character) => `\\${character}`);
  return { version: 1, ...(random.chance(0.8) && { filter: `${path} Eq "${escaped}"` }), ...sortFrom(random) };
};

/** One list. */
export const askFrom = (random: Random, pool: Pool, named: Named): Ask => {
  if (random.chance(0.1)) return firstVersion(random, pool);
  const filter = random.chance(0.93) ? joined(random, DEPTH, () => leafOf(random, pool, named)) : undefined;
  return { version: 2, ...(filter !== undefined && { filter }), ...sortFrom(random) };
};
