/** Lists over HTTP, walked page by page: totals agree with what they show. */
import type { Run } from "./run-of-seed.ts";

const PAGE = 40;
const PAGES_MOST = 200;

/** How one list is paged. */
interface List {
  readonly path: string;
  /** The parameters of the page behind `shown` elements. */
  readonly page: (shown: number) => string;
  /** The member of the response that holds the elements. */
  readonly member: string;
}

const scim = (path: string): List => ({
  path,
  page: (shown) => `startIndex=${shown + 1}&count=${PAGE}`,
  member: "Resources",
});
const managed = (path: string, member: string): List => ({
  path,
  page: (shown) => `limit=${PAGE}&offset=${shown}`,
  member,
});

/** Every list that is paged by numbers. */
export const lists: readonly List[] = [
  scim("/scim2/Users"),
  scim("/scim2/Groups"),
  scim("/scim2/v2/Roles"),
  managed("/api/server/v1/applications", "applications"),
  managed("/api/server/v1/tenants", "tenants"),
];

/** Walks each list and reports where its total is not the number of its elements, or one stands in it twice. */
export const verifyLists = async ({ client, ledger }: Run): Promise<void> => {
  for (const { path, page, member } of lists) {
    const ids: string[] = [];
    let total = Number.NaN;
    for (let pages = 0; pages < PAGES_MOST; pages += 1) {
      const { status, body, text } = await client.read(`${path}?${page(ids.length)}`);
      if (status !== 200) {
        ledger.broken(path, `cannot be read: ${status} ${text.slice(0, 200)}`);
        break;
      }
      total = body.totalResults;
      const some = (body[member] ?? []) as { id: string }[];
      ids.push(...some.map(({ id }) => id));
      if (some.length < PAGE) break;
    }
    if (total !== ids.length) ledger.broken(path, `has a total of ${total} and shows ${ids.length}`);
    if (new Set(ids).size !== ids.length) ledger.broken(path, "shows an element twice");
  }
};
