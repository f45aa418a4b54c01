/** The steps of a change of values: for each pair one on the count of its range, and one on a delta of it. */
import { compareKeys, LAST, type Step } from "../table.ts";
import { locate } from "./directory.ts";
import { rangeWithRoom } from "./fold.ts";
import { foundingLanes, laneStep } from "./lanes.ts";
import type { CountedRange, PairChange } from "./model.ts";
import { pairText } from "./pair.ts";
import {
  changeBytes,
  changeName,
  deltaAt,
  hasColumns,
  kindOfRange,
  rangeItem,
  rangeKey,
  type ValueContext,
  type ValueRange,
} from "./range-rows.ts";
import { crowded } from "./spread.ts";

/** A pair that comes or goes. */
export interface Turn {
  readonly text: string;
  readonly net: 1 | -1;
}

/** What a change does to one range; to the first of an index where there is none. */
interface RangeTurns {
  readonly range: ValueRange | undefined;
  readonly turns: readonly Turn[];
}

/**
 * The steps of a change; none for one that changes nothing. `isSpread`: a transaction that meets another one in a young
 * range ends in `Crowded`.
 */
export function changeSteps(
  context: ValueContext,
  { added, removed, several }: PairChange,
  moved: () => Error,
  isSpread = false,
): Promise<readonly Step[]> {
  const texts = { added: added.map(pairText), removed: removed.map(pairText), several };
  return textSteps(context, texts, moved, { isSpread });
}

/** The texts of pairs that come and go. */
export interface TextChange extends Pick<PairChange, "several"> {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** The same for texts. `near`: a range with room that need not be looked for. */
export async function textSteps(
  context: ValueContext,
  change: TextChange,
  moved: () => Error,
  { isSpread = false, near }: { readonly isSpread?: boolean; readonly near?: ValueRange | undefined } = {},
): Promise<readonly Step[]> {
  const turns = turnsOf(change);
  const located = await Promise.all(
    turns.map(({ text }) =>
      near && covers(near, text) ? near : rangeWithRoom(context, (consistent) => locate(context, text, consistent)),
    ),
  );
  const byRange = new Map<string, RangeTurns & { readonly turns: Turn[] }>();
  for (const [at, turn] of turns.entries()) {
    const range = located[at];
    const low = range?.low ?? "";
    const known = byRange.get(low);
    if (known) known.turns.push(turn);
    else byRange.set(low, { range, turns: [turn] });
  }
  return [...byRange.values()].flatMap((one, at) => {
    const { range } = one;
    const steps = rangeSteps(context, one, at === 0 ? change.several : 0, moved);
    // Where others write a range, it is spread; where they create the index, it is looked for again.
    const contended = range ? () => crowded(context, range) : moved;
    return isSpread ? steps.map((step) => ({ ...step, contended })) : steps;
  });
}

/** The turns of a change: what goes, and then what comes. */
export function turnsOf({ added, removed }: Pick<TextChange, "added" | "removed">): readonly Turn[] {
  return [...removed.map((text): Turn => ({ text, net: -1 })), ...added.map((text): Turn => ({ text, net: 1 }))];
}

/** Whether a text belongs to a range. */
export function covers({ low, high }: CountedRange, text: string): boolean {
  return compareKeys(low, text) <= 0 && compareKeys(text, high) < 0;
}

/** The steps of what a change does to one range. */
export function rangeSteps(
  { keys }: ValueContext,
  { range, turns }: RangeTurns,
  several: number,
  moved: () => Error,
): readonly Step[] {
  const low = range?.low ?? "";
  const sum = turns.reduce((total, { net }) => total + net, 0);
  const pending = turns.reduce((total, { text }) => total + changeBytes(text), 0);
  const nets = turns.map(({ text, net }) => [text, net] as const);
  if (hasColumns(keys) && range?.high === LAST) return [laneStep(keys, low, nets, moved)];
  const own = hasColumns(keys) ? Object.fromEntries(nets.map(([text, net]) => [changeName(text), net])) : {};
  const founded = hasColumns(keys) ? firstRange(0, 0, 0, 0) : firstRange(sum, several, pending, turns.length);
  const counting: Step = range
    ? {
        change: rangeKey(keys, low),
        add: { n: sum, p: pending, c: turns.length, ...(several !== 0 && { m: several }), ...own },
        when: {
          above: { hi: turns.reduce((most, { text }) => (compareKeys(text, most) > 0 ? text : most), "") },
          equal: kindOfRange(keys),
        },
        otherwise: moved,
      }
    : { put: rangeItem(keys, founded), when: "absent", otherwise: moved };
  if (hasColumns(keys)) return [counting, ...(range ? [] : foundingLanes(keys, nets, moved))];
  const byDelta = new Map<number, Record<string, number>>();
  for (const { text, net } of turns) {
    const at = deltaAt(keys, text);
    const nets = byDelta.get(at) ?? {};
    nets[changeName(text)] = net;
    byDelta.set(at, nets);
  }
  const changing = [...byDelta].map(
    ([at, add]): Step => ({ change: keys.delta(low, at), add, when: "any", otherwise: moved }),
  );
  return [counting, ...changing];
}

function firstRange(count: number, several: number, pending: number, changes: number): ValueRange {
  return { low: "", high: LAST, count, several, pending, changes, ticket: 0, fold: 0, slot: 0, depth: 0 };
}
