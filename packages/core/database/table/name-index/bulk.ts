/** Claims many names in as few transactions as their ranges allow, with an outcome for each. */

import { Moved, settle, sideBySide } from "../settle.ts";
import { compareKeys, type Step } from "../table.ts";
import type { NewName } from "./claim.ts";
import { locate, rangeAtKey, readRanges } from "./directory.ts";
import { covers, entryItem, type IndexContext, isWide, type Range } from "./items.ts";
import { begin, locateRoom, moved, turn } from "./ranges.ts";

/** The outcome for one name. */
export type Outcome = "created" | Error;

/** The steps of a transaction for names: of its hundred, two are for a narrow range, and three for a wide one. */
const STEPS_FOR_NAMES = { narrow: 98, wide: 97 };
/** Up to this many names are located one by one (half a read unit each); for more the directory is read. */
const LOCATED_ONE_BY_ONE = 16;
const TRANSACTIONS_AT_ONCE = 8;

/** A name with its position in the caller's list. */
interface Waiting extends NewName {
  readonly at: number;
}

/** The condition of a step of one name has failed. */
class Refused extends Error {
  readonly at: number;
  readonly reason: Error;
  constructor(at: number, reason: Error) {
    super("the condition of one name has failed", { cause: reason });
    this.at = at;
    this.reason = reason;
  }
}

/** See `NameWrites.createMany`. */
export async function bulkCreate(context: IndexContext, names: readonly NewName[]): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const firsts = new Map<string, number>();
  names.forEach((name, at) => {
    if (firsts.has(name.key)) outcomes[at] = name.taken();
    else firsts.set(name.key, at);
  });
  const unsettled = (): Waiting[] =>
    names.map((name, at) => ({ ...name, at })).filter(({ at }) => outcomes[at] === undefined);
  for (let waiting = unsettled(); waiting.length > 0; waiting = unsettled()) {
    // The deadline limits rounds without progress: it starts again after each round that settles a name.
    await settle(context.deadlineMs, async (before) => {
      await createRound(context, waiting, before > 0, outcomes);
      if (unsettled().length === waiting.length) throw moved();
    });
  }
  return outcomes;
}

/** One transaction for each range with open names: several for one range would conflict. */
async function createRound(
  context: IndexContext,
  waiting: readonly Waiting[],
  consistent: boolean,
  outcomes: Outcome[],
): Promise<void> {
  const ranges = await locateAll(context, waiting, consistent);
  const located = new Map(ranges.map((range) => [range?.low, range]));
  const groups = Map.groupBy(waiting, (_, index) => ranges[index]?.low);
  await sideBySide([...groups], TRANSACTIONS_AT_ONCE, ([low, group]) =>
    createSome(
      context,
      group.toSorted((a, b) => compareKeys(a.key, b.key)),
      located.get(low),
      outcomes,
    ),
  );
}

/** The range of each name; `undefined` in an empty index. */
async function locateAll(
  context: IndexContext,
  names: readonly Waiting[],
  consistent: boolean,
): Promise<(Range | undefined)[]> {
  if (names.length <= LOCATED_ONE_BY_ONE) {
    return Promise.all(
      names.map(({ key }) => settle(context.deadlineMs, (before) => locate(context, key, consistent || before > 0))),
    );
  }
  const ranges = await readRanges(context, { consistent });
  return names.map(({ key }) => ranges[rangeAtKey(ranges, key)]);
}

/** One transaction for the first names of one range, and their outcomes. */
async function createSome(
  context: IndexContext,
  names: readonly Waiting[],
  located: Range | undefined,
  outcomes: Outcome[],
): Promise<void> {
  const [first] = names;
  if (!first) return;
  const range = located && (await locateRoom(context, first.key, true, located));
  const most = STEPS_FOR_NAMES[range && isWide(range) ? "wide" : "narrow"];
  const some = fitting(range ? names.filter(({ key }) => covers(range, key)) : names, most);
  const added = some.map(({ key }) => key);
  const ofRange = range ? turn(context, range, { added }) : begin(context, added);
  try {
    await context.table.write(...some.flatMap((name) => stepsOf(context, name)), ...ofRange);
    for (const { at } of some) outcomes[at] = "created";
  } catch (error) {
    if (error instanceof Moved) return;
    if (!(error instanceof Refused)) throw error;
    // One failed condition cancels the transaction. Other claimed names are found now, not in one transaction each.
    const entries = await context.table.getMany(some.map(({ key }) => context.keys.entry(key)));
    some.forEach(({ at, entry, taken }, index) => {
      const found = entries[index];
      // Its own id: this transaction was applied, and its response was lost.
      if (found) outcomes[at] = found.id === entry.id ? "created" : taken();
    });
    outcomes[error.at] ??= error.reason;
  }
}

/** The first names that fit one transaction: at least one. */
function fitting(names: readonly Waiting[], most: number): Waiting[] {
  let steps = 0;
  return names.filter((name, index) => {
    steps += 1 + name.steps.length;
    return index === 0 || steps <= most;
  });
}

/** The steps of one name. Each failure names it. */
function stepsOf({ keys }: IndexContext, { at, key, entry, steps, taken }: Waiting): Step[] {
  return [
    { put: entryItem(keys, key, entry), when: "absent", otherwise: () => new Refused(at, taken()) },
    ...steps.map((step): Step => {
      const otherwise: Step["otherwise"] = (found) => {
        const outcome = step.otherwise(found);
        // A write that was applied has claimed its name, so that the step before would have failed.
        return new Refused(
          at,
          outcome === "applied" ? new Error(`"${key}" is free, but one of its steps was applied`) : outcome,
        );
      };
      return { ...step, otherwise };
    }),
  ];
}
