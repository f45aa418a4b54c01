/** Text files that others wrote: read whole, in UTF-8, and as plain data of a bounded size. */
import { load } from "js-yaml";

/** More values than a file that people edit has. Aliases of YAML can mean billions of them in a few lines. */
const VALUES_MAX = 200_000;
const DEPTH_MAX = 100;

/** What is wrong with a text. The message names the place in it. */
export class WrongText extends Error {}

/** The text of a file. A mark at its beginning is left out. Throws `WrongText` for what is no UTF-8. */
export function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new WrongText("the text is not UTF-8. Save it as UTF-8");
  }
}

/** The value that a text of YAML or JSON means. Throws `WrongText` for another text, and for too large a value. */
export function valueIn(text: string): unknown {
  let value: unknown;
  try {
    value = load(text);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const [first = ""] = error.message.split("\n");
    throw new WrongText(first);
  }
  checkSize(value);
  return value;
}

/** Throws `WrongText` for a value that is too large once its aliases are written out, or that contains itself. */
function checkSize(value: unknown): void {
  let left = VALUES_MAX;
  const walk = (one: unknown, depth: number): void => {
    left -= 1;
    if (left < 0) throw new WrongText(`with its aliases written out it has more than ${VALUES_MAX} values`);
    if (typeof one !== "object" || one === null) return;
    if (depth > DEPTH_MAX) throw new WrongText(`it is nested more than ${DEPTH_MAX} levels deep`);
    for (const member of Object.values(one)) walk(member, depth + 1);
  };
  walk(value, 0);
}
