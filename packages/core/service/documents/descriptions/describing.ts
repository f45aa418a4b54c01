/** Gives every member of the component schemas a description, with its limits. */
import { isObject, type Json } from "../json-schema.ts";
import { memberDescriptions, nameDescriptions } from "./texts.ts";

/** Keeps members like `constructor` from reading the prototype. */
const textIn = (table: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/** The schemas, by their names, with descriptions of all members. */
export function describedSchemas(schemas: Json): Json {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      if (!isObject(schema) || !isObject(schema.properties)) return [name, schema];
      const members = Object.entries(schema.properties).map(([member, part]) => [
        member,
        isObject(part) ? describedMember(part, `${name}.${member}`, member) : part,
      ]);
      return [name, { ...schema, properties: Object.fromEntries(members) }];
    }),
  );
}

function describedMember(schema: Json, place: string, name: string): Json {
  const own = typeof schema.description === "string" ? schema.description : undefined;
  const text = own ?? textIn(memberDescriptions, place) ?? textIn(nameDescriptions, name);
  return text === undefined ? schema : { ...schema, description: withLimits(sentence(text), schema) };
}

/** A text that ends as a sentence does. */
export function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

/** The text with those limits of a schema that it does not name. */
export function withLimits(text: string, schema: Json): string {
  const missing = limitsOf(schema).filter(({ number }) => !text.includes(number));
  return [text, ...missing.map(({ words }) => words)].join(" ");
}

interface Limit {
  /** As it is written in texts. */
  readonly number: string;
  readonly words: string;
}

const INT32_MAX = 2_147_483_647;

function limitsOf({ type, minLength, maxLength, minItems, maxItems, items, minimum, maximum }: Json): readonly Limit[] {
  const limit = (value: unknown, words: (number: string) => string): readonly Limit[] => {
    if (typeof value !== "number" || value === INT32_MAX) return [];
    const number = value.toLocaleString("en");
    return [{ number, words: words(number) }];
  };
  const ofItems = isObject(items) ? items.maxLength : undefined;
  return [
    ...(typeof minLength === "number" && minLength > 1
      ? limit(minLength, (number) => `At least ${number} characters.`)
      : []),
    ...(type === "string" ? limit(maxLength, (number) => `At most ${number} characters.`) : []),
    ...(typeof minItems === "number" && minItems > 0 ? limit(minItems, (number) => `At least ${number} element.`) : []),
    ...limit(maxItems, (number) => `At most ${number} elements.`),
    ...limit(ofItems, (number) => `Each of at most ${number} characters.`),
    ...(typeof minimum === "number" && minimum !== 0 ? limit(minimum, (number) => `At least ${number}.`) : []),
    ...limit(maximum, (number) => `At most ${number}.`),
  ];
}
