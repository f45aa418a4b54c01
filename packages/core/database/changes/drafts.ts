/**
 * From the steps of a transaction to the changes that they make: which resources have another document afterwards. The
 * rows of memberships belong to the group or role; a password belongs to its user.
 */
import { placeOf } from "../table/key-kinds.ts";
import { type Item, type Key, keyOf, type Noted, type Step, type Value } from "../table/table.ts";
import { type DocumentObject, differences } from "./diff.ts";
import { type RecordedKind, recordedKinds, typeIn } from "./documents.ts";
import type { Change, ResourceType } from "./model.ts";
import { type PlaceKind, type RecordedPlace, recordedPlaceOf } from "./places.ts";

/** A step on the row of a resource. */
export interface RowStep {
  readonly step: Step;
  readonly key: Key;
  readonly place: RecordedPlace;
  readonly recorded: RecordedKind;
}

/** A resource that a transaction changes. */
export interface Draft extends RowStep {
  readonly type: ResourceType;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  readonly changes: readonly Change[];
}

/** Members of a bulk, as the sort keys of their pairs. */
export interface BulkMembers {
  readonly adding: readonly string[];
  readonly removing: readonly string[];
}

const BULK_PART = /^B#([^#]+)#\d+$/;
const BULK_TEXT = /^\d+\.\d+\.[a-z]+\.(.+)$/;

/** The attribute of a group or role with the bulk that is being carried out. */
const BULK = "bulk";

/** The members of a set are objects without members: their names say all. */
const MEMBER = {};

/** The steps that write rows of resources, without those that change nothing which a document shows. */
export function rowSteps(steps: readonly Step[]): RowStep[] {
  const isDerived = followsOthers(steps);
  return steps.flatMap((step) => {
    if ("check" in step || ("change" in step && isDerived)) return [];
    const key = keyOf(step);
    const place = recordedPlaceOf(key);
    const recorded = place && recordedKinds[place.kind];
    return place && recorded && mayShow(step, key, steps) ? [{ step, key, place, recorded }] : [];
  });
}

/**
 * Whether a transaction changes groups and roles only because of something that is recorded elsewhere: it carries out a
 * part of a bulk, or removes a user or group, who leaves all of them, or clears what a removed group has left.
 */
function followsOthers(steps: readonly Step[]): boolean {
  return steps.some((step) => {
    if (("remove" in step || "check" in step) && BULK_PART.test(keyOf(step).SK)) return true;
    const isRemoved = "remove" in step || ("check" in step && step.when === "absent");
    const kind = isRemoved ? placeOf(keyOf(step))?.kind : undefined;
    return kind === "user" || kind === "group";
  });
}

/** Whether a step may change what a document shows: a change in place mostly counts members, or notes owners. */
function mayShow(step: Step, { PK, SK }: Key, steps: readonly Step[]): boolean {
  if (!("change" in step)) return true;
  if (Object.keys(step.set ?? {}).some((name) => name === "active" || name === BULK)) return true;
  return steps.some((other) => {
    const pair = keyOf(other);
    return pair.PK === PK && pair.SK !== SK && !("check" in other) && memberPath(pair.SK) !== undefined;
  });
}

/**
 * Whether a step changes a group or role in place because members come or go in the same transaction. Their own rows
 * have the conditions, so such changes need not wait for each other.
 */
export function movesMembers({ step, place }: RowStep): boolean {
  if (!("change" in step) || !isMemberOwner(place.kind)) return false;
  return !Object.keys(step.set ?? {}).includes(BULK);
}

/** The part of a bulk that a step stores. */
export function bulkPartOf(
  step: Step,
): { readonly bulk: string; readonly key: string; readonly part: BulkMembers } | undefined {
  if (!("put" in step)) return undefined;
  const [, bulk] = BULK_PART.exec(step.put.SK) ?? [];
  if (bulk === undefined) return undefined;
  return { bulk, key: step.put.SK, part: { adding: texts(step.put.adding), removing: texts(step.put.removing) } };
}

/** The state of a row after a step. */
export function afterStep(step: Step, before: Item | undefined): Item | undefined {
  if ("put" in step) return step.put;
  if ("check" in step) return before;
  if ("remove" in step) return undefined;
  const cleared = Object.fromEntries((step.clear ?? []).map((name) => [name, undefined]));
  return { ...before, ...step.change, ...step.set, ...cleared };
}

/**
 * The changes of one row in its transaction. `membersOf` gives the members of a bulk that the transaction commits.
 */
export function draftOf(
  row: RowStep,
  before: Item | undefined,
  steps: readonly Step[],
  membersOf: (bulk: string) => BulkMembers,
): Draft {
  const after = afterStep(row.step, before);
  const type = typeIn(row.recorded, after ?? before);
  const { noted } = row.step;
  if (noted) return { ...row, type, before, after, changes: notedChanges(row, noted) };
  const extra = isMemberOwner(row.place.kind)
    ? memberChanges(row, before, after, steps, membersOf)
    : passwordChanges(row, steps);
  const [old, next] = [documentOf(row, before), documentOf(row, after)];
  const changes = old && next ? [...differences(old, next), ...extra] : whole(old, next, extra);
  return { ...row, type, before, after, changes };
}

function notedChanges(row: RowStep, { before, after, hasNewPassword = false }: Noted): Change[] {
  const changes = differences(documentOf(row, before), documentOf(row, after));
  return hasNewPassword ? [...changes, { op: before ? "replace" : "add", path: "/password", secret: true }] : changes;
}

function documentOf({ recorded }: RowStep, item: Item | undefined): DocumentObject | undefined {
  return item && recorded.documentOf(item);
}

/** A resource that appears or disappears is one change, with its members. */
function whole(
  before: DocumentObject | undefined,
  after: DocumentObject | undefined,
  extra: readonly Change[],
): Change[] {
  const [change] = differences(before, after);
  if (!change) return [];
  return after ? [change, ...extra] : [...extra, change];
}

export function isMemberOwner(kind: PlaceKind): boolean {
  return kind === "group" || kind === "role" || kind === "assignments";
}

function memberChanges(
  { place, key }: RowStep,
  before: Item | undefined,
  after: Item | undefined,
  steps: readonly Step[],
  membersOf: (bulk: string) => BulkMembers,
): Change[] {
  const pairs = steps.flatMap((step) => {
    const pair = keyOf(step);
    const isOwn = pair.PK === key.PK && placeOf(pair)?.id === place.id;
    const path = isOwn ? memberPath(pair.SK) : undefined;
    if (path === undefined) return [];
    if ("put" in step) return [added(path)];
    return "remove" in step ? [removed(path)] : [];
  });
  const bulk = bulkIn(after);
  if (bulk === undefined || bulk === bulkIn(before)) return pairs;
  const { adding, removing } = membersOf(bulk);
  return [
    ...pairs,
    ...removing.flatMap((one) => memberPath(one) ?? []).map(removed),
    ...adding.flatMap((one) => memberPath(one) ?? []).map(added),
  ];
}

/** The place of a member in the document of its group or role, by the sort key of the pair. */
function memberPath(sortKey: string): string | undefined {
  const [, prefix = "", id = ""] = /^(M|USER|GROUP|ROLE)#(.*)$/s.exec(sortKey) ?? [];
  const set = { M: "members", USER: "users", GROUP: "groups", ROLE: "roles" }[prefix];
  return set && `/${set}/${id.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function added(path: string): Change {
  return { op: "add", path, value: MEMBER };
}

function removed(path: string): Change {
  return { op: "remove", path, from: MEMBER };
}

function bulkIn(item: Item | undefined): string | undefined {
  const [, bulk] = BULK_TEXT.exec(typeof item?.bulk === "string" ? item.bulk : "") ?? [];
  return bulk;
}

/** A password is another row than its user, which changes in the same transaction. */
function passwordChanges({ place }: RowStep, steps: readonly Step[]): Change[] {
  if (place.kind !== "user") return [];
  const credential = steps.find((step) => {
    const other = "check" in step ? undefined : placeOf(keyOf(step));
    return other?.kind === "credential" && other.id === place.id && other.tenant === place.tenant;
  });
  if (!credential || !("put" in credential)) return [];
  return [{ op: credential.when === "absent" ? "add" : "replace", path: "/password", secret: true }];
}

function texts(stored: Value | undefined): readonly string[] {
  return Array.isArray(stored) ? stored.filter((one) => typeof one === "string") : [];
}
