/** Random users: values that meet, differ in case alone, are empty, long, of many alphabets, or several. */
import type { Json, Resource } from "#core/scim/protocol/schema/attribute.ts";
import type { Random } from "#tests/support/random.ts";

const families = [
  "Smith",
  "smythe",
  "SMITH",
  "Jones",
  "Ångström",
  "A\u030angstro\u0308m",
  "Ng",
  "Žižek",
  "Zeta\u{1F600}",
];
const givens = ["Kim", "kimberly", "Ada", "Åsa", "Jo", "jo", "İpek", "李"];
const domains = ["acme.com", "ACME.com", "example.org", "acme.co", "münchen.example"];
/** "": none. */
const types = ["work", "Home", "other", ""];
/** Above 690 bytes an index holds the beginning of a value. */
const long = "long".repeat(180);
const wide = "é".repeat(360);
export const LONG: readonly string[] = [long, `${long}-a`, `${long}-B`, wide, `${wide}z`];
/** Characters with a meaning in the texts of an index. */
const odd = ["a\u0001b", "\u{10FFFF}", "tail\u{10FFFF}", "\u{10FFFE}x", "tab\there", 'quote"d', "back\\slash"];

const word = (random: Random, most: number): string =>
  Array.from({ length: 1 + random.upTo(most) }, () => random.of([..."aeimnorstu"])).join("");

const displayName = (random: Random): string => {
  if (random.chance(0.01)) return random.of(LONG);
  if (random.chance(0.01)) return random.of(odd);
  if (random.chance(0.01)) return "";
  return `${random.of(givens)} ${random.upTo(400)}`;
};

const email = (random: Random, at: number): Json => {
  const type = random.of(types);
  const isValue = !random.chance(0.03);
  return {
    ...(isValue && { value: `${word(random, 5)}${random.upTo(3_000)}@${random.of(domains)}` }),
    ...((type !== "" || !isValue) && { type: type === "" ? "work" : type }),
    ...(at === 1 && { primary: true }),
  };
};

const numbersFrom = (random: Random, count: number): Json =>
  Array.from({ length: count }, (): Json => {
    const value = `${random.of(["+49 ", "0", "tel:"])}${random.upTo(100_000)}`;
    return { value, type: random.of(["work", "Mobile"]) };
  });

/** So many that a change of all of them does not fit into one transaction, where they have an index. */
export const manyNumbersFrom = (random: Random): Json => numbersFrom(random, 40 + random.upTo(60));

const nameOf = (random: Random): Resource => ({
  ...(!random.chance(0.15) && {
    familyName: random.chance(0.5) ? random.of(families) : `${word(random, 6)}${random.upTo(900)}`,
  }),
  ...(!random.chance(0.2) && { givenName: random.chance(0.6) ? random.of(givens) : word(random, 4) }),
});

/** The parts of a profile. Each may be absent. */
const parts: Readonly<Record<string, (random: Random) => Json | undefined>> = {
  name(random) {
    const name = nameOf(random);
    return Object.keys(name).length > 0 ? name : undefined;
  },
  displayName: (random) => (random.chance(0.2) ? undefined : displayName(random)),
  emails(random) {
    const count = random.of([0, 1, 1, 1, 2, 3]);
    return count === 0 ? undefined : Array.from({ length: count }, (_, at) => email(random, at));
  },
  phoneNumbers: (random) => (random.chance(0.7) ? undefined : numbersFrom(random, 1 + random.upTo(3))),
  externalId: (random) => (random.chance(0.25) ? undefined : `${random.of(["Ext", "ext"])}-${random.upTo(5_000)}`),
  title: (random) => (random.chance(0.5) ? undefined : random.of(["Driver", "Boss"])),
};
const names = Object.keys(parts);

export const profileFrom = (random: Random): Resource =>
  defined(names.map((name) => [name, parts[name]?.(random)] as const));

/** Other values for some parts. `undefined` takes one away. */
export const changesFrom = (random: Random): Readonly<Record<string, Json | undefined>> => {
  const count = 1 + random.upTo(3);
  return Object.fromEntries(
    Array.from({ length: count }, () => {
      const name = random.of(names);
      return [name, parts[name]?.(random)] as const;
    }),
  );
};

export const defined = (members: readonly (readonly [string, Json | undefined])[]): Resource =>
  Object.fromEntries(members.filter(([, value]) => value !== undefined)) as Resource;

/** A name that no other call with this number has; in random case, and of several alphabets. */
export const userNameFrom = (random: Random, number: number): string =>
  `${random.of(["user", "User", "kim.", "ada@", "Österreich", "li李", "z-"])}${word(random, 3)}.${number.toString(36)}`;
