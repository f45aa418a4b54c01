/**
 * The building blocks of the mapping between files and settings. A part declares an element of the file, a member of
 * the settings and the format of the value once, and serves both directions. Pure.
 */
import { refuseFile } from "./read-xml.ts";
import { childrenOf, type Element, element, find, textAt } from "./tree.ts";

/** Settings as plain data. Their shape is validated after all of them are read. */
export type Json = { readonly [name: string]: unknown };

/** One part of the mapping, below one element of the file. */
export interface Part {
  /** Reads members of the settings from the element. Throws `application.invalid`. */
  read(parent: Element): Json;
  /** Writes the settings as children of the element. */
  write(settings: Json): readonly Element[];
}

/** The format of a value in the text of an element. `undefined` is an absent value. */
export interface Codec {
  read(text: string, name: string): unknown;
  write(value: unknown): string | undefined;
  /** The value when the element is absent. */
  readonly absent?: unknown;
}

/** Unchanged text. An empty element is an empty text. */
export const text: Codec = { read: (given) => given, write: (value) => value as string | undefined };

/** A number of seconds. */
export const seconds: Codec = {
  read(given, name) {
    const digits = given.trim();
    if (digits === "") return undefined;
    if (!/^\d{1,15}$/.test(digits))
      throw refuseFile(`${name} must be a whole number of seconds, at most 15 digits, not '${shown(given)}'.`);
    return Number(digits);
  },
  write: (value) => (value === undefined ? undefined : String(value)),
};

/** Words separated by spaces. */
export const wordList: Codec = {
  read: (given) => given.split(/\s+/).filter((word) => word !== ""),
  write: (value) => (value as readonly string[]).join(" "),
};

/** Text. The word `null` means no text. */
export const nullable: Codec = {
  read: (given) => (["", "null"].includes(given.trim()) ? undefined : given),
  write: (value) => (value as string | undefined) ?? "null",
};

type Path = readonly string[];

/** Text. An empty element means no text; `always` writes that element. */
export function filled(always?: "always"): Codec {
  return {
    read: (given) => (given.trim() === "" ? undefined : given),
    write: (value) => (value as string | undefined) ?? (always ? "" : undefined),
  };
}

/** `true` or `false`, case-insensitive. `fallback` is the value of an empty or absent element. */
export function flag(fallback = false): Codec {
  return {
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
    read: () => ({}),
    write: () => [element(name, value)],
  };
}

/** A list of texts: an element `name` with an element `item` per text. */
export function listOf(name: string, item: string, member: string): Part {
  const path = member.split(".");
  return {
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

/** Several parts of one element, in writing order. */
export function all(...parts: readonly Part[]): Part {
  return {
    read: (parent) => merged(...parts.map((part) => part.read(parent))),
    write: (settings) => parts.flatMap((part) => part.write(settings)),
  };
}

/** An element that contains parts. */
export function group(name: string, ...parts: readonly Part[]): Part {
  const inside = all(...parts);
  return {
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
    read: (parent) => (find(parent, name) ? merged(put(path, {}), inside.read(parent)) : {}),
    write: (settings) => (at(settings, path) === undefined ? [] : inside.write(settings)),
  };
}
