/**
 * Reading all members of a large group. Their rows are in the order of user ids, which begin with the time of creation
 * (UUIDs of version 7). So the part after the first page is cut by time into spans, which are read concurrently.
 */
import { MEMBER } from "../../database/table/keys.ts";
import { compareKeys, type Item, type Table } from "../../database/table/table.ts";
import { groupMembers, type Member, toMember } from "./membership.ts";

/** A Query returns a megabyte, which is fewer. */
const MEMBERS_PER_PAGE = 8_000;
/** The members that a span should hold. A megabyte holds some 7,500. */
const MEMBERS_PER_SPAN = 5_000;
const SPANS_MAX = 16;
/** The digits of a sort key that are the time of a UUID: 8 before the first hyphen, 4 after it. */
const TIME = /^M#([0-9a-f]{8})-([0-9a-f]{4})-/;

/** A read of all members. */
export interface AllMembersRead {
  readonly groupId: string;
  /** How many are expected: decides how finely the range is cut. */
  readonly count: number;
  /** False reads at half the price, and may miss the latest changes. */
  readonly consistent: boolean;
}

/**
 * All members of a group, in no order. One round trip up to about 7,000; two or three more for any number, where the
 * times of creation are spread evenly.
 */
export async function readAllMembers(
  table: Table,
  tenant: string,
  { groupId, count, consistent }: AllMembersRead,
): Promise<readonly Member[]> {
  const everything = { ...groupMembers.pairs({ tenant, id: groupId }), limit: MEMBERS_PER_PAGE, consistent };
  const found = new Map<string, Member>();
  const collect = (items: readonly Item[]) => {
    for (const item of items) {
      const member = toMember(item);
      found.set(member.userId, member);
    }
  };
  const readSpan = async (from: string, to: string, expected: number): Promise<void> => {
    const { items, next } = await table.query({ ...everything, from, to });
    collect(items);
    // This span has more members than expected: the rest is cut more finely.
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
  collect(first.items);
  const end = last?.items[0]?.SK ?? everything.to;
  if (first.next) await readSpans(first.next.SK, end, Math.max(count - first.items.length, MEMBERS_PER_SPAN));
  return [...found.values()];
}

/** Bounds that cut `[from, to]` into spans of equal time; one span where the ids hold no time. */
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

/** A sort key after the ids of earlier times and before those of this time. It equals no id. */
function keyAt(ms: number): string {
  const time = ms.toString(16).padStart(12, "0");
  return `${MEMBER}${time.slice(0, 8)}-${time.slice(8)}`;
}
