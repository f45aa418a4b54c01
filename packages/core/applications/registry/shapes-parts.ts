/** What the shapes of applications are made of. */
import * as z from "../../kernel/zod.ts";

/** The maximum length of a list in a body. */
const LIST_MAX = 1_000;

/** A text of at most this many characters. */
export function text(most: number) {
  return z.string().max(most);
}

/** A list of at most 1,000 elements. */
export function list<T extends z.ZodType>(of: T) {
  return z.array(of).max(LIST_MAX);
}
