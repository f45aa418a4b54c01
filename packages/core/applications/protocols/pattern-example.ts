/**
 * Whether an expression can match an address at all: the program that RE2 makes of it is walked together with the form
 * of addresses that answers go to (decision 0155). Refuses nothing that could be used: the form is wider than what
 * sign-in accepts. Pure.
 */

/** An instruction of the engine. Its operations have the numbers of RE2. */
interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  matchRune(codePoint: number): boolean;
}

/** A compiled expression. */
export interface Program {
  readonly start: number;
  getInst(at: number): Instruction;
}

const ops = { alt: 1, altMatch: 2, empty: 4, fail: 5, match: 6, rune: 8, any: 10, anyNotLine: 11 } as const;
const EMPTY = { begin: 1 | 4, end: 2 | 8 } as const;

/** What is walked at most. Beyond, an expression counts as one that can match. */
const STEPS_MAX = 5_000;

/** Characters of an address, those first that make an ordinary one. `#` is not one of them. */
const CHARACTERS = [..."abcdefghijklmnopqrstuvwxyz0123456789/:.-_~?=&%+!$'()*,;@[]ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

const RUNNABLE = ["javascript", "data", "vbscript", "file", "blob", "about", "view-source", "filesystem"];
const SPECIAL = [...RUNNABLE, "http", "https", "ws", "wss", "ftp"];
const LOOPBACKS = ["localhost", "127.", "[::1]"];

/** Which addresses count: those that answers go to, or those of http on other machines too. */
export type Reach = "usable" | "any-http";

/** An address that the expression matches; `undefined` where there is none, and "" where it was not found in time. */
export function exampleOf(program: Program, reach: Reach): string | undefined {
  const queue: Place[] = [{ at: program.start, state: "", text: "", isEnd: false }];
  const seen = new Set<string>();
  for (let taken = 0; taken < queue.length; taken += 1) {
    if (taken > STEPS_MAX) return "";
    const place = queue[taken] as Place;
    const instruction = bound(program.getInst(place.at));
    if (instruction.op === ops.match && isComplete(place.state)) return place.text;
    for (const next of following(instruction, place, reach)) {
      const key = `${next.at} ${next.isEnd} ${next.state}`;
      if (!seen.has(key)) queue.push(next);
      seen.add(key);
    }
  }
  return undefined;
}

/** A place of the walk: an instruction, how far the address is, and its text so far. */
interface Place {
  readonly at: number;
  readonly state: string;
  readonly text: string;
  readonly isEnd: boolean;
}

/** The places that an instruction leads to. */
function following(instruction: ReturnType<typeof bound>, place: Place, reach: Reach): readonly Place[] {
  const { op, out, arg } = instruction;
  const next = { ...place, at: out };
  switch (op) {
    case ops.fail:
    case ops.match:
      return [];
    case ops.alt:
    case ops.altMatch:
      return [next, { ...place, at: arg }];
    case ops.empty:
      if ((arg & EMPTY.begin) !== 0 && place.text !== "") return [];
      return [{ ...next, isEnd: place.isEnd || (arg & EMPTY.end) !== 0 }];
    default:
      if (op < ops.rune || op > ops.anyNotLine) return [next];
      return place.isEnd ? [] : afterCharacter(instruction, next, reach);
  }
}

/** The places after one more character. */
function afterCharacter({ op, matchRune }: ReturnType<typeof bound>, next: Place, reach: Reach): readonly Place[] {
  const matching = CHARACTERS.filter((char) => op >= ops.any || matchRune(char.charCodeAt(0)));
  // In the rest of an address every character leads to the same place.
  const tried = next.state === "+" ? matching.slice(0, 1) : matching;
  return tried.flatMap((char) => {
    const state = after(next.state, char, reach);
    return state === undefined ? [] : [{ ...next, state, text: next.text + char }];
  });
}

function bound(instruction: Instruction) {
  const { op, out, arg } = instruction;
  return { op, out, arg, matchRune: (codePoint: number) => instruction.matchRune(codePoint) };
}

/**
 * The state after one more character, `undefined` where no address goes on so. States: letters of a scheme; `~` for a
 * scheme of an application; `:` and more for what follows https; `h:` and more for what follows http; `+` for the rest.
 */
function after(state: string, char: string, reach: Reach): string | undefined {
  if (state === "+") return "+";
  if (state.startsWith("h:")) return afterHttp(state, char, reach);
  if (state.startsWith(":")) return afterHttps(state, char);
  const letter = char.toLowerCase();
  if (char !== ":") {
    if (!(state === "" ? /[a-z]/ : /[a-z0-9+.-]/).test(letter)) return undefined;
    const word = state + letter;
    return SPECIAL.some((each) => each.startsWith(word)) ? word : "~";
  }
  if (state === "https") return ":";
  if (state === "http") return "h:";
  return state === "" || SPECIAL.includes(state) ? undefined : "+";
}

function afterHttps(state: string, char: string): string | undefined {
  if (state !== "://") return char === "/" ? `${state}/` : undefined;
  return /[^/?@:]/.test(char) ? "+" : undefined;
}

function afterHttp(state: string, char: string, reach: Reach): string | undefined {
  if (state === "h:" || state === "h:/") return char === "/" ? `${state}/` : undefined;
  const host = state.slice("h://".length);
  if (reach === "any-http") return /[^/?@:]/.test(char) ? "+" : undefined;
  if (host === "localhost" || host === "[::1]") return /[:/?]/.test(char) ? "+" : undefined;
  if (host === "127.") return /[0-9]/.test(char) ? "+" : undefined;
  const longer = host + char.toLowerCase();
  return LOOPBACKS.some((each) => each.startsWith(longer)) ? `h://${longer}` : undefined;
}

function isComplete(state: string): boolean {
  return state === "+" || state === "h://localhost" || state === "h://[::1]";
}
