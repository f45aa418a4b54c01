/**
 * Plans what a write of a user changes in the indexes of its user store (decision 0095). A change that does not fit the
 * transaction of the user is settled right after it: the row of the user notes what such an index still holds.
 */
import type { Step, Table } from "../../database/table/table.ts";
import type { PairChange } from "../../database/table/value-index/model.ts";
import type { DeclaredIndexes } from "./declared-indexes.ts";
import { indexOfValues } from "./index-rows.ts";
import type { User } from "./model.ts";
import { attributeOf, heldPairs, notedPairs, orderOf, pairChange, pairsOf } from "./pairs.ts";

/** The steps of a transaction. */
export const STEPS_MOST = 100;
/** Pairs that one transaction settles: two steps each, and one on the row of the user. */
const PAIRS_AT_ONCE = 48;

/** The states of a user around a write; one is missing where the user is new, or removed. */
export interface IndexedChange {
  readonly tenant: string;
  readonly before?: User | undefined;
  readonly after?: User | undefined;
}

/** What a write changes in indexes. */
export interface IndexPlan extends Pick<User, "indexed" | "unsettled"> {
  readonly steps: readonly Step[];
}

/** How indexes are written. */
export interface IndexWriting {
  /** The attributes of which an index should hold the user after the write. */
  readonly names: readonly string[];
  /** Steps that the transaction has room for. */
  readonly room: number;
  /** The error where a range of an index is not as it was read. */
  readonly moved: () => Error;
  /** Whether the attempt is repeated by `settle`: young ranges in which writers meet are spread then. */
  readonly isSpread?: boolean;
}

/** What is planned for one attribute. */
interface Part {
  readonly name: string;
  readonly steps: readonly Step[];
  /** Noted where the steps do not fit. */
  readonly held: User["unsettled"];
}

/**
 * The steps of a write in indexes, and what the row of the user notes then. At most one round trip; more where ranges
 * are full.
 */
export async function planIndexes(
  table: Table,
  { tenant, before, after }: IndexedChange,
  { names, room, moved, isSpread }: IndexWriting,
): Promise<IndexPlan> {
  const wanted = after ? names : [];
  const userStore = (after ?? before)?.userStore ?? "";
  const order = orderOfChange(before, after);
  const parts = await Promise.all(
    [...new Set([...wanted, ...(before ? heldNames(before) : [])])].map(async (name): Promise<Part | undefined> => {
      const attribute = attributeOf(name);
      if (!attribute) return undefined;
      const held = before ? heldPairs(attribute, before) : [];
      const change = pairChange(held, after && wanted.includes(name) ? pairsOf(attribute, after) : []);
      const index = indexOfValues(table, tenant, userStore, name);
      const steps = change ? await index.steps({ ...change, order }, moved, isSpread) : [];
      return { name, steps, held: { [name]: notedPairs(held) } };
    }),
  );
  const { fitting, rest } = fittingParts(
    parts.flatMap((part) => part ?? []),
    room,
  );
  const unsettled = Object.assign({}, ...rest.map(({ held }) => held)) as NonNullable<User["unsettled"]>;
  return {
    steps: fitting.flatMap(({ steps }) => steps),
    indexed: fitting.map(({ name }) => name).filter((name) => wanted.includes(name)),
    unsettled: rest.length > 0 ? unsettled : undefined,
  };
}

function orderOfChange(before: User | undefined, after: User | undefined): number {
  if (!after) return before ? orderOf(before, "removal") : 0;
  return orderOf(after, before?.version === after.version ? "settling" : "write");
}

/** The most steps that a new user takes in indexes. */
export function stepsOfNew(user: User, declared: DeclaredIndexes | undefined): number {
  const attributes = (declared?.attributes ?? []).flatMap((name) => attributeOf(name) ?? []);
  return attributes.reduce((sum, attribute) => sum + 2 * pairsOf(attribute, user).length, 0);
}

/** The parts with the fewest steps that fit. */
function fittingParts(
  parts: readonly Part[],
  room: number,
): { readonly fitting: readonly Part[]; readonly rest: readonly Part[] } {
  let left = room;
  const fits = new Set(
    [...parts]
      .sort((a, b) => a.steps.length - b.steps.length)
      .filter(({ steps }) => {
        left -= steps.length;
        return left >= 0;
      }),
  );
  return { fitting: parts.filter((part) => fits.has(part)), rest: parts.filter((part) => !fits.has(part)) };
}

/** The attributes of which an index should hold a user: without a declaration, those of which one does. */
export function wantedNames(user: User, declared: DeclaredIndexes | undefined): readonly string[] {
  return declared?.attributes ?? heldNames(user);
}

/** The attributes of which an index holds something of a user, or should. */
export function heldNames({ indexed, unsettled = {} }: User): readonly string[] {
  return [...new Set([...indexed, ...Object.keys(unsettled)])];
}

/** What one transaction settles of one attribute. */
export interface Settling extends Pick<User, "indexed" | "unsettled"> {
  readonly attribute: string;
  readonly change: PairChange;
}

/**
 * What is to be settled next of a user; `undefined` where its indexes hold what they should. `names`: the attributes of
 * which an index should hold the user.
 */
export function nextSettling(user: User, names: readonly string[]): Settling | undefined {
  for (const name of new Set([...names, ...heldNames(user)])) {
    const attribute = attributeOf(name);
    if (!attribute) continue;
    const held = heldPairs(attribute, user);
    const wanted = names.includes(name) ? pairsOf(attribute, user) : [];
    const whole = pairChange(held, wanted);
    const isNoted = user.unsettled?.[name] !== undefined;
    if (!whole && !isNoted) continue;
    const removed = whole?.removed.slice(0, PAIRS_AT_ONCE) ?? [];
    const added = whole?.added.slice(0, PAIRS_AT_ONCE - removed.length) ?? [];
    const next = [...held.filter((pair) => !removed.includes(pair)), ...added];
    const isDone = next.length === wanted.length && !pairChange(next, wanted);
    const { [name]: _, ...others } = user.unsettled ?? {};
    const unsettled = isDone ? others : { ...others, [name]: notedPairs(next) };
    const indexed = user.indexed.filter((one) => one !== name);
    return {
      attribute: name,
      change: {
        ...(pairChange(held, next) ?? { added: [], removed: [], several: 0 }),
        order: orderOf(user, "settling"),
      },
      indexed: isDone && wanted.length > 0 ? [...indexed, name] : indexed,
      unsettled: Object.keys(unsettled).length > 0 ? unsettled : undefined,
    };
  }
  return undefined;
}
