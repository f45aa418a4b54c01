/**
 * Reading all members of a large group. Their items lie in the order of ids, which begin with the time at which the user
 * was made (UUIDs of version 7); so what is behind the first page is cut by time into spans that are read side by side.
 */
import { keys, MEMBER } from "../../table/keys.ts";
import { compareKeys, type Item, LAST, type Table } from "../../table/table.ts";
import { type Member, toMember } from "./membership.ts";

/** A Query answers a megabyte, which is fewer. */
const MEMBERS_PER_PAGE = 8_000;
/** So many members are expected of a span. A megabyte holds some 7,500. */
const MEMBERS_PER_SPAN = 5_000;
const SPANS_MAX = 16;
/** The digits of an id that tell its time: 8 before the first hyphen, 4 behind it. */
const TIME = /^M#([0-9a-f]{8})-([0-9a-f]{4})-/;

/** What is read, and how. */
export interface RollCall {
  readonly groupId: string;
  /** How many there should be: decides how finely the rest is cut. */
  readonly count: number;
  /** False reads at half the price, and an instant behind. */
  readonly consistent: boolean;
}

/**
 * All members of a group, in no order. One round trip to some 7,000; two or three more where the users were made evenly
 * over time, whatever their number.
 */
export async function readAllMembers(
  table: Table,
  tenant: string,
  { groupId, count, consistent }: RollCall,
): Promise<readonly Member[]> {
  const { PK } = keys.group(tenant, groupId);
  const everything = { PK, from: MEMBER, to: `${MEMBER}${LAST}`, limit: MEMBERS_PER_PAGE, consistent };
  const found = new Map<string, Member>();
  const take = (items: readonly Item[]) => {
    for (const item of items) {
      const member = toMember(item);
      found.set(member.userId, member);
    }
  };
  const readSpan = async (from: string, to: string, expected: number): Promise<void> => {
    const { items, next } = await table.query({ ...everything, from, to });
    take(items);
    // Time has told less than was hoped: the rest is cut more finely.
    if (next) await readSpans(next.SK, to, Math.max(expected - items.length, MEMBERS_PER_SPAN * 2));
  };
  /** Both ends may have been read already; a member that is read twice counts once. */
  const readSpans = async (from: string, to: string, expected: number): Promise<void> => {
    const bounds = cut(from, to, Math.min(SPANS_MAX, Math.ceil(expected / MEMBERS_PER_SPAN)));
    const each = expected / (bounds.length - 1);
    await Promise.all(bounds.slice(1).map((end, at) => readSpan(bounds[at] ?? from, end, each)));
  };
  const [first, last] = await Promise.all([
    table.query(everything),
    count > MEMBERS_PER_SPAN ? table.query({ ...everything, limit: 1, backwards: true }) : undefined,
  ]);
  take(first.items);
  const end = last?.items[0]?.SK ?? everything.to;
  if (first.next) await readSpans(first.next.SK, end, Math.max(count - first.items.length, MEMBERS_PER_SPAN));
  return [...found.values()];
}

/** Bounds that cut `[from, to]` into some spans of equal time; one span where ids tell no time. */
function cut(from: string, to: string, spans: number): readonly string[] {
  const [begin, end] = [timeOf(from), timeOf(to)];
  if (!(end > begin)) return [from, to];
  const bounds = Array.from({ length: spans - 1 }, (_, at) =>
    keyAt(Math.floor(begin + ((end - begin) * (at + 1)) / spans)),
  );
  const inside = [...new Set(bounds)].filter((key) => compareKeys(from, key) < 0 && compareKeys(key, to) < 0);
  return [from, ...inside, to];
}

function timeOf(sortKey: string): number {
  const [, high, low] = TIME.exec(sortKey) ?? [];
  return high === undefined || low === undefined ? Number.NaN : Number.parseInt(high + low, 16);
}

/** A sort key that is behind the ids of earlier times and before those of this one; no id is equal to it. */
function keyAt(ms: number): string {
  const time = ms.toString(16).padStart(12, "0");
  return `${MEMBER}${time.slice(0, 8)}-${time.slice(8)}`;
}
