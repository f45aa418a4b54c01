/**
 * Assignments of users, groups and roles to applications (decision 0170): who has access to an application that asks
 * for it. They are apart from the application's own row, because the functions that delete a principal remove its
 * assignments, and must not write applications.
 */
import { keys } from "../../database/table/keys.ts";
import { stale, whileStale } from "../../database/table/stale.ts";
import { type Item, LAST, type Step, type Table } from "../../database/table/table.ts";
import { systemClock } from "../../kernel/clock.ts";
import type { PrincipalType } from "../../kernel/domain/principals.ts";
import { canBeId } from "../../kernel/ids.ts";
import { type Assigned, type Assignment, type Held, setNames } from "./assignment-model.ts";
import {
  heldIn,
  heldItem,
  NAMED_MAX,
  pairIn,
  pairItem,
  pairKey,
  prefixOf,
  reverseItem,
  reverseKey,
} from "./assignment-rows.ts";

/** Assignments that one transaction adds or removes: three steps each. */
export const ASSIGNED_AT_ONCE = 25;
/** The most assignments of one application. Lists read up to half of them to reach a page. */
export const ASSIGNMENTS_MAX = 50_000;

const PAIRS_PER_PAGE = 8_000;

/** A change of the assignments of an application. */
export interface AssignmentChange {
  readonly adding: readonly Assigned[];
  readonly removing: readonly Assigned[];
  /** Further steps: conditions on what was read, and revocations that are dated like the change. */
  readonly steps: readonly Step[];
  /** When the application has lost assignments, as revocations say it; the present where it is absent. */
  readonly removedMs?: number | undefined;
}

/** Which errors a change throws. */
export interface AssignmentFaults {
  /** For one that is there already. */
  taken(assigned: Assigned): Error;
  /** Where there would be too many. */
  full(): Error;
}

/** One page of the assignments of some types, in the order of types and ids. */
export interface AssignmentRange {
  readonly types: readonly PrincipalType[];
  readonly offset: number;
  readonly limit: number;
}

/** The assignments of all applications. */
export type AssignmentStore = ReturnType<typeof assignmentStore>;

/** Opens the store on the table of one request. */
export function assignmentStore(table: Table) {
  return {
    /** What is known of all assignments of an application together. One round trip. */
    held: async (tenant: string, applicationId: string): Promise<Held> =>
      canBeId(applicationId) ? heldIn(await table.get(keys.assignments(tenant, applicationId))) : heldIn(undefined),

    /** One assignment. One round trip. */
    async find(tenant: string, applicationId: string, assigned: Assigned): Promise<Assignment | undefined> {
      if (!canBeId(assigned.id)) return undefined;
      const item = await table.get(pairKey(tenant, applicationId, assigned));
      return item && pairIn(item);
    },

    /** Those of some principals that are assigned. One round trip. */
    among: (tenant: string, applicationId: string, some: readonly Assigned[]) =>
      assignedAmong(table, tenant, applicationId, some),

    /** A page, given what is known of all. One round trip for each type, and for each megabyte before the page. */
    page: (tenant: string, applicationId: string, held: Held, range: AssignmentRange) =>
      readPage(table, keys.assignments(tenant, applicationId).PK, held, range),

    /**
     * Changes them. `change` decides by the current state and is called again after each conflict; `undefined` writes
     * nothing. Throws what `change` and `faults` throw. Two round trips besides those of `change`.
     */
    update: (
      tenant: string,
      applicationId: string,
      faults: AssignmentFaults,
      change: (held: Held) => Promise<AssignmentChange | undefined>,
    ): Promise<void> => updateAssignments(table, { tenant, applicationId }, faults, change),
  };
}

interface Owner {
  readonly tenant: string;
  readonly applicationId: string;
}

/** See `AssignmentStore.update`. */
export function updateAssignments(
  table: Table,
  { tenant, applicationId }: Owner,
  faults: AssignmentFaults,
  change: (held: Held) => Promise<AssignmentChange | undefined>,
): Promise<void> {
  return whileStale(async () => {
    const before = heldIn(await table.get(keys.assignments(tenant, applicationId)));
    const changed = await change(before);
    if (!changed || changed.adding.length + changed.removing.length === 0) return;
    const { adding, removing, steps } = changed;
    const nowMs = systemClock.now();
    const removedMs = removing.length > 0 ? (changed.removedMs ?? nowMs) : before.removedMs;
    const added = adding.map((one): Assignment => ({ ...one, createdMs: nowMs, quietFromMs: before.removedMs }));
    const counts = countsAfter(before, added, removing);
    if (added.length > 0 && counts.groups + counts.roles + counts.users > ASSIGNMENTS_MAX) throw faults.full();
    const named = await namedAfter(table, { tenant, applicationId }, before, added, removing);
    const after: Held = { version: before.version + 1, counts, removedMs, ...(named && { named }) };
    await table.write(
      {
        put: heldItem(tenant, applicationId, after),
        when: before.version > 0 ? { equal: { ver: before.version } } : "absent",
        otherwise: stale,
      },
      ...added.flatMap((one): Step[] => [
        { put: pairItem(tenant, applicationId, one), when: "absent", otherwise: () => faults.taken(one) },
        { put: reverseItem(tenant, applicationId, one), when: "any", otherwise: stale },
      ]),
      ...removing.flatMap((one): Step[] => [
        { remove: pairKey(tenant, applicationId, one), when: "present", otherwise: stale },
        { remove: reverseKey(tenant, applicationId, one), when: "any", otherwise: stale },
      ]),
      ...steps,
    );
  });
}

function countsAfter({ counts }: Held, adding: readonly Assigned[], removing: readonly Assigned[]): Held["counts"] {
  const after = { ...counts };
  for (const { type } of adding) after[setNames[type]] += 1;
  for (const { type } of removing) after[setNames[type]] -= 1;
  return after;
}

/** The groups and roles after a change; `undefined` where they are too many. One round trip where they fit again. */
async function namedAfter(
  table: Table,
  { tenant, applicationId }: Owner,
  before: Held,
  added: readonly Assignment[],
  removing: readonly Assigned[],
): Promise<readonly Assignment[] | undefined> {
  const { groups, roles } = countsAfter(before, added, removing);
  if (groups + roles > NAMED_MAX) return undefined;
  const range: AssignmentRange = { types: ["group", "role"], offset: 0, limit: NAMED_MAX + ASSIGNED_AT_ONCE };
  const known = before.named ?? (await readPage(table, keys.assignments(tenant, applicationId).PK, before, range));
  const isLeft = (one: Assigned) => !removing.some((other) => other.type === one.type && other.id === one.id);
  return [...known.filter(isLeft), ...added.filter(({ type }) => type !== "user")];
}

/** Those of some principals that are assigned to an application. One round trip. */
export async function assignedAmong(
  table: Table,
  tenant: string,
  applicationId: string,
  some: readonly Assigned[],
): Promise<readonly Assignment[]> {
  const possible = some.filter(({ id }) => canBeId(id));
  if (possible.length === 0) return [];
  const items = await table.getMany(possible.map((one) => pairKey(tenant, applicationId, one)));
  return items.flatMap((item) => (item ? [pairIn(item)] : []));
}

/** What decides about the access of a user: what is known of all, and its own. */
export interface AccessRows {
  readonly held: Held;
  readonly own: Assignment | undefined;
}

/** What decides about the access of a user to an application. One round trip, two units. */
export async function readAccess(
  table: Table,
  tenant: string,
  applicationId: string,
  userId: string,
): Promise<AccessRows> {
  const [rows = { held: heldIn(undefined), own: undefined }] = await readAccessTo(
    table,
    tenant,
    [applicationId],
    userId,
  );
  return rows;
}

/** The same for some applications, in their order. One round trip, two units each. */
export async function readAccessTo(
  table: Table,
  tenant: string,
  applicationIds: readonly string[],
  userId: string,
): Promise<readonly (AccessRows & { readonly applicationId: string })[]> {
  const rows = await table.getMany(
    applicationIds.flatMap((id) => [keys.assignments(tenant, id), pairKey(tenant, id, { type: "user", id: userId })]),
  );
  return applicationIds.map((applicationId, at) => {
    const [row, pair] = rows.slice(2 * at, 2 * at + 2);
    return { applicationId, held: heldIn(row), own: pair && pairIn(pair) };
  });
}

async function readPage(
  table: Table,
  PK: string,
  { counts }: Held,
  { types, offset, limit }: AssignmentRange,
): Promise<readonly Assignment[]> {
  const found: Item[] = [];
  let skipped = offset;
  for (const type of types) {
    const count = counts[setNames[type]];
    const wanted = Math.min(limit - found.length, count - skipped);
    if (wanted > 0) found.push(...(await readRange(table, PK, type, { count, from: skipped, wanted })));
    skipped = Math.max(0, skipped - count);
    if (found.length >= limit) break;
  }
  return found.map(pairIn);
}

/** Reads from the nearer end of a type's range. */
async function readRange(
  table: Table,
  PK: string,
  type: PrincipalType,
  { count, from, wanted }: Readonly<Record<"count" | "from" | "wanted", number>>,
): Promise<readonly Item[]> {
  const prefix = prefixOf(type);
  const after = count - from - wanted;
  const range = { PK, from: prefix, to: `${prefix}${LAST}`, limit: PAIRS_PER_PAGE };
  if (from <= after) return (await table.queryAll(range, from + wanted)).slice(from);
  const items = await table.queryAll({ ...range, backwards: true }, after + wanted);
  return items.slice(after).reverse();
}
