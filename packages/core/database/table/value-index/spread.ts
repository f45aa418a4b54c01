/**
 * Spreads the pairs of a young range over several ranges, where writers meet in it. The values of a young tenant are
 * one range, and DynamoDB cancels all but one of the transactions that write an item at the same time. What a range
 * without packs has is in its deltas, so that one transaction takes it apart. An index whose writers do not meet keeps
 * few ranges, which cost its readers least.
 */
import { Crowded, Moved } from "../settle.ts";
import { compareKeys, type Item, type Step } from "../table.ts";
import { early } from "../timing.ts";
import {
  changeBytes,
  changeName,
  DELTAS,
  deltaAt,
  deltaOf,
  rangeItem,
  rangeKey,
  rangeOf,
  separator,
  type ValueContext,
  type ValueRange,
} from "./range-rows.ts";

/** Ranges that one transaction makes of one, with three rows each. */
const PARTS_MOST = 16;
/** From this depth on, ranges are not spread: values that come in their order would make ranges without end. */
const YOUNG_BELOW = 8;

/** The error for a transaction that met another one in a range: makes room before the next attempt. */
export function crowded(context: ValueContext, range: ValueRange): Crowded | undefined {
  if (!isYoung(range)) return undefined;
  const { PK, SK } = rangeKey(context.keys, range.low);
  return new Crowded(`${PK} ${SK}`, () => spread({ ...context, table: early(context.table) }, range));
}

/** Whether a range has no packs, and no one has begun to make some. */
function isYoung({ depth, count, ticket }: ValueRange): boolean {
  return depth < YOUNG_BELOW && count > 1 && ticket === 0;
}

/**
 * One attempt, which gives up where another writer has spread the range, comes between, or is writing: those who meet
 * in a range all try, and must not keep it busy.
 */
async function spread({ table, keys }: ValueContext, { low, high }: ValueRange): Promise<void> {
  const [item, ...deltas] = await table.snapshot([rangeKey(keys, low), ...DELTAS.map((at) => keys.delta(low, at))]);
  const range = item && rangeOf(item);
  if (range?.high !== high || !isYoung(range)) return;
  const texts = textsIn(deltas);
  if (texts?.length !== range.count) return;
  const deltaItem = (at: number, from: string, own: readonly string[]): Item => {
    const changes = own.filter((text) => deltaAt(keys, text) === at).map((text) => [changeName(text), 1] as const);
    // Another number in the range than in its deltas shows a reader that it has read one before and the other after.
    return { ...keys.delta(from, at), f: range.fold - 1, ...Object.fromEntries(changes) };
  };
  const unchanged = { equal: { c: range.changes, t: range.ticket } };
  try {
    await table.write(
      ...partsOf(range, texts).flatMap(({ range: part, texts: own }, at): Step[] => [
        { put: rangeItem(keys, part), when: at === 0 ? unchanged : "absent", otherwise: moved, contended: moved },
        ...DELTAS.map((delta): Step => ({ put: deltaItem(delta, part.low, own), when: "any", otherwise: moved })),
      ]),
    );
  } catch (error) {
    if (!(error instanceof Moved)) throw error;
  }
}

/** The pairs that deltas have, in order; `undefined` where they take some away, which only packs can have. */
function textsIn(deltas: readonly (Item | undefined)[]): readonly string[] | undefined {
  const changes = deltas.flatMap((item) => [...deltaOf(item).changes]).filter(([, net]) => net !== 0);
  return changes.every(([, net]) => net === 1) ? changes.map(([text]) => text).sort(compareKeys) : undefined;
}

/** Ranges with about equally many pairs, at least one. */
function partsOf(range: ValueRange, texts: readonly string[]) {
  const count = Math.min(PARTS_MOST, texts.length);
  const firsts = Array.from({ length: count }, (_, at) => Math.floor((at * texts.length) / count));
  const common = { fold: range.fold - 1, depth: Math.min(YOUNG_BELOW, range.depth + Math.ceil(Math.log2(count))) };
  const lowAt = (part: number): string => {
    const first = firsts[part];
    if (first === undefined) return range.high;
    return part === 0 ? range.low : separator(texts[first - 1] ?? "", texts[first] ?? "");
  };
  return firsts.map((first, part) => {
    const own = texts.slice(first, firsts[part + 1]);
    const pending = own.reduce((sum, text) => sum + changeBytes(text), 0);
    const bounds = { low: lowAt(part), high: lowAt(part + 1), count: own.length, pending };
    const counted = part === 0 ? { changes: range.changes + 1 } : { several: 0, changes: own.length };
    return { range: { ...range, ...common, ...bounds, ...counted }, texts: own };
  });
}

function moved(): Error {
  return new Moved("the range is not as it was read");
}
