/** Sources of lists in memory. */

import { compareKeys } from "#core/database/table/table.ts";
import type { MemberList, NamedId, Query, Source } from "#core/scim/listing/source.ts";
import { bindFilter } from "#core/scim/protocol/filter/bind.ts";
import { type BoundFilter, type Compare, pathName } from "#core/scim/protocol/filter/bound.ts";
import { parseFilter } from "#core/scim/protocol/filter/parse.ts";
import { userType } from "#core/scim/protocol/schema/resource-types.ts";
import { namesInMemory } from "#tests/unit/listing/names.support.ts";

/** A resource of these lists. */
export interface Person extends NamedId {
  readonly title: string;
  readonly groups: readonly string[];
}

export const bound = (text: string): BoundFilter => bindFilter(userType, parseFilter(text), { unknown: "refuse" });
export const padded = (number: number): string => String(number).padStart(7, "0");

/** Names and ids in different orders. */
export const people = (count: number, groups: (at: number) => readonly string[] = () => []): Person[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `id-${padded((at * 7_919) % count)}`,
    key: `name.${padded(at)}`,
    title: at % 3 === 0 ? "Driver" : "Dispatcher",
    groups: groups(at),
  }));

/** The reads of a source. */
export interface Asked {
  read: number;
  /** Of these, those that may be outdated copies. */
  copies: number;
  /** The most of one read. */
  most: number;
  memberEntries: number;
}

/** A source of people; `asked` counts what a list reads from it. */
export const sourceOf = (all: readonly Person[], bytesEach = 1) => {
  const asked: Asked = { read: 0, copies: 0, most: 0, memberEntries: 0 };
  const byId = new Map(all.map((person) => [person.id, person]));
  const index = namesInMemory(all);
  const lists = new Map<string, MemberList>();
  const memberListOf = (group: string): MemberList => {
    const known = lists.get(group);
    if (known) return known;
    const members = all.filter(({ groups }) => groups.includes(group)).sort((a, b) => compareKeys(a.id, b.id));
    const places = new Map(members.map(({ id }, at) => [id, at]));
    const list: MemberList = {
      count: members.length,
      async read({ limit, after, backwards = false }) {
        const ordered = backwards ? members.toReversed() : members;
        const place = after === undefined ? -1 : (places.get(after) ?? -1);
        const at = backwards && place >= 0 ? members.length - place : place + 1;
        // DynamoDB ends a page at a megabyte.
        const entries = ordered.slice(at, at + Math.min(limit, 7_000));
        asked.memberEntries += entries.length;
        return { entries, more: at + entries.length < members.length };
      },
      async readAll() {
        asked.memberEntries += members.length;
        return members.toReversed();
      },
    };
    lists.set(group, list);
    return list;
  };
  const isOf =
    (...names: readonly string[]) =>
    ({ path, where }: Compare) =>
      !where && names.includes(pathName(path));
  const source: Source<Person> = {
    nameAttribute: "userName",
    index,
    async readMany(ids, options) {
      asked.read += ids.length;
      asked.most = Math.max(asked.most, ids.length);
      asked.copies += options?.consistent === false ? ids.length : 0;
      for (const id of ids) options?.spend?.({ PK: "user", SK: id, profile: "p".repeat(bytesEach) });
      return ids.map((id) => byId.get(id));
    },
    keyOf: ({ key }) => key,
    resourcesOf: async (items) =>
      items.map(({ id, key, title, groups }) => ({
        id,
        userName: key,
        title,
        groups: groups.map((value) => ({ value })),
      })),
    canLookUp: isOf("id", "groups.value"),
    lookUp: async ({ path, value }, most) =>
      pathName(path) === "id"
        ? [String(value)]
        : all.flatMap(({ id, groups }) => (groups.includes(String(value)) ? [id] : [])).slice(0, most + 1),
    hasMemberList: isOf("groups.value"),
    memberList: async ({ value }) => (String(value) === "nobody" ? undefined : memberListOf(String(value))),
  };
  return { source, asked };
};

export const queryOf = (filter: string | undefined, more: Partial<Query> = {}): Query => ({
  filters: [filter === undefined ? undefined : bound(filter)],
  order: undefined,
  backwards: false,
  anyOrder: true,
  ...more,
});
export const keysOf = (items: readonly Person[]): string[] => items.map(({ key }) => key);
export const idsOf = (items: readonly Person[]): string[] => items.map(({ id }) => id);
