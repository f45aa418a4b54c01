/**
 * Reads sections of `deployment.toml`. A function reads the sections that it uses, so its bundle does not contain the
 * others. Every deployment, and `npm start`, reads the whole file first.
 */
import { parse, TomlError } from "smol-toml";
import * as z from "../../kernel/zod.ts";
import { fromFile } from "./file.ts";
import { lineFinder } from "./lines.ts";
import { parsing, reasonOf, table } from "./shared.ts";

type LineOf = ReturnType<typeof lineFinder>;
type Issue = z.core.$ZodIssue;

/** A section: its keys at the top of the file, and what is read from them. */
export interface Section<Read extends object> {
  readonly keys: readonly string[];
  parse(document: unknown, lineOf: LineOf): { readonly issues: readonly Issue[] } | { readonly read: Read };
}

/** What several sections read. */
type Merged<Sections extends readonly Section<object>[]> = Sections extends readonly [
  Section<infer Read>,
  ...infer Rest extends readonly Section<object>[],
]
  ? Read & Merged<Rest>
  : unknown;

const NAME_MAX = 100;
const ISSUES_SHOWN = 5;

/** Declares a section. */
export function section<Shape extends z.ZodRawShape, Read extends object>(
  shape: Shape,
  read: (values: z.output<z.ZodObject<Shape>>, lineOf: LineOf) => Read,
): Section<Read> {
  const schema = z.object(shape);
  return {
    keys: Object.keys(shape),
    parse(document, lineOf) {
      const parsed = schema.safeParse(document, parsing);
      return parsed.success ? { read: read(parsed.data, lineOf) } : { issues: parsed.error.issues };
    },
  };
}

/**
 * Reads sections from the text of a deployment.toml. `isWhole`: they are all sections that exist, so another key is
 * refused. Throws an `Error` that names the line that is not TOML, or up to 5 wrong keys with what to write instead.
 * The caller adds the name of the file.
 */
export function readSections<const Sections extends readonly Section<object>[]>(
  source: string,
  sections: Sections,
  isWhole: boolean,
): Merged<Sections> {
  const document = parseToml(source.replace(/^\uFEFF/, ""));
  const lineOf = lineFinder(source);
  const parsed = sections.map((each) => each.parse(document, lineOf));
  const issues = [
    ...parsed.flatMap((each) => ("issues" in each ? each.issues : [])),
    ...(isWhole ? unknownKeys(document, sections) : []),
  ];
  if (issues.length === 0) {
    return Object.assign({}, ...parsed.map((each) => ("read" in each ? each.read : {}))) as Merged<Sections>;
  }
  const problems = issues.slice(0, ISSUES_SHOWN).map((issue) => {
    const place = placeOf(document, issue.path);
    const line = lineOf(issue.path);
    return `${place && `${place}: `}${reasonOf(issue)}${line === undefined ? "" : ` (line ${line})`}`;
  });
  throw new Error(problems.join("; "));
}

/** Reads some sections of a file. Keys of other sections are not looked at. */
export function sectionsFromFile<const Sections extends readonly Section<object>[]>(path: string, sections: Sections) {
  return fromFile(path, (source) => readSections(source, sections, false));
}

function unknownKeys(document: unknown, sections: readonly Section<object>[]): readonly Issue[] {
  const known = Object.fromEntries(sections.flatMap(({ keys }) => keys.map((key) => [key, z.unknown().optional()])));
  return table(known).safeParse(document, parsing).error?.issues ?? [];
}

function parseToml(source: string): unknown {
  try {
    return parse(source);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const [reason] = cause.message.split("\n");
    throw new Error(`line ${cause.line}, column ${cause.column}: ${reason}`, { cause });
  }
}

/** The key path of an issue. An element of a list is shown by its name, or by its number. */
function placeOf(document: unknown, path: readonly PropertyKey[]): string {
  let place = "";
  let value = document;
  for (const step of path) {
    value = memberOf(value, step);
    if (typeof step !== "number") place += place ? `.${String(step)}` : String(step);
    else {
      const name = memberOf(value, "name") ?? memberOf(value, "domain");
      place += typeof name === "string" ? `["${name.slice(0, NAME_MAX)}"]` : `[number ${step + 1}]`;
    }
  }
  return place;
}

function memberOf(value: unknown, key: PropertyKey): unknown {
  return typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, key)?.value : undefined;
}
