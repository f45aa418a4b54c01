/**
 * Writes that DynamoDB does not get yet: a table over another one, which tries transactions out, keeps what they would
 * change, and shows it to every later read and write of the same request.
 *
 * A dry run drops what is kept. A deferral writes it later, with more steps in the last transaction.
 */
import { TransactionCancelled } from "./client/errors.ts";
import { afterStep, asStored, holds, Impossible, ITEM_BYTES_MAX, itemBytes } from "./effects.ts";
import { transactItem } from "./expressions.ts";
import { invalidRequest, unavailable } from "./failures.ts";
import { isReadByKey } from "./keys.ts";
import {
  compareKeys,
  FIRST,
  type Item,
  identityOf,
  type Key,
  keyOf,
  LAST,
  type RangeQuery,
  type Step,
  type Table,
} from "./table.ts";

const STEPS_PER_WRITE = 100;
const TRANSACTION_BYTES_MAX = 4_194_304;

/**
 * A table whose writes are kept. Its methods promise what those of `Table` do, with these differences:
 *
 * - `write` costs one serializable read of the items that its conditions are about and that no earlier write changed,
 *   instead of a transaction: one round trip. It uses no write units.
 * - The condition of a row of which some functions may read the key alone (`isReadByKey`) is tried with that, and
 *   `otherwise` gets no more. That such a row is unlike something, DynamoDB checks at once, in a transaction that
 *   changes nothing and uses write units.
 */
export interface Overlay extends Table {
  /** The transactions that are kept, in order. `count` and `forget` are transactions of one step. */
  pending(): readonly (readonly Step[])[];
  /**
   * Writes the kept transactions in order to the table below, `last` together with the last one: in a transaction of
   * its own where nothing is kept. Throws what `write` of that table throws for the first one that fails. It and those
   * after it are still kept then; those before it are written.
   */
  flush(last?: readonly Step[]): Promise<void>;
  /** Forgets all that is kept: reads show the table below again. */
  discard(): void;
}

/** An item as the kept transactions leave it. */
interface Kept {
  readonly key: Key;
  readonly item: Item | undefined;
}

interface Session {
  readonly table: Table;
  readonly transactions: (readonly Step[])[];
  /** By partition and sort key. */
  readonly kept: Map<string, Map<string, Kept>>;
}

/** The table of a rehearsal: what is written to it is never written to the table below. */
export function rehearsal(table: Table): Table {
  // What would refer to the item is never written.
  return { ...overlay(table), keeps: "for good", putNewer: async () => false };
}

/** Opens an overlay on the table of one request. */
export function overlay(table: Table): Overlay {
  const session: Session = { table, transactions: [], kept: new Map() };
  const { transactions, kept } = session;
  return {
    keeps: "until later",
    async get(key, options) {
      const own = keptOf(session, key);
      if (!own) return table.get(key, options);
      return options?.keyOnly && own.item ? { ...own.key } : own.item;
    },
    getMany: (keys, options) => readThrough(session, keys, (others) => table.getMany(others, options)),
    snapshot(keys) {
      // The table below rejects too many.
      if (keys.length > STEPS_PER_WRITE) return table.snapshot(keys);
      return readThrough(session, keys, (others) => table.snapshot(others));
    },
    query: (range) => queryPage(session, range),
    async nearest(range, _covers, { consistent = false } = {}) {
      const { items } = await queryPage(session, { ...range, backwards: true, limit: 1, consistent });
      return items[0];
    },
    queryAll: (range, most) => queryAll(session, range, most),
    write: (...steps) => keep(session, steps),
    putNewer: (item, attribute) => table.putNewer(item, attribute),
    async count(key, add, set) {
      const change: Step = { change: key, add, ...(set && { set }), when: "any", otherwise: unasked };
      await keep(session, [change]);
      return keptOf(session, key)?.item ?? { ...key };
    },
    forget: (key) => keep(session, [{ remove: key, when: "any", otherwise: unasked }]),

    pending: () => [...transactions],
    async flush(last = []) {
      if (transactions.length === 0 && last.length > 0) await table.write(...last);
      for (let steps = transactions[0]; steps; steps = transactions[0]) {
        await table.write(...steps, ...(transactions.length === 1 ? last : []));
        transactions.shift();
      }
      kept.clear();
    },
    discard() {
      transactions.length = 0;
      kept.clear();
    },
  };
}

function keptOf({ kept }: Session, { PK, SK }: Key): Kept | undefined {
  return kept.get(PK)?.get(SK);
}

/** Items in the order of the keys. `read` is called for those that no kept transaction changed, each once. */
async function readThrough(
  session: Session,
  keys: readonly Key[],
  read: (others: readonly Key[]) => Promise<(Item | undefined)[]>,
): Promise<(Item | undefined)[]> {
  const others = new Map(keys.filter((key) => !keptOf(session, key)).map((key) => [identityOf(key), key]));
  const found = others.size > 0 ? await read([...others.values()]) : [];
  const items = new Map([...others.keys()].map((identity, at) => [identity, found[at]]));
  return keys.map((key) => {
    const own = keptOf(session, key);
    return own ? own.item : items.get(identityOf(key));
  });
}

/** Tries a transaction out, and keeps it if every condition holds. */
async function keep(session: Session, steps: readonly Step[]): Promise<void> {
  checkTransaction(steps);
  const before = await currentItems(session, steps);
  // From here on nothing waits: concurrent writes of one request are tried one after the other.
  const tried = steps.map((step) => {
    const key = keyOf(step);
    const own = keptOf(session, key);
    return { step, key, item: own ? own.item : before.get(identityOf(key)) };
  });
  const failed = tried.find(({ step, item }) => !holds(step.when, item));
  if (failed) {
    const outcome = failed.step.otherwise(failed.item);
    if (outcome === "applied") return;
    throw outcome;
  }
  const effects = tried.map(({ step, key, item }) => ({
    key,
    outcome: outcomeOf(step, item),
    isCheck: "check" in step,
  }));
  const reasons = effects.map(({ outcome }) => outcome.impossible);
  if (reasons.some((reason) => reason !== undefined)) throw cancelled(steps, reasons);
  for (const { key, outcome, isCheck } of effects) {
    if (isCheck) continue;
    const partition = session.kept.get(key.PK) ?? new Map<string, Kept>();
    session.kept.set(key.PK, partition.set(key.SK, { key, item: outcome.item }));
  }
  // What writes them later does not start the request again where others write too.
  session.transactions.push(steps.map(({ contended: _, ...step }) => step));
}

interface Outcome {
  readonly item?: Item | undefined;
  readonly impossible?: string;
}

function outcomeOf(step: Step, item: Item | undefined): Outcome {
  try {
    return { item: afterStep(step, item) };
  } catch (error) {
    if (error instanceof Impossible) return { impossible: error.message };
    throw error;
  }
}

/** Throws what `write` throws for a transaction that DynamoDB rejects whatever its items are. */
function checkTransaction(steps: readonly Step[]): void {
  if (steps.length === 0 || steps.length > STEPS_PER_WRITE) {
    throw new RangeError(`a transaction of ${steps.length} steps`);
  }
  // Throws for impossible keys and values, as it does for DynamoDB.
  for (const step of steps) transactItem("-", step);
  if (new Set(steps.map((step) => identityOf(keyOf(step)))).size < steps.length) {
    throw invalidRequest("Transaction request cannot include multiple operations on one item");
  }
  if (steps.some(changesTwice)) throw invalidRequest("Two document paths overlap with each other");
  const sizes = steps.map((step) => ("put" in step ? itemBytes(asStored(step.put)) : 0));
  if (sizes.some((bytes) => bytes > ITEM_BYTES_MAX)) {
    throw invalidRequest("Item size has exceeded the maximum allowed size");
  }
  if (sizes.reduce((sum, bytes) => sum + bytes, 0) > TRANSACTION_BYTES_MAX) {
    throw invalidRequest("The items of the transaction are larger than 4 MB");
  }
}

/** Whether a change names an attribute twice, which DynamoDB does not accept. */
function changesTwice(step: Step): boolean {
  if (!("change" in step)) return false;
  const { set = {}, add = {}, take = {}, clear = [], push } = step;
  const names = [...[set, add, take].flatMap(Object.keys), ...clear, ...(push?.through ?? [])];
  return new Set(names).size < names.length;
}

/** The items that the steps depend on and that no kept transaction changed, by identity. At most one round trip. */
async function currentItems(session: Session, steps: readonly Step[]): Promise<Map<string, Item | undefined>> {
  const keys = steps
    .filter((step) => step.when !== "any" || "change" in step)
    .map(keyOf)
    .filter((key) => !keptOf(session, key));
  const [byKey, open] = [keys.filter(isReadByKey), keys.filter((key) => !isReadByKey(key))];
  const [found, ...foundKeys] = await Promise.all([
    open.length > 0 ? session.table.snapshot(open) : [],
    ...byKey.map((key) => session.table.get(key, { keyOnly: true })),
  ]);
  await Promise.all(unseen(steps, byKey).map((step) => session.table.write(step)));
  return new Map([
    ...open.map((key, at) => [identityOf(key), found[at]] as const),
    ...byKey.map((key, at) => [identityOf(key), foundKeys[at]] as const),
  ]);
}

/** Checks of values that this function may not read: DynamoDB makes them, and nothing is written. */
function unseen(steps: readonly Step[], byKey: readonly Key[]): readonly Step[] {
  const keys = new Set(byKey.map(identityOf));
  return steps.flatMap((step): Step[] => {
    const { when, otherwise } = step;
    const isTried = typeof when === "object" && when.unlike !== undefined && keys.has(identityOf(keyOf(step)));
    return isTried ? [{ check: keyOf(step), when, otherwise }] : [];
  });
}

/** What DynamoDB throws where the conditions hold and items cannot be changed as the steps say. */
function cancelled(steps: readonly Step[], reasons: readonly (string | undefined)[]): Error {
  return new TransactionCancelled(
    "Transaction cancelled, please refer cancellation reasons for specific reasons",
    steps.map((_, at) =>
      reasons[at] === undefined ? { Code: "None" } : { Code: "ValidationError", Message: reasons[at] },
    ),
  );
}

/** The items of a range that kept transactions wrote or removed, in the order of the range. */
function keptIn({ kept }: Session, { PK, from = FIRST, to = LAST, backwards, after }: RangeQuery): Kept[] {
  const order = (a: string, b: string) => (backwards ? compareKeys(b, a) : compareKeys(a, b));
  return [...(kept.get(PK)?.values() ?? [])]
    .filter(({ key: { SK } }) => compareKeys(SK, from) >= 0 && compareKeys(SK, to) <= 0)
    .filter(({ key: { SK } }) => after === undefined || order(SK, after.SK) > 0)
    .sort((a, b) => order(a.key.SK, b.key.SK));
}

/**
 * A page of the table below with what is kept. Where removals leave it short, it is filled up with one more page, and
 * so on: a reader of the first item of a range gets it.
 */
async function queryPage(session: Session, range: RangeQuery) {
  const own = keptIn(session, range);
  if (own.length === 0) return session.table.query(range);
  const order = (a: Key, b: Key) => (range.backwards ? compareKeys(b.SK, a.SK) : compareKeys(a.SK, b.SK));
  const items: Item[] = [];
  let after = range.after;
  let isMore = true;
  let merged = 0;
  let isFilled = false;
  while (isMore && !isFilled) {
    const page = await session.table.query({ ...range, ...(after && { after }), limit: range.limit - items.length });
    const { next } = page;
    const others = page.items.filter((item) => !keptOf(session, item));
    const until = next ? own.findLastIndex(({ key }) => order(key, next) <= 0) + 1 : own.length;
    const added = own.slice(merged, Math.max(merged, until)).flatMap(({ item }) => item ?? []);
    merged = Math.max(merged, until);
    items.push(...[...others, ...added].sort(order));
    after = next;
    isMore = next !== undefined;
    isFilled = items.length >= range.limit || others.length === page.items.length;
  }
  const cut = items.slice(0, range.limit);
  const last = cut.at(-1);
  if (cut.length === range.limit && last && (isMore || items.length > cut.length)) {
    return { items: cut, next: { PK: last.PK, SK: last.SK } };
  }
  return { items: cut, ...(after && { next: after }) };
}

async function queryAll(session: Session, range: RangeQuery, most = Number.POSITIVE_INFINITY): Promise<Item[]> {
  if (keptIn(session, range).length === 0) return session.table.queryAll(range, most);
  const items: Item[] = [];
  for (let after = range.after; items.length < most; ) {
    const limit = Math.min(range.limit, most - items.length);
    const page = await queryPage(session, { ...range, limit, ...(after && { after }) });
    for (const item of page.items) items.push(item);
    if (!page.next) break;
    after = page.next;
  }
  return items;
}

/** Never called: a step without a condition does not fail. */
function unasked(): Error {
  return unavailable(new Error("a step without a condition failed"));
}
