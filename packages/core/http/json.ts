/**
 * What a JSON body must be before it is parsed: UTF-8, and free of what parsers disagree about or choke on.
 *
 * `JSON.parse` takes the last of two equal keys, accepts `__proto__`, lone surrogates, numbers beyond any double and any
 * depth; each of these is a way to say one thing to one reader and another to the next.
 */
import { Fault } from "../platform/faults.ts";

/** Nesting of a body. DynamoDB holds 32 levels; no shape of the API comes near. */
const DEPTH_MAX = 30;
/** Members of all objects of a body whose operation sets no limit of its own. */
export const MEMBERS_MAX = 10_000;

const NUMBER = /-?\d[\d.eE+-]*/y;

/** Decodes a body. Throws `request.malformed` when it is not UTF-8 or starts with a byte order mark. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Fault("request.malformed", "The request body is not valid UTF-8.", { cause });
  }
}

/**
 * Looks through a JSON text without building anything. It does not replace the parser: text that is not JSON may pass.
 * Throws `request.malformed` for repeated members, `__proto__`, lone surrogates, numbers too large for a double, more
 * than 30 levels or more members than `membersMax` (10,000 unless told).
 */
export function checkJsonText(text: string, membersMax = MEMBERS_MAX): void {
  const open: (Set<string> | undefined)[] = [];
  let count = 0;
  let nameExpected = false;
  for (let at = 0; at < text.length; ) {
    const char = text[at] as string;
    if (char === '"') {
      const end = endOfString(text, at);
      if (end < 0) throw malformed("A string is not closed.");
      const token = text.slice(at, end);
      const members = open.at(-1);
      if (members && nameExpected) {
        checkMember(members, readString(token));
        count += 1;
        if (count > membersMax) throw malformed(`More than ${membersMax} members.`);
      } else if (token.includes("\\u")) readString(token);
      nameExpected = false;
      at = end;
      continue;
    }
    if (char === "{" || char === "[") {
      open.push(char === "{" ? new Set() : undefined);
      if (open.length > DEPTH_MAX) throw malformed(`More than ${DEPTH_MAX} levels of nesting.`);
      nameExpected = char === "{";
    } else if (char === "}" || char === "]") {
      open.pop();
      nameExpected = false;
    } else if (char === ",") {
      nameExpected = open.at(-1) !== undefined;
    } else if (char === "-" || (char >= "0" && char <= "9")) {
      NUMBER.lastIndex = at;
      const token = NUMBER.exec(text)?.[0];
      if (token) {
        if (!Number.isFinite(Number(token))) throw malformed("A number is not one, or too large.");
        at += token.length;
        continue;
      }
    }
    at += 1;
  }
}

/** The end of the string token that starts at `start`, behind its closing quote; -1 when it never closes. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x5c) at += 1;
    else if (unit === 0x22) return at + 1;
  }
  return -1;
}

function checkMember(members: Set<string>, name: string): void {
  if (name === "__proto__") throw malformed('A member named "__proto__" is not accepted.');
  if (members.has(name)) throw malformed(`The member "${name.slice(0, 100)}" is given twice in one object.`);
  members.add(name);
}

function readString(token: string): string {
  try {
    const value = JSON.parse(token) as string;
    if (!value.isWellFormed()) throw malformed("A string holds half of a surrogate pair.");
    return value;
  } catch (error) {
    throw error instanceof Fault ? error : malformed("A string is not written as JSON writes strings.");
  }
}

function malformed(reason: string): Fault {
  return new Fault("request.malformed", `Provided request body content is not in the expected format. ${reason}`);
}
