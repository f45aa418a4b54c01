/** Data for benchmarks: users with the attributes that identity hubs send, and groups of different sizes. */
import { createHash } from "node:crypto";
import { keys } from "#core/database/table/keys.ts";
import type { Entry } from "#core/database/table/name-index/items.ts";
import type { Item, Step } from "#core/database/table/table.ts";
import type { Group } from "#core/directory/groups/model.ts";
import { groupItem } from "#core/directory/groups/store.ts";
import { tallyAfter, tallyOf } from "#core/directory/memberships/tally.ts";
import { lookupSteps } from "#core/directory/users/lookup-rows.ts";
import { freshUser, type User } from "#core/directory/users/model.ts";
import { userItem } from "#core/directory/users/store.ts";
import { SUPER_TENANT } from "#core/kernel/domain/tenant.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { foldName } from "#core/kernel/fold.ts";
import { compareText } from "#core/kernel/text-order.ts";
import { shippedIndexes } from "#core/service/settings/indexes.ts";
import { indexItems, layoutOf } from "./loading.ts";

const BEGAN_MS = Date.UTC(2025, 0, 1);
const BETWEEN_USERS_MS = 30_000;
const GOLDEN = 2_654_435_761;

const given = ["mi", "le", "dan", "so", "ka", "ri", "no", "el", "tom", "ay", "is", "jun", "per", "al", "bo", "ste"];
const family = ["kor", "van", "hel", "son", "ova", "bel", "ric", "tan", "mur", "dez", "lin", "gar", "esh", "ito"];

/** One name in a hundred has a mark, so that a filter for the mark matches 1 %. */
const ONE_IN = 100;
/** Marks that no other name contains. */
export const marks = { prefix: "taxi.", infix: ".zq.", suffix: ".fleet" } as const;

/** A group, and its members by the number of the user. */
interface GroupPlan {
  readonly displayName: string;
  readonly has: (user: number) => boolean;
}

/** A data set of `size` users. Users and groups are numbered from 0. */
export interface Dataset {
  readonly size: number;
  nameOf(user: number): string;
  idOf(user: number): string;
  groupIdOf(group: number): string;
  readonly groups: readonly Group[];
  /** All items, for an empty table, and their approximate number. */
  items(): Generator<Item, void>;
  readonly itemCount: number;
}

/** Creates a data set. */
export function datasetOf(size: number): Dataset {
  const plans = groupPlansOf(size);
  const tallies = plans.map(() => tallyOf([]));
  for (let user = 0; user < size; user += 1) {
    for (const at of groupsOfUser(user, plans)) {
      tallies[at] = tallyAfter(tallies[at] ?? tallyOf([]), [idOf(user)], []);
    }
  }
  const groups = plans.map(
    ({ displayName }, at): Group => ({
      id: groupIdOf(at),
      displayName,
      userStore: PRIMARY,
      createdMs: BEGAN_MS,
      modifiedMs: BEGAN_MS,
      version: 1,
      ...(tallies[at] ?? tallyOf([])),
      roleIds: [],
    }),
  );

  const userAt = (user: number): User => {
    const [id, name] = [idOf(user), nameOf(user)];
    return freshUser(id, name, createdMsOf(user), {
      profile: profileOf(user, name),
      groupIds: groupsOfUser(user, plans).map(groupIdOf),
      indexed: shippedIndexes,
    });
  };

  function* allUsers(): Generator<User, void> {
    for (let user = 0; user < size; user += 1) yield userAt(user);
  }

  function* items(): Generator<Item, void> {
    const refuse = () => new Error("the table is not empty");
    for (let at = 0; at < size; at += 1) {
      const user = userAt(at);
      yield userItem(SUPER_TENANT, user);
      yield* puts(lookupSteps(SUPER_TENANT, user.id, { after: user }, refuse));
      for (const id of user.groupIds) yield { ...keys.member(SUPER_TENANT, id, user.id), name: user.userName };
    }
    yield* indexItems({ tenant: SUPER_TENANT, userStore: PRIMARY, attributes: shippedIndexes, users: allUsers });
    const users = Array.from({ length: size }, (_, user) => ({ key: foldName(nameOf(user)), id: idOf(user) }));
    yield* layoutOf(keys.userNames(SUPER_TENANT, PRIMARY), inNameOrder(users));
    for (const group of groups) yield groupItem(SUPER_TENANT, group);
    const named = groups.map(({ displayName, id }) => ({ key: foldName(displayName), id }));
    yield* layoutOf(keys.groupNames(SUPER_TENANT, PRIMARY), inNameOrder(named));
  }

  const memberships = tallies.reduce((sum, { memberCount }) => sum + memberCount, 0);
  // Plus the rows of ranges, and the rows of indexes: the progress bar may end a little early.
  return { size, nameOf, idOf, groupIdOf, groups, items, itemCount: size * 4 + memberships + groups.length * 2 };
}

/** When a user was created, and changed for the last time. */
export function createdAt(user: number): string {
  return new Date(createdMsOf(user)).toISOString();
}

function createdMsOf(user: number): number {
  return BEGAN_MS + user * BETWEEN_USERS_MS;
}

/**
 * A tenth of all users in the first group, a thousand (at most 1 %) in the second, about twenty in each other group.
 */
function groupPlansOf(size: number): readonly GroupPlan[] {
  const small = Math.max(20, Math.floor(size / 500));
  const every = Math.max(100, Math.floor(size / 1_000));
  return [
    { displayName: "All drivers", has: (user) => user % 10 === 0 },
    { displayName: "Night shift", has: (user) => user % every === 5 },
    ...Array.from({ length: small }, (_, at) => ({
      displayName: `Stand ${String(at).padStart(5, "0")}`,
      has: (user: number) => user % 25 === 4 && Math.floor(user / 25) % small === at,
    })),
  ];
}

/** The groups of one user, without testing every group. */
function groupsOfUser(user: number, plans: readonly GroupPlan[]): number[] {
  const small = plans.length - 2;
  const candidates = [0, 1, 2 + (Math.floor(user / 25) % small)];
  return candidates.filter((at) => plans[at]?.has(user));
}

function idOf(user: number): string {
  return idAt("user", user, createdMsOf(user));
}

function groupIdOf(group: number): string {
  return idAt("group", group, BEGAN_MS + group * BETWEEN_USERS_MS);
}

/** An id in the format of the service: later ids are greater. */
function idAt(kind: string, number: number, ms: number): string {
  const time = ms.toString(16).padStart(12, "0");
  const rest = createHash("sha256").update(`${kind} ${number}`).digest("hex");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-8${rest.slice(3, 6)}-${rest.slice(6, 18)}`;
}

function nameOf(user: number): string {
  const chance = scrambled(user + 1);
  const pick = (list: readonly string[], shift: number) => list[Math.floor(chance / shift) % list.length] ?? "";
  const first = `${pick(given, 3)}${pick(given, 59)}`;
  const last = `${pick(family, 7)}${pick(family, 1_013)}`;
  const number = user.toString(36);
  switch (user % ONE_IN) {
    case 1:
      return `${marks.prefix}${first}${number}`;
    case 2:
      return `${first}.${last}${marks.infix}${number}`;
    case 3:
      return `${first}.${last}${number}${marks.suffix}`;
    default:
      return user % 9 === 0 ? `${first}.${last}${number}@example.com` : `${first}.${last}${number}`;
  }
}

function scrambled(number: number): number {
  return (number * GOLDEN) % 2 ** 32;
}

function profileOf(user: number, name: string): User["profile"] {
  return {
    externalId: `hr-${String(user).padStart(9, "0")}`,
    displayName: `Driver ${name}`,
    name: { givenName: name.split(".")[0] ?? "", familyName: `of ${user}`, formatted: `Driver ${name}` },
    title: "Taxi driver",
    userType: "Employee",
    preferredLanguage: "en-GB",
    locale: "en-GB",
    timezone: "Europe/London",
    emails: [{ value: `d${user}@taxis.example.com`, type: "work", primary: true }],
    phoneNumbers: [{ value: `+44 20 ${String(user).padStart(8, "0")}`, type: "work" }],
    addresses: [
      { streetAddress: `${(user % 400) + 1} Station Road`, locality: "London", postalCode: "N1", type: "work" },
    ],
    "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {
      employeeNumber: `hr-${String(user).padStart(9, "0")}`,
      costCenter: String(4_000 + (user % 60)),
      organization: "Taxis",
      department: `District ${user % 33}`,
    },
  };
}

function puts(steps: readonly Step[]): Item[] {
  return steps.flatMap((step) => ("put" in step ? [step.put] : []));
}

function inNameOrder(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((a, b) => compareText(a.key, b.key));
}
