/** The measured SCIM calls and their budgets. */
import { createdAt, type Dataset, marks } from "./dataset.ts";
import type { Budget } from "./report.ts";
import { pageBudget, prefixBudget, searchBudget, timeBudget, unknownNames, withResources } from "./users-budgets.ts";

/** One call. */
export interface ScimCall {
  readonly name: string;
  /** Default: GET. */
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly budget: Budget;
  /** The expected totalResults. */
  readonly total?: number;
  /** Milliseconds to wait before the call. */
  readonly afterMs?: number;
  /** Calls twice and measures the second call. */
  readonly twice?: boolean;
}

const PAGE = 100;

/** After this time, a container treats the names of groups that it has read as current (memberships/shown-names.ts). */
export const NAMES_SETTLED_MS = 1_100;

const READ_ONE: Budget = { roundTrips: 1 };
const CHANGE: Budget = { roundTrips: 3 };
/** One round trip to the index, and one to the user. */
const oneBudget: Budget = withResources(2, 2, 1);

/** The path of a list of users. */
export function users(parameters: Readonly<Record<string, string | number>>): string {
  return pathWith("/scim2/Users", parameters);
}

/** Lists, filters and changes of users. */
export function userCalls(dataset: Dataset): readonly ScimCall[] {
  return [...userLists(dataset), ...userChanges(dataset)];
}

function userLists(dataset: Dataset): readonly ScimCall[] {
  const { size, nameOf, idOf } = dataset;
  const one = Math.floor(size / 2) + 6;
  const marked = size / 100;
  // Plus the administrator.
  const all = size + 1;
  const list = (
    name: string,
    parameters: Record<string, string | number>,
    budget: Budget,
    total: number,
  ): ScimCall => ({
    name: `list, ${name}`,
    path: users(parameters),
    budget,
    total,
  });
  const filtered = (filter: string, budget: Budget, total: number, more: Record<string, string | number> = {}) =>
    list(
      [filter, ...Object.entries(more).map((pair) => pair.join(" "))].join(", "),
      { filter, ...more },
      budget,
      total,
    );
  return [
    list("first page, names of groups unknown", {}, unknownNames(PAGE), all),
    { ...list("first page", {}, pageBudget(PAGE), all), afterMs: NAMES_SETTLED_MS, twice: true },
    list("startIndex in the middle, names unknown", { startIndex: size / 2 }, unknownNames(PAGE), all),
    list("startIndex in the middle", { startIndex: size / 2 }, pageBudget(PAGE), all),
    list("last page, names unknown", { startIndex: all - PAGE + 1 }, unknownNames(PAGE), all),
    list("last page", { startIndex: all - PAGE + 1 }, pageBudget(PAGE), all),
    list("by name descending", { sortBy: "userName", sortOrder: "descending" }, pageBudget(PAGE), all),
    list("count 0", { count: 0 }, pageBudget(0), all),
    filtered(`userName eq "${nameOf(one)}"`, oneBudget, 1),
    filtered(`userName eq "nobody.at.all"`, oneBudget, 0),
    filtered(`userName sw "${marks.prefix}"`, prefixBudget(PAGE), marked),
    filtered(`userName sw "${marks.prefix}"`, prefixBudget(PAGE), marked, { startIndex: marked / 2 }),
    filtered(`userName sw "${nameOf(one).slice(0, -1)}"`, prefixBudget(PAGE), 1, {}),
    filtered(`userName co "${marks.infix}"`, searchBudget(PAGE), marked),
    filtered(`userName co "${marks.infix}"`, searchBudget(PAGE), marked, { startIndex: marked / 2 }),
    filtered(`userName ew "${marks.suffix}"`, searchBudget(PAGE), marked),
    filtered(`userName co "${marks.infix}" or userName ew "${marks.suffix}"`, searchBudget(PAGE), marked * 2),
    filtered(
      `userName sw "mi" and userName ew "${marks.suffix}"`,
      searchBudget(PAGE),
      countOf(dataset, "mi", marks.suffix),
    ),
    {
      ...list("by last change", { sortBy: "meta.lastModified", startIndex: size / 2 }, timeBudget(PAGE), all),
      twice: true, // The first page reads the names of groups, too.
    },
    { ...list("by creation", { sortBy: "meta.created", sortOrder: "descending" }, timeBudget(PAGE), all), twice: true },
    // The administrator is created with the table, and changed then.
    { ...filtered(`meta.lastModified gt "${createdAt(size - 1_001)}"`, timeBudget(PAGE), 1_001), twice: true },
    { ...filtered(`meta.created le "${createdAt(size / 2 - 1)}"`, timeBudget(PAGE), size / 2), twice: true },
    filtered(`externalId eq "hr-${String(one).padStart(9, "0")}"`, oneBudget, 1),
    filtered(`emails eq "D${one}@taxis.example.com"`, oneBudget, 1),
    filtered(`id eq "${idOf(one)}"`, { roundTrips: 1, readUnits: 2 }, 1),
    filtered(`userName eq "${nameOf(one)}" and active eq true`, oneBudget, 1),
    filtered(`emails eq "d${one}@taxis.example.com" or userName eq "${nameOf(one + 1)}"`, withResources(2, 4, 2), 2),
  ];
}

function userChanges({ nameOf, idOf }: Dataset): readonly ScimCall[] {
  const change = (name: string, method: string, user: number, body?: unknown): ScimCall => ({
    name,
    method,
    path: `/scim2/Users/${idOf(user)}`,
    ...(body !== undefined && { body }),
    budget: CHANGE,
  });
  return [
    { name: "read, without groups", path: `/scim2/Users/${idOf(1)}`, budget: READ_ONE },
    { name: "read, with groups, names unknown", path: `/scim2/Users/${idOf(29)}`, budget: { roundTrips: 2 } },
    { name: "read, with groups", path: `/scim2/Users/${idOf(29)}`, budget: READ_ONE },
    { name: "create", method: "POST", path: "/scim2/Users", body: newUser("plain.driver"), budget: CHANGE },
    {
      name: "create, with an external id and an e-mail address",
      method: "POST",
      path: "/scim2/Users",
      body: { ...newUser("fresh.driver"), ...contactsOf("fresh.driver") },
      budget: CHANGE,
    },
    change("replace", "PUT", 11, { userName: nameOf(11), name: { familyName: "New" }, externalId: "hr-new" }),
    change("replace with rename, near", "PUT", 12, { userName: `${nameOf(12)}x`, externalId: "hr-near" }),
    change("patch", "PATCH", 13, patch({ op: "replace", path: "title", value: "Dispatcher" })),
    change("patch, nothing new", "PATCH", 13, patch({ op: "replace", path: "title", value: "Dispatcher" })),
    change("rename, near", "PATCH", 14, patch({ op: "replace", path: "userName", value: `${nameOf(14)}x` })),
    change("rename, far", "PATCH", 15, patch({ op: "replace", path: "userName", value: `zz.${nameOf(15)}` })),
    {
      ...change(
        "rename, in two groups",
        "PATCH",
        10,
        patch({ op: "replace", path: "userName", value: `zz.${nameOf(10)}` }),
      ),
      // Where the names are few, the rename before it has split the range that the container remembers.
      budget: { roundTrips: 4 },
    },
    change("delete", "DELETE", 16),
    change("delete, in groups", "DELETE", 20),
  ];
}

function countOf({ size, nameOf }: Dataset, start: string, end: string): number {
  let count = 0;
  for (let user = 0; user < size; user += 1) {
    const name = nameOf(user);
    if (name.startsWith(start) && name.endsWith(end)) count += 1;
  }
  return count;
}

function newUser(userName: string) {
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
    userName,
    password: "correct horse battery staple".replaceAll(" ", "-"),
  };
}

/** What a user is looked up by, besides its name. */
function contactsOf(userName: string) {
  return {
    externalId: `fresh ${userName}`,
    emails: [{ value: `${userName}@fresh.example.com`, type: "work" }],
  };
}

/** Lists and changes of groups, and lists of users by groups. Some calls need the results of earlier ones. */
export async function groupCalls(
  dataset: Dataset,
  run: (call: ScimCall) => Promise<unknown>,
): Promise<readonly ScimCall[]> {
  const { size, idOf, groupIdOf, groups: all } = dataset;
  const [vast, large] = [groupIdOf(0), groupIdOf(1)];
  const change = (name: string, id: string, ...operations: readonly object[]): ScimCall => ({
    name,
    method: "PATCH",
    path: groupPath(id),
    body: patch(...operations),
    budget: CHANGE,
  });
  const adding = (user: number) => ({ op: "add", path: "members", value: [{ value: idOf(user) }] });
  const removing = (user: number) => ({ op: "remove", path: `members[value eq "${idOf(user)}"]` });
  // Earlier calls deleted one member of the largest group.
  const inVast = (all[0]?.memberCount ?? 0) - 1;
  const made = (await run({
    name: "create group, 3 members",
    method: "POST",
    path: "/scim2/Groups",
    body: { displayName: "Airport", members: [101, 102, 103].map((user) => ({ value: idOf(user) })) },
    budget: CHANGE,
  })) as { readonly id: string };
  return [
    ...groupReads(dataset),
    change("add a member to a group of 3", made.id, adding(104)),
    change("remove a member from a group of 4", made.id, removing(104)),
    change("add a member to a group of 1,000", large, adding(104)),
    change(`add a member to a group of ${size / 10}`, vast, adding(104)),
    change("add an existing member", vast, adding(104)),
    change(`remove a member from a group of ${size / 10}`, vast, removing(104)),
    ...usersByGroup(dataset, inVast),
    change(`rename a group of ${size / 10}`, vast, { op: "replace", path: "displayName", value: "Everybody" }),
    {
      name: "replace group with rename, 4 members",
      method: "PUT",
      path: groupPath(made.id),
      body: { displayName: "Airports", members: [101, 105, 106, 107].map((user) => ({ value: idOf(user) })) },
      // The members are read before the ranges of names.
      budget: { roundTrips: 4 },
    },
    {
      name: "replace group, 4 members",
      method: "PUT",
      path: groupPath(made.id),
      body: { displayName: "Airports", members: [101, 105, 106, 108].map((user) => ({ value: idOf(user) })) },
      budget: CHANGE,
    },
    { name: "delete group, 4 members", method: "DELETE", path: groupPath(made.id), budget: CHANGE },
  ];
}

function groupReads({ size, idOf, groupIdOf, groups: all }: Dataset): readonly ScimCall[] {
  const [vast, large, small] = [groupIdOf(0), groupIdOf(1), groupIdOf(2)];
  return [
    {
      name: "list groups without members",
      path: groups({ excludedAttributes: "members" }),
      budget: pageBudget(PAGE),
      total: all.length + 1,
    },
    {
      name: "list groups with members",
      path: groups({ startIndex: 10, filter: 'displayName sw "Stand"' }),
      // Plus a round trip for the members.
      budget: { roundTrips: 4 },
      total: all.length - 2,
    },
    {
      name: "find group by name",
      path: groups({ filter: 'displayName eq "Stand 00001"', excludedAttributes: "members" }),
      budget: oneBudget,
      total: 1,
    },
    {
      name: "find groups of a user",
      path: groups({ filter: `members.value eq "${idOf(29)}"`, excludedAttributes: "members" }),
      budget: withResources(2, 2, 2),
      total: 1,
    },
    { name: "read group, some 20 members", path: groupPath(small), budget: READ_ONE },
    { name: "read group, 1,000 members", path: groupPath(large), budget: READ_ONE },
    {
      name: `read group of ${size / 10}, without members`,
      path: `${groupPath(vast)}?excludedAttributes=members`,
      budget: READ_ONE,
    },
  ];
}

/** Lists of users by the groups that they are in; `inVast` are in the largest one. */
function usersByGroup({ size, groupIdOf, groups: all }: Dataset, inVast: number): readonly ScimCall[] {
  const [vast, large, small] = [groupIdOf(0), groupIdOf(1), groupIdOf(2)];
  const ofVast = `groups.value eq "${vast}"`;
  const byGroup = (
    name: string,
    filter: string,
    total: number,
    more: Record<string, string | number> = {},
  ): ScimCall => ({
    name: `list users, ${name}`,
    path: users({ filter, ...more }),
    budget: searchBudget(PAGE),
    total,
  });
  return [
    byGroup("of a group of 20, names unknown", `groups.value eq "${small}"`, all[2]?.memberCount ?? 0),
    byGroup("of a group of 20", `groups.value eq "${small}"`, all[2]?.memberCount ?? 0),
    // Plus the added member.
    byGroup("of a group of 1,000", `groups.value eq "${large}"`, (all[1]?.memberCount ?? 0) + 1),
    byGroup(`of a group of ${size / 10}`, ofVast, inVast),
    byGroup(`of a group of ${size / 10}, middle`, ofVast, inVast, { startIndex: Math.floor(inVast / 2) }),
    byGroup(`of a group of ${size / 10}, by name`, ofVast, inVast, { sortBy: "userName" }),
    byGroup(`of a group of ${size / 10}, and a name`, `${ofVast} and userName sw "zz."`, 1),
  ];
}

function groupPath(id: string): string {
  return `/scim2/Groups/${id}`;
}

function groups(parameters: Readonly<Record<string, string | number>>): string {
  return pathWith("/scim2/Groups", parameters);
}

function patch(...operations: readonly object[]) {
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
    Operations: operations,
  };
}

function pathWith(base: string, parameters: Readonly<Record<string, string | number>>): string {
  return `${base}?${new URLSearchParams(Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]))}`;
}
