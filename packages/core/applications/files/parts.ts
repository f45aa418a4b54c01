/**
 * The building blocks of the mapping between files and settings. A part declares an element of the file, a member of
 * the settings and the format of the value once, and serves both directions. Pure.
 */
import { refuseFile } from "./read-xml.ts";
import { childrenOf, type Element, element, find, textAt } from "./tree.ts";

/** Settings as plain data. Their shape is validated after all of them are read. */
export type Json = { readonly [name: string]: unknown };

/** What an element contains: a value, elements with names, or elements of one name. */
export type Shape = {
  /** Whether there may be several of the element. */
  readonly repeats?: true;
} & (
  | { readonly is: "text" | "flag" | "number"; readonly read?: Codec["read"] }
  /** `isMixed`: it may have a text too. */
  | { readonly is: "group"; readonly inside: Shapes; readonly isMixed?: true }
  | { readonly is: "list"; readonly item: string; readonly each: Shape }
);

/** Elements by their names. */
export type Shapes = Readonly<Record<string, Shape>>;

/** One part of the mapping, below one element of the file. */
export interface Part {
  /** The elements that the part reads. */
  readonly declares: Shapes;
  /** Reads members of the settings from the element. Throws `application.invalid`. */
  read(parent: Element): Json;
  /** Writes the settings as children of the element. */
  write(settings: Json): readonly Element[];
}

/** The format of a value in the text of an element. `undefined` is an absent value. */
export interface Codec {
  readonly is: "text" | "flag" | "number";
  /** Throws `application.invalid`. */
  read(given: string, name: string): unknown;
  write(value: unknown): string | undefined;
  /** The value when the element is absent. */
  readonly absent?: unknown;
}

/** Unchanged text. An empty element is an empty text. */
export const text: Codec = { is: "text", read: (given) => given, write: (value) => value as string | undefined };

/** A number of seconds. */
export const seconds: Codec = whole("a whole number of seconds");

/** How often something counts. */
export const count: Codec = whole("a whole number");

/** Words separated by spaces. */
export const wordList: Codec = {
  is: "text",
  read: (given) => given.split(/\s+/).filter((word) => word !== ""),
  write: (value) => (value as readonly string[]).join(" "),
};

/** Text. The word `null` means no text. */
export const nullable: Codec = {
  is: "text",
  read: (given) => (["", "null"].includes(given.trim()) ? undefined : given),
  write: (value) => (value as string | undefined) ?? "null",
};

type Path = readonly string[];

/** Text. An empty element means no text; `always` writes that element. */
export function filled(always?: "always"): Codec {
  return {
    is: "text",
    read: (given) => (given.trim() === "" ? undefined : given),
    write: (value) => (value as string | undefined) ?? (always ? "" : undefined),
  };
}

/** `true` or `false`, case-insensitive. `fallback` is the value of an empty or absent element. */
export function flag(fallback = false): Codec {
  return {
    is: "flag",
    read(given, name) {
      const word = given.trim().toLowerCase();
      if (word === "") return fallback;
      if (word !== "true" && word !== "false")
        throw refuseFile(`${name} must be true or false, not '${shown(given)}'.`);
      return word === "true";
    },
    write: (value) => String(value ?? fallback),
    absent: fallback,
  };
}

function shown(text: string): string {
  return text.trim().slice(0, 100);
}

/** A flag that is in the settings only if it differs from its default: that keeps them small. */
export function nonDefaultFlag(fallback = false): Codec {
  const { read, write } = flag(fallback);
  return {
    is: "flag",
    read: (given, name) => (read(given, name) === fallback ? undefined : !fallback),
    write,
  };
}

/** Whether the child with that name says `true`. Throws `application.invalid` for a text that is not a boolean. */
export function isTrue(parent: Element | undefined, name: string): boolean {
  return flag().read(textAt(parent, name) ?? "", name) === true;
}

/** The value at a path of members. */
export function at(settings: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, name) => (value !== null && typeof value === "object" ? (value as Json)[name] : undefined),
    settings,
  );
}

/** An object with the value at a path of members; an empty object for `undefined`. */
export function put(path: Path, value: unknown): Json {
  return value === undefined ? {} : (path.reduceRight<unknown>((below, name) => ({ [name]: below }), value) as Json);
}

/** Merges readings. They never have different values for one member. */
export function merged(...readings: readonly Json[]): Json {
  const members = new Map<string, unknown>();
  for (const [name, value] of readings.flatMap((reading) => Object.entries(reading))) {
    const before = members.get(name);
    members.set(name, isPlain(before) && isPlain(value) ? merged(before, value) : value);
  }
  return Object.fromEntries(members);
}

/** Whether a value is an object and not a list. */
export function isPlain(value: unknown): value is Json {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** An element whose text is one member of the settings; `member` is its path, separated by dots. */
export function field(name: string, member: string, codec: Codec): Part {
  const path = member.split(".");
  return {
    declares: { [name]: { is: codec.is, read: codec.read } },
    read(parent) {
      const given = textAt(parent, name);
      return put(path, given === undefined ? codec.absent : codec.read(given, name));
    },
    write(settings) {
      const given = codec.write(at(settings, path));
      return given === undefined ? [] : [element(name, given)];
    },
  };
}

/** An element with a fixed text, written and never read. */
export function constant(name: string, value: string): Part {
  return {
    declares: {},
    read: () => ({}),
    write: () => [element(name, value)],
  };
}

/** A list of texts: an element `name` with an element `item` per text. */
export function listOf(name: string, item: string, member: string): Part {
  const path = member.split(".");
  return {
    declares: listed(name, item, { is: "text" }),
    read(parent) {
      const list = find(parent, name);
      return list
        ? put(
            path,
            childrenOf(list, item).map((child) => child.text),
          )
        : {};
    },
    write: (settings) => [
      element(
        name,
        ((at(settings, path) ?? []) as readonly string[]).map((each) => element(item, each)),
      ),
    ],
  };
}

/** Declares an element that contains others. */
export function grouped(name: string, inside: Shapes): Shapes {
  return { [name]: { is: "group", inside } };
}

/** Declares an element `name` that contains elements `item`. */
export function listed(name: string, item: string, each: Shape): Shapes {
  return { [name]: { is: "list", item, each } };
}

/** Declares elements with a text. */
export function textsNamed(...names: readonly string[]): Shapes {
  return Object.fromEntries(names.map((name) => [name, { is: "text" }]));
}

/** Declares elements with `true` or `false`. */
export function flagsNamed(...names: readonly string[]): Shapes {
  const { is, read } = flag();
  return Object.fromEntries(names.map((name) => [name, { is, read }]));
}

/** Several parts of one element, in writing order. */
export function all(...parts: readonly Part[]): Part {
  return {
    declares: Object.assign({}, ...parts.map(({ declares }) => declares)),
    read: (parent) => merged(...parts.map((part) => part.read(parent))),
    write: (settings) => parts.flatMap((part) => part.write(settings)),
  };
}

/** An element that contains parts. */
export function group(name: string, ...parts: readonly Part[]): Part {
  const inside = all(...parts);
  return {
    declares: grouped(name, inside.declares),
    read(parent) {
      const found = find(parent, name);
      return found ? inside.read(found) : {};
    },
    write: (settings) => [element(name, inside.write(settings))],
  };
}

/** A group that is written only if the settings have the member. An empty element means an empty member. */
export function optionalGroup(name: string, member: string, ...parts: readonly Part[]): Part {
  const path = member.split(".");
  const inside = group(name, ...parts);
  return {
    declares: inside.declares,
    read: (parent) => (find(parent, name) ? merged(put(path, {}), inside.read(parent)) : {}),
    write: (settings) => (at(settings, path) === undefined ? [] : inside.write(settings)),
  };
}

function whole(what: string): Codec {
  return {
    is: "number",
    read(given, name) {
      const digits = given.trim();
      if (digits === "") return undefined;
      if (/^\d{1,15}$/.test(digits)) return Number(digits);
      throw refuseFile(`${name} must be ${what}, at most 15 digits, not '${shown(given)}'.`);
    },
    write: (value) => (value === undefined ? undefined : String(value)),
  };
}
