/** Lists that are read page after page, by each way of naming the next page. */
import { describe, expect, test } from "vitest";
import { listingOf } from "#client/listing.ts";
import type { Reply } from "#client/transport.ts";

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

const reading = (path: string, query: Query, pages: readonly unknown[]) => {
  const asked: Query[] = [];
  const listing = listingOf<number>(path, query, async (one) => {
    asked.push(one);
    const body = pages[asked.length - 1];
    if (body === undefined) throw new Error(`page ${asked.length} was not expected`);
    return { body } as Reply<unknown>;
  });
  return { asked, listing };
};

describe("the next page", () => {
  test("by cursor", async () => {
    const { asked, listing } = reading("/scim2/Users", { filter: "x" }, [
      { schemas: ["s"], totalResults: 3, nextCursor: "c", Resources: [1, 2] },
      { schemas: ["s"], totalResults: 3, Resources: [3] },
    ]);
    expect(await listing.all()).toEqual([1, 2, 3]);
    expect(asked).toEqual([
      { cursor: "", filter: "x" },
      { cursor: "c", filter: "x" },
    ]);
  });
  test("by index, where the program names the first one", async () => {
    const { asked, listing } = reading("/scim2/Groups", { startIndex: 1, count: 2 }, [
      { totalResults: 3, startIndex: 1, Resources: [1, 2] },
      { totalResults: 3, startIndex: 3, Resources: [3] },
    ]);
    expect(await listing.all()).toEqual([1, 2, 3]);
    expect(asked.map(({ startIndex }) => startIndex)).toEqual([1, 3]);
  });
  test("by link", async () => {
    const { asked, listing } = reading("/api/server/v1/applications", { limit: 2 }, [
      {
        totalResults: 3,
        applications: [1, 2],
        links: [
          { rel: "previous", href: "/x?offset=9" },
          { rel: "next", href: "/t/a.com/x?offset=2&limit=2&filter=a+b" },
        ],
      },
      { totalResults: 3, applications: [3], links: [] },
    ]);
    expect(await listing.all()).toEqual([1, 2, 3]);
    expect(asked[1]).toEqual({ limit: "2", offset: "2", filter: "a b" });
  });
  test("by the end of the page before", async () => {
    const { asked, listing } = reading("/api/server/v1/audit-events", {}, [
      { records: [1], next: "a" },
      { records: [2] },
    ]);
    expect(await listing.all()).toEqual([1, 2]);
    expect(asked).toEqual([{}, { after: "a" }]);
  });
  test("by an empty page whose search has not ended", async () => {
    const { listing } = reading("/api/server/v1/deleted-resources", {}, [
      { deletedResources: [1], next: "a" },
      { deletedResources: [], next: "b" },
      { deletedResources: [2] },
    ]);
    expect(await listing.all()).toEqual([1, 2]);
  });
  test("of the feed, until a page is empty", async () => {
    const { listing } = reading("/api/server/v1/changes", {}, [
      { records: [1], next: "a" },
      { records: [], next: "b" },
    ]);
    expect(await listing.all()).toEqual([1]);
  });
  test("by offset", async () => {
    const full = Array.from({ length: 30 }, (_, index) => index);
    const { asked, listing } = reading("/api/server/v1/applications/templates", {}, [
      { templates: full },
      { templates: [30] },
    ]);
    expect(await listing.all()).toHaveLength(31);
    expect(asked.map(({ offset }) => offset)).toEqual([undefined, 30]);
  });
  test("there is none after an empty page, nor one that was read", async () => {
    const feed = reading("/api/server/v1/changes", {}, [
      { records: [1], next: "a" },
      { records: [], next: "a" },
    ]);
    expect(await feed.listing.all()).toEqual([1]);
    const loop = reading("/api/server/v1/changes", {}, [
      { records: [1], next: "a" },
      { records: [2], next: "a" },
    ]);
    expect(await loop.listing.all()).toEqual([1, 2]);
  });
});

test("the first page alone, with its total", async () => {
  const { asked, listing } = reading("/scim2/Users", {}, [{ totalResults: 3, nextCursor: "c", Resources: [1, 2] }]);
  expect(await listing.page()).toEqual({ items: [1, 2], total: 3 });
  expect(asked).toHaveLength(1);
});
test("a list that is an array, and one without items", async () => {
  expect(await reading("/api/server/v1/scopes", {}, [[1, 2]]).listing.page()).toEqual({
    items: [1, 2],
    total: undefined,
  });
  expect(await reading("/scim2/Users", {}, [{ totalResults: 0 }]).listing.all()).toEqual([]);
});
test("nothing is read before the iteration, and no page more than it needs", async () => {
  const { asked, listing } = reading("/scim2/Users", {}, [{ nextCursor: "c", Resources: [1, 2] }]);
  expect(asked).toEqual([]);
  for await (const one of listing) if (one === 2) break;
  expect(asked).toHaveLength(1);
});
