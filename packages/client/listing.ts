/** Lists that are read page after page, whichever way their route has of naming the next page. */
import type { Reply } from "./transport.ts";

/** A page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** How many there are in all; `undefined` where the route does not say. */
  readonly total: number | undefined;
}

/**
 * A list that nothing has read yet. Iterate over it, or call a method; each reads from the start. A fault of a page is
 * thrown where the iteration reaches it.
 */
export interface Listing<T> extends AsyncIterable<T> {
  /** All items. Keeps them in memory: iterate over a list that may be long. */
  all(): Promise<T[]>;
  /** The first page alone. */
  page(): Promise<Page<T>>;
  /** Page after page. */
  pages(): AsyncIterable<Page<T>>;
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;
type Members = Readonly<Record<string, unknown>>;

/** Members of a page that are lists of something else. */
const NOT_ITEMS: ReadonlySet<string> = new Set(["schemas", "links"]);
const TEMPLATES = /\/templates$/;
/** The feed of changes names a next page for ever: an empty one is its end for now. */
const FEED = /\/changes$/;
const SCIM = /^\/scim2(\/|$)/;
/** The size of a page of templates, whose answer does not name the next page. */
const TEMPLATES_PAGE = 30;

/** The list of a path. `read` requests one page. */
export function listingOf<T>(path: string, query: Query, read: (query: Query) => Promise<Reply<unknown>>): Listing<T> {
  async function* pages(): AsyncGenerator<Page<T>> {
    const seen = new Set<string>();
    let next: Query | undefined = firstOf(path, query);
    while (next) {
      const { body } = await read(next);
      const items = itemsOf(body) as readonly T[];
      const members = (Array.isArray(body) ? {} : body) as Members;
      const { totalResults: total } = members;
      yield { items, total: typeof total === "number" ? total : undefined };
      // A page whose search has not ended may be empty.
      const mayHaveNext = items.length > 0 || (typeof members.next === "string" && !FEED.test(path));
      next = mayHaveNext ? nextOf(path, next, members, items.length) : undefined;
      // A service that names the same page again would be read for ever.
      const key = JSON.stringify(next);
      if (seen.has(key)) return;
      seen.add(key);
    }
  }
  const iterate = async function* () {
    for await (const { items } of pages()) yield* items;
  };
  return {
    [Symbol.asyncIterator]: iterate,
    pages,
    async all() {
      const items: T[] = [];
      for await (const each of pages()) items.push(...each.items);
      return items;
    },
    async page() {
      for await (const first of pages()) return first;
      return { items: [], total: undefined };
    },
  };
}

/** SCIM lists are read by cursor (RFC 9865) unless the program asks for a start: changes meanwhile shift no page. */
function firstOf(path: string, query: Query): Query {
  if (TEMPLATES.test(path)) return { limit: TEMPLATES_PAGE, ...query };
  const isPaged = !SCIM.test(path) || query.startIndex !== undefined || query.cursor !== undefined;
  return isPaged ? query : { cursor: "", ...query };
}

function nextOf(path: string, query: Query, members: Members, count: number): Query | undefined {
  const { nextCursor, next, links, startIndex, totalResults } = members;
  if (typeof nextCursor === "string") return { ...query, cursor: nextCursor };
  if (typeof next === "string") return { ...query, after: next };
  if (Array.isArray(links)) {
    const link = (links as readonly Members[]).find(({ rel }) => rel === "next")?.href;
    if (typeof link !== "string") return undefined;
    return { ...query, ...Object.fromEntries(new URL(link, "http://localhost").searchParams) };
  }
  if (query.cursor === undefined && typeof startIndex === "number" && SCIM.test(path)) {
    const after = startIndex + count;
    return after <= Number(totalResults) ? { ...query, startIndex: after } : undefined;
  }
  if (TEMPLATES.test(path) && count >= Number(query.limit)) {
    return { ...query, offset: Number(query.offset ?? 0) + count };
  }
  return undefined;
}

function itemsOf(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body;
  const members = Object.entries((body ?? {}) as Members).filter(([name]) => !NOT_ITEMS.has(name));
  return (members.find(([, value]) => Array.isArray(value))?.[1] as readonly unknown[] | undefined) ?? [];
}
