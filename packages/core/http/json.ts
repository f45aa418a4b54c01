/**
 * Checks of a JSON body before it is parsed: UTF-8, and nothing that parsers disagree about.
 *
 * `JSON.parse` takes the last of two equal keys and accepts `__proto__`, lone surrogates, numbers beyond any double and
 * any depth. With each of these, two readers can see two different bodies.
 */
import { Fault } from "../kernel/faults.ts";

/** Levels of nesting. DynamoDB stores 32; the shapes of the API need far fewer. */
const DEPTH_MAX = 30;
/** Members of all objects of a body, unless the operation declares another limit. */
export const MEMBERS_MAX = 10_000;
/** Elements of all lists of a body: as many as members. A shape that refuses a list reads all of its elements first. */
export const ELEMENTS_MAX = 10_000;

const NUMBER = /-?\d[\d.eE+-]*/y;

/** Decodes a body. Throws `request.malformed` where it is not UTF-8. A byte order mark stays, and fails as JSON. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Fault("request.malformed", "The request body is not valid UTF-8.", { cause });
  }
}

/**
 * Scans a JSON text without building a value. It does not replace the parser: text that is not JSON may pass. Throws
 * `request.malformed` for repeated members, `__proto__`, lone surrogates, numbers too large for a double, more than 30
 * levels of nesting, or more members or elements than the limits. An empty list counts as one element.
 */
export function checkJsonText(text: string, limits: { members?: number; elements?: number } = {}): void {
  const { members = MEMBERS_MAX, elements = ELEMENTS_MAX } = limits;
  const scan: Scan = { text, at: 0, open: [], nameExpected: false, members: 0, elements: 0 };
  while (scan.at < text.length) {
    scan.at = step(scan, text[scan.at] as string);
    if (scan.members > members) throw malformed(`The objects have more than ${members} members together.`);
    if (scan.elements > elements) throw malformed(`The lists have more than ${elements} elements together.`);
  }
}

/** How far a scan is: the names of each open object, `undefined` for an open list, and what was counted. */
interface Scan {
  readonly text: string;
  at: number;
  readonly open: (Set<string> | undefined)[];
  nameExpected: boolean;
  members: number;
  elements: number;
}

/** Takes what begins with a character, and returns where the next begins. */
function step(scan: Scan, char: string): number {
  switch (char) {
    case '"':
      return afterString(scan);
    case "{":
    case "[":
      if (scan.open.length === DEPTH_MAX) throw malformed(`The nesting is deeper than ${DEPTH_MAX} levels.`);
      scan.open.push(char === "{" ? new Set() : undefined);
      scan.nameExpected = char === "{";
      if (char === "[") scan.elements += 1;
      return scan.at + 1;
    case "}":
    case "]":
      scan.open.pop();
      scan.nameExpected = false;
      return scan.at + 1;
    case ",":
      scan.nameExpected = scan.open.at(-1) !== undefined;
      if (!scan.nameExpected) scan.elements += 1;
      return scan.at + 1;
    default:
      return char === "-" || (char >= "0" && char <= "9") ? afterNumber(scan) : scan.at + 1;
  }
}

function afterString(scan: Scan): number {
  const { text, at } = scan;
  const malformedHere = (reason: string) => malformed(`${placeIn(text, at)}: ${reason}`);
  const end = endOfString(text, at);
  if (end < 0) throw malformedHere("the string has no closing quote.");
  const token = text.slice(at, end);
  const names = scan.nameExpected ? scan.open.at(-1) : undefined;
  if (names) {
    checkMember(names, readString(token, malformedHere), malformedHere);
    scan.members += 1;
  } else if (token.includes("\\u")) readString(token, malformedHere);
  scan.nameExpected = false;
  return end;
}

function afterNumber({ text, at }: Scan): number {
  NUMBER.lastIndex = at;
  const token = NUMBER.exec(text)?.[0];
  if (token === undefined) return at + 1;
  if (Number.isFinite(Number(token))) return at + token.length;
  throw malformed(`${placeIn(text, at)}: the number is not valid JSON or is larger than 1.8e308.`);
}

/** The index after the closing quote of the string that starts at `start`; -1 where it has none. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x5c) at += 1;
    else if (unit === 0x22) return at + 1;
  }
  return -1;
}

type MalformedHere = (reason: string) => Fault;

function checkMember(members: Set<string>, name: string, malformedHere: MalformedHere): void {
  if (name === "__proto__") throw malformedHere('the member name "__proto__" is not allowed.');
  if (members.has(name))
    throw malformedHere(`the member "${name.slice(0, 100)}" occurs twice in one object: remove one of them.`);
  members.add(name);
}

function readString(token: string, malformedHere: MalformedHere): string {
  try {
    const value = JSON.parse(token) as string;
    if (!value.isWellFormed()) throw malformedHere("the string contains an unpaired surrogate.");
    return value;
  } catch (error) {
    throw error instanceof Fault ? error : malformedHere("the string is not valid JSON.");
  }
}

/** Where an offset of a text is, for people: `Line 2, column 7`. */
export function placeIn(text: string, offset: number): string {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return `Line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
}

function malformed(reason: string): Fault {
  return new Fault("request.malformed", `Provided request body content is not in the expected format. ${reason}`);
}
