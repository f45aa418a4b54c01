/**
 * The shifts of an alias, in its description: when each began, and which version had the traffic before it. All
 * functions of a shift have the same moment, so going back takes those along that it changed, and no others.
 */

/** One shift of one function. */
export interface Shift {
  /** When it began, to the second: `2026-01-31T12:00:00Z`. */
  readonly at: string;
  /** The version that had all the traffic before. */
  readonly from: string;
}

/** Lambda's limit for a description. */
const CHARACTERS_MAX = 256;
const ENTRY = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) from (\d+)$/;
const SEPARATOR = "; ";

/** The shifts that a description names, the latest first. Another text names none. */
export function shiftsIn(description: string): readonly Shift[] {
  return description.split(SEPARATOR).flatMap((entry) => {
    const [, at, from] = ENTRY.exec(entry) ?? [];
    return at === undefined || from === undefined ? [] : [{ at, from }];
  });
}

/** The description with these shifts, without the oldest that do not fit. */
export function descriptionOf(shifts: readonly Shift[]): string {
  let text = "";
  for (const { at, from } of shifts) {
    const longer = `${text === "" ? "" : `${text}${SEPARATOR}`}${at} from ${from}`;
    if (longer.length > CHARACTERS_MAX) break;
    text = longer;
  }
  return text;
}

/** The moment of a shift that begins now. */
export function momentOf(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
}
