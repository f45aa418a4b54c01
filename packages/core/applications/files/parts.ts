/**
 * The building blocks of the mapping between a file and settings: a part says once where something stands in the file, where
 * it stands in the settings and how it is written, and so serves both directions. Pure.
 */
import { refuseFile } from "./read-xml.ts";
import { childrenOf, type Element, element, find, textAt } from "./tree.ts";

/** Settings as plain data; their shape is judged when all of them are read. */
export type Json = { readonly [name: string]: unknown };

/** One part of the mapping, below one element of the file. */
export interface Part {
  /** What the element says, as a part of the settings. Throws `application.invalid` for what cannot be read. */
  read(parent: Element): Json;
  /** The children of the element that say the settings. */
  write(settings: Json): readonly Element[];
}

/** How one value stands in the text of an element; `undefined` is a value that is not there. */
export interface Codec {
  read(text: string, name: string): unknown;
  write(value: unknown): string | undefined;
  /** What it means when there is no such element. */
  readonly absent?: unknown;
}

/** Text as it is. An empty element is an empty text. */
export const text: Codec = { read: (given) => given, write: (value) => value as string | undefined };

/** A number of seconds. */
export const seconds: Codec = {
  read(given, name) {
    const digits = given.trim();
    if (digits === "") return undefined;
    if (!/^\d{1,15}$/.test(digits)) throw refuseFile(`${name} must be a number of seconds, not '${shown(given)}'.`);
    return Number(digits);
  },
  write: (value) => (value === undefined ? undefined : String(value)),
};

/** Words with blanks between them. */
export const words: Codec = {
  read: (given) => given.split(/\s+/).filter((word) => word !== ""),
  write: (value) => (value as readonly string[]).join(" "),
};

/** Text for which upstream writes the word `null` where there is none. */
export const nullable: Codec = {
  read: (given) => (["", "null"].includes(given.trim()) ? undefined : given),
  write: (value) => (value as string | undefined) ?? "null",
};

type Path = readonly string[];

/** Text that an empty element leaves out; `always` writes that element where there is no text. */
export function filled(always?: "always"): Codec {
  return {
    read: (given) => (given.trim() === "" ? undefined : given),
    write: (value) => (value as string | undefined) ?? (always ? "" : undefined),
  };
}

/** `true` or `false`, in any case of letters; `fallback` where the element is empty, and what an absent one means. */
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

/** A switch that the settings leave out where it stands as it does by itself, so that they stay small. */
export function unusual(usual = false): Codec {
  const { read, write } = flag(usual);
  return {
    read: (given, name) => (read(given, name) === usual ? undefined : !usual),
    write,
  };
}

/** The value at a path of members. */
export function at(settings: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, name) => (value !== null && typeof value === "object" ? (value as Json)[name] : undefined),
    settings,
  );
}

/** A value put at a path of members; nothing where there is no value. */
export function put(path: Path, value: unknown): Json {
  return value === undefined ? {} : (path.reduceRight<unknown>((below, name) => ({ [name]: below }), value) as Json);
}

/** Several readings as one. They never say different things of the same member. */
export function merged(...readings: readonly Json[]): Json {
  const members = new Map<string, unknown>();
  for (const [name, value] of readings.flatMap((reading) => Object.entries(reading))) {
    const before = members.get(name);
    members.set(name, isPlain(before) && isPlain(value) ? merged(before, value) : value);
  }
  return Object.fromEntries(members);
}

function isPlain(value: unknown): value is Json {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** An element of text that is one member of the settings; `member` is its path, written with dots. */
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

/** An element that always says the same, and that nobody reads. */
export function constant(name: string, value: string): Part {
  return {
    read: () => ({}),
    write: () => [element(name, value)],
  };
}

/** A list of texts: an element `name` with one element `item` for each. */
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

/** Several parts of one element, in the order in which they are written. */
export function all(...parts: readonly Part[]): Part {
  return {
    read: (parent) => merged(...parts.map((part) => part.read(parent))),
    write: (settings) => parts.flatMap((part) => part.write(settings)),
  };
}

/** An element that holds parts. */
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

/** A group that is written only where the settings have the member, which an element without content says too. */
export function optionalGroup(name: string, member: string, ...parts: readonly Part[]): Part {
  const path = member.split(".");
  const inside = group(name, ...parts);
  return {
    read: (parent) => (find(parent, name) ? merged(put(path, {}), inside.read(parent)) : {}),
    write: (settings) => (at(settings, path) === undefined ? [] : inside.write(settings)),
  };
}
