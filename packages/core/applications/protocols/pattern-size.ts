/** The size of a regular expression with its repeats written out. Pure. */

/** The limits of a pattern, for messages. */
export const PATTERN_LIMITS = "at most 1,024 characters, and at most 2,048 with its repeats written out";

/** A class of Unicode characters has hundreds of ranges, which cost as much as this many characters. */
const UNICODE_CLASS_SIZE = 32;
/** This many members of a class cost as much as one character. */
const MEMBERS_PER_SIZE = 32;
/** A group saves where it begins and ends, and an empty one is an instruction itself. */
const GROUP_SIZE = 3;
/** A loop, and the way past it if what it repeats can be empty: `^*` compiles to `(^+)?`. */
const STAR_SIZE = 2;
/** A branch, and the empty alternative that may follow. */
const ALTERNATIVE_SIZE = 2;

/** Flags are no part: a repeat after them repeats what precedes them. */
const FLAGS = /\(\?[A-Za-z-]+\)/y;
const REPEAT = /\{(\d{1,9})(?:(,)(\d{0,9}))?\}/y;

/** The sizes of an open group: of all of it, and of its last part, which a repeat multiplies. */
interface Group {
  sum: number;
  last: number;
}

/**
 * An upper bound of the instructions that RE2 compiles the pattern to, apart from a constant: `(ab?){3}` counts as
 * `(ab?)(ab?)(ab?)`. One pass over the text. The size of an invalid pattern means nothing.
 */
export function expandedSize(source: string): number {
  const open: [Group, ...Group[]] = [{ sum: 0, last: 0 }];
  for (let at = 0; at < source.length; ) at = source[at] === "(" ? opened(open, source, at) : counted(open, source, at);
  return open.reduce((sum, group) => sum + group.sum, 0);
}

/** Opens a group, or passes flags. Returns where the next part begins. */
function opened(open: [Group, ...Group[]], source: string, at: number): number {
  const flags = flagsAt(source, at);
  if (flags > 0) return at + flags;
  open.unshift({ sum: 0, last: 0 });
  return at + 1;
}

/** Adds the size of what is not the start of a group. Returns where the next part begins. */
function counted(open: [Group, ...Group[]], source: string, at: number): number {
  const char = source[at] as string;
  const { end, size } =
    char === "\\" ? escapeAt(source, at) : char === "[" ? classAt(source, at) : repeatAt(source, at);
  const [group, outer] = open;
  if (char === ")") {
    const inside = group.sum + GROUP_SIZE;
    if (outer) open.shift();
    add(outer ?? Object.assign(group, { sum: 0, last: 0 }), inside);
  } else if (char === "*" || char === "+" || char === "?") {
    const loop = char === "*" ? STAR_SIZE : 1;
    group.sum += loop;
    group.last += loop;
  } else if (char === "|") {
    group.sum += ALTERNATIVE_SIZE;
    group.last = 0;
  } else if (char === "{" && end > at + 1) {
    group.sum += (group.last + 1) * size - group.last;
    group.last = (group.last + 1) * size;
  } else add(group, size);
  return end;
}

function add(group: Group, size: number): void {
  if (size === 0) return;
  group.last = size;
  group.sum += size;
}

/** Part of a pattern: where it ends, and its size, or how often a repeat copies what precedes it. */
interface Part {
  readonly end: number;
  readonly size: number;
}

/** The length of flags such as `(?i)`; 0 for anything else. */
function flagsAt(source: string, at: number): number {
  FLAGS.lastIndex = at;
  return FLAGS.exec(source)?.[0].length ?? 0;
}

/** A repeat such as `{2,5}`, or one character. */
function repeatAt(source: string, at: number): Part {
  REPEAT.lastIndex = at;
  const [text, least, comma, most] = REPEAT.exec(source) ?? [];
  if (text === undefined) return { end: at + 1, size: 1 };
  // `{0,}` is a star, which costs no more than two copies.
  const copies = comma === undefined || most ? Number(most ?? least) : Math.max(2, Number(least) + 1);
  return { end: at + text.length, size: Math.max(1, copies) };
}

/** An escape: a class such as `\\p{Greek}`, a character such as `\\x{10FFFF}`, or a quotation from `\\Q` to `\\E`. */
function escapeAt(source: string, at: number): Part {
  const letter = source[at + 1] ?? "";
  const isClass = letter === "p" || letter === "P";
  const named = (isClass || letter === "x") && source[at + 2] === "{" ? source.indexOf("}", at) + 1 : 0;
  const end = named > 0 ? named : at + (isClass ? 3 : 2);
  if (letter !== "Q") return { end, size: isClass ? UNICODE_CLASS_SIZE : 1 };
  const closing = source.indexOf("\\E", end);
  return closing < 0 ? { end: source.length, size: source.length - end } : { end: closing + 2, size: closing - end };
}

/** A class in brackets. A bracket that comes first is a member. */
function classAt(source: string, at: number): Part {
  let members = 0;
  let end = source[at + 1] === "^" ? at + 2 : at + 1;
  for (let isFirst = true; end < source.length; isFirst = false) {
    const char = source[end] as string;
    if (char === "]" && !isFirst) return { end: end + 1, size: sizeOfClass(members) };
    const named = source.startsWith("[:", end) ? source.indexOf(":]", end) : -1;
    const part = char === "\\" ? escapeAt(source, end) : { end: named < 0 ? end + 1 : named + 2, size: 1 };
    members += part.size === UNICODE_CLASS_SIZE ? UNICODE_CLASS_SIZE * MEMBERS_PER_SIZE : part.size;
    ({ end } = part);
  }
  return { end, size: sizeOfClass(members) };
}

function sizeOfClass(members: number): number {
  return 1 + Math.floor(members / MEMBERS_PER_SIZE);
}
