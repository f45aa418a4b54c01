/** Users in memory with indexes of their attributes, and what a scan of them answers. */

import type { NameReads } from "#core/database/table/name-index/reads.ts";
import { compareKeys } from "#core/database/table/table.ts";
import type { Pair } from "#core/database/table/value-index/model.ts";
import { indexedFacet, indexedText } from "#core/database/table/value-index/pair.ts";
import { foldName } from "#core/kernel/fold.ts";
import { listAfter, listPage } from "#core/scim/listing/list.ts";
import { orderOf } from "#core/scim/listing/request.ts";
import type { MemberList, NamedId, Position, Query, Source } from "#core/scim/listing/source.ts";
import { bindFilter } from "#core/scim/protocol/filter/bind.ts";
import { type Compare, pathName } from "#core/scim/protocol/filter/bound.ts";
import { matches } from "#core/scim/protocol/filter/evaluate.ts";
import { parseFilter } from "#core/scim/protocol/filter/parse.ts";
import { indexedAttribute, valuesOf } from "#core/scim/protocol/indexed.ts";
import { isSame } from "#core/scim/protocol/resource.ts";
import type { Resource } from "#core/scim/protocol/schema/attribute.ts";
import { userType } from "#core/scim/protocol/schema/resource-types.ts";
import { namesInMemory } from "#tests/unit/listing/names.support.ts";
import { type MemoryIndex, memoryIndex } from "../../support/value-index.ts";

/** A user with an index entry. */
export interface Person {
  readonly id: string;
  readonly key: string;
  readonly resource: Resource;
}

export const SHIPPED = [
  "emails.value",
  "name.familyName",
  "name.givenName",
  "displayName",
  "active",
  "externalId",
  "meta.created",
  "meta.lastModified",
] as const;

export interface Directory {
  readonly source: Source<Person>;
  readonly indexes: ReadonlyMap<string, MemoryIndex>;
  /** Resources and names that were read. */
  readonly asked: { resources: number; searches: number; memberLists: number };
}

const attributeOf = (name: string) => {
  const attribute = indexedAttribute(name);
  if (!attribute) throw new Error(`${name} cannot have an index`);
  return attribute;
};

/** The pairs of all people in the index of an attribute. */
const pairsOf = (name: string, people: readonly Person[]): Pair[] => {
  const attribute = attributeOf(name);
  return people.flatMap(({ id, resource }) => {
    const values = valuesOf(attribute, resource).map(({ value, facet }) => ({
      value: indexedText(value),
      facet: indexedFacet(facet),
      id,
    }));
    return values.length > 0 ? values : [{ value: "", facet: "", id }];
  });
};

/** A person with attributes. `seed` decides the id, whose order is not that of names. */
export const person = (seed: number, userName: string, attributes: Resource): Person => {
  const hex = (Math.imul(seed + 1, 2_654_435_761) >>> 0).toString(16).padStart(8, "0");
  const id = `${hex}-0000-7000-8000-${(Math.imul(seed + 7, 40_503) >>> 0).toString(16).padStart(12, "0")}`;
  return { id, key: foldName(userName), resource: { id, userName, ...attributes } };
};

const partsOf = (members: readonly NamedId[]): Omit<MemberList, "count"> => ({
  async read({ limit, after, backwards = false }) {
    const ordered = backwards ? members.toReversed() : members;
    const start = ordered.findIndex(({ id }) => id === after) + 1;
    return { entries: ordered.slice(start, start + limit), more: start + limit < ordered.length };
  },
  readAll: async () => members,
});

/**
 * A source of people with the indexes of some attributes. `isReady` says which of them are complete; each claims to have
 * `inflation` more pairs than it has.
 */
export const directoryOf = (
  people: readonly Person[],
  declared: readonly string[] = SHIPPED,
  isReady: (name: string) => boolean = () => true,
  inflation = 0,
): Directory => {
  const asked = { resources: 0, searches: 0, memberLists: 0 };
  const byId = new Map(people.map((one) => [one.id, one]));
  const names = namesInMemory(people);
  const index: NameReads = {
    ...names,
    search(isWanted, window) {
      asked.searches += 1;
      return names.search(isWanted, window);
    },
  };
  const indexes = new Map(declared.map((name) => [name, memoryIndex(pairsOf(name, people))]));
  const isOf =
    (...names: readonly string[]) =>
    ({ path, where }: Compare) =>
      !where && names.includes(pathName(path));
  const membersOf = ({ operand }: Compare) =>
    people.filter(({ resource }) => isSame(resource.groups, [{ value: operand }]));
  const source: Source<Person> = {
    nameAttribute: "userName",
    index,
    indexes: {
      declared,
      ready: async () => new Set(declared.filter(isReady)),
      async open(name) {
        const one = indexes.get(name);
        if (!one) throw new Error(`${name} is not declared`);
        const opened = await one.open();
        return { ...opened, total: opened.total + inflation };
      },
    },
    async readMany(ids) {
      asked.resources += ids.length;
      return ids.map((id) => byId.get(id));
    },
    keyOf: ({ key }) => key,
    resourcesOf: async (items) => items.map(({ resource }) => resource),
    canLookUp: isOf("id", "externalId", "groups.value"),
    lookUp: async (equality) =>
      equality.path.sub
        ? membersOf(equality).map(({ id }) => id)
        : people.filter(({ resource }) => resource[pathName(equality.path)] === equality.value).map(({ id }) => id),
    hasMemberList: isOf("groups.value"),
    async memberList(equality) {
      asked.memberLists += 1;
      const members = membersOf(equality).toSorted((a, b) => compareKeys(a.id, b.id));
      return members.length === 0 ? undefined : { count: members.length, ...partsOf(members) };
    },
  };
  return { source, indexes, asked };
};

/** What a request asks for. */
export interface Ask {
  readonly filter?: string | undefined;
  readonly sortBy?: string | undefined;
  readonly sortOrder?: string | undefined;
}

export const boundFilter = (text: string) => bindFilter(userType, parseFilter(text), { unknown: "refuse" });

export const queryOf = ({ filter, sortBy, sortOrder }: Ask, sources = 1): Query => ({
  filters: Array.from({ length: sources }, () => (filter === undefined ? undefined : boundFilter(filter))),
  ...orderOf(userType, "userName", { sortBy, sortOrder }),
});

/** What a scan finds: in the order of names, or of the sort value. */
export const scan = (people: readonly Person[], ask: Ask): readonly Person[] => {
  const query = queryOf(ask);
  const [filter] = query.filters;
  const found = people
    .filter(({ resource }) => !filter || matches(filter, resource))
    .sort((a, b) => compareKeys(a.key, b.key));
  if (query.backwards) found.reverse();
  const { order } = query;
  return order ? found.sort((a, b) => order.compare(order.valueOf(a.resource), order.valueOf(b.resource))) : found;
};

/** Reads all pages by offset. */
export const pagesByOffset = async (sources: readonly Source<Person>[], query: Query, limit: number) => {
  const items: Person[] = [];
  const totals = new Set<number>();
  for (let offset = 0; ; offset += limit) {
    const page = await listPage(sources, query, { offset, limit });
    items.push(...page.items);
    totals.add(page.total);
    if (offset + limit >= page.total) return { items, totals: [...totals] };
  }
};

/** Reads all pages by cursor. */
export const pagesByCursor = async (sources: readonly Source<Person>[], query: Query, limit: number) => {
  const items: Person[] = [];
  let at: Position | undefined;
  let total: number | undefined;
  do {
    const step = await listAfter(sources, query, at, limit);
    items.push(...step.items);
    total ??= step.total;
    // As a cursor contains it.
    at = step.next && (JSON.parse(JSON.stringify(step.next)) as Position);
  } while (at);
  return { items, total };
};

export const namesOf = (people: readonly Person[]): string[] => people.map(({ key }) => key);

const padded = (number: number): string => String(number).padStart(5, "0");

/** People whose names, values and ids are in different orders. */
export const people = (count: number, more: (at: number) => Resource = () => ({})): Person[] =>
  Array.from({ length: count }, (_, at) =>
    person(at, `name.${padded((at * 7_919) % 99_991)}`, {
      active: at % 20 !== 0,
      ...(at % 10 !== 3 && { name: { familyName: `Family ${at % 7}`, givenName: `Given ${padded(at)}` } }),
      title: at % 2 === 0 ? "Driver" : "Boss",
      emails: [{ value: `e${at}@${at % 3 === 0 ? "acme.com" : "example.org"}`, type: at % 4 === 0 ? "work" : "home" }],
      ...more(at),
    }),
  );

/** A page of a list. */
export const page = ({ source }: Directory, ask: Ask, offset = 0, limit = 10) =>
  listPage([source], queryOf(ask), { offset, limit });
/** How a request fails. */
export const failure = (asked: Promise<unknown>): Promise<unknown> => asked.catch((error: unknown) => error);
export const tooMany = { fault: "scim.too_many" };
