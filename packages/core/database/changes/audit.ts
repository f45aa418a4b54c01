/**
 * Finds change records (decision 0083): by time over all lanes, by resource along its history. Each page takes two
 * round trips, and one more where changes of many members are shown. A page may have fewer records than its limit,
 * also none, and still a next one: then the search continues there.
 */
import { systemClock } from "../../kernel/clock.ts";
import type { Table } from "../table/table.ts";
import { findByActor } from "./by-actor.ts";
import { type Chain, type ChainPage, chainOf, readChains } from "./chains.ts";
import { changeIdOf, digestOfResource, firstIdAt, idAfter, isChangeId, LANE_COUNT, laneOfChange } from "./change-id.ts";
import { cursorOf, type Position, positionOf } from "./cursor.ts";
import { fitting } from "./fitting.ts";
import { readLanes } from "./lanes.ts";
import type { ChangeRecord, Json, ResourceType } from "./model.ts";
import type { RecordRow } from "./record-rows.ts";
import { type HistoryPlace, historyPlace, historyTypes, isSingle } from "./resource-rows.ts";
import { pointerOf, protocolPath } from "./reverse.ts";

/** Which records a list shows. */
export interface AuditFilter {
  /** The time of a record, in milliseconds since 1970: not before, and before. */
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  /** The id or the name of the actor, or the client whose token was used. */
  readonly actor?: string | undefined;
  readonly resourceType?: ResourceType | undefined;
  /** The id of the resource, or of the application that it belongs to. */
  readonly resourceId?: string | undefined;
  readonly operation?: string | undefined;
  readonly isAscending?: boolean;
}

/** One page. */
export interface AuditPage {
  readonly records: readonly ChangeRecord[];
  /** The cursor of the next page; absent at the end. */
  readonly next?: string;
}

/** Rows that fit, and how the list continues. */
interface Found {
  readonly rows: readonly RecordRow[];
  /** Absent at the end. */
  readonly next?: Position | undefined;
  /** What a position after one of the rows consists of, besides the row's id. */
  readonly way: Omit<Position, "at">;
}

/** What is read of a list. */
interface Reading {
  readonly tenant: string;
  readonly filter: AuditFilter;
  readonly limit: number;
  readonly start: Position | undefined;
}

/** Round trips of a page in the lanes. */
const TRIPS = 2;
/** The most records that one lane gives in one round trip. DynamoDB ends a page at 1 MB in any case. */
const LANE_MOST = 2_000;
/** The records that are read for one that fits, before anything is known of it. */
const SAMPLE = 30;
/** Lanes are not equally long. */
const UNEVEN = 1.5;
const SLACK = 6;

/** The records of a tenant that fit a filter. Throws `request.invalid` for a cursor of another list. */
export async function findRecords(
  table: Table,
  tenant: string,
  filter: AuditFilter,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<AuditPage> {
  const list = listOf(tenant, filter);
  const start = after === undefined ? undefined : positionOf(list, filter.resourceId ?? "", after);
  const reading = { tenant, filter, limit, start };
  return pageOf(table, list, await find(table, reading));
}

async function pageOf(table: Table, list: readonly unknown[], { rows, next, way }: Found): Promise<AuditPage> {
  const records = await fitting(table, rows);
  const last = records.at(-1);
  const position = last && records.length < rows.length ? { ...way, at: last.id } : next;
  return { records, ...(position && { next: cursorOf(list, position) }) };
}

/** A resource whose history is read; with `protocol` only what concerns that protocol of an application. */
export interface HistorySubject extends HistoryPlace {
  readonly protocol?: string | undefined;
}

export type HistoryPage = AuditPage;

/**
 * The changes of one resource, newest first; `undefined` where it does not exist. Throws `request.invalid` for a cursor
 * of another list.
 */
export async function resourceHistory(
  table: Table,
  tenant: string,
  { protocol, ...place }: HistorySubject,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<HistoryPage | undefined> {
  const list = [tenant, place.type, place.id, protocol];
  const start = after === undefined ? undefined : positionOf(list, place.id, after);
  // A cursor is plain text: it says how far the reader is, and not of which resource.
  const chains = (start?.chains ?? [chainOf(place)]).slice(0, 1).map((chain) => ({ ...chain, ...place }));
  const page = await readChains(table, tenant, chains, start?.at);
  if (!start && !page.resources[0]) return undefined;
  const concerns = (row: RecordRow) =>
    protocol === undefined || row.parts > 0 || concernsProtocol(row.record, protocol);
  return pageOf(table, list, cutAt(limit, page, page.rows.filter(concerns), chains, start?.at));
}

function concernsProtocol({ resource, changes }: ChangeRecord, protocol: string): boolean {
  if (resource.type === "inbound-protocol") return resource.id === protocol;
  const place = protocolPath(protocol);
  return changes.some(({ path, value, from }) => {
    const members = pointerOf(path);
    const isOnTheWay = place.every((name, at) => members[at] === undefined || members[at] === name);
    const rest = place.slice(members.length);
    if (!isOnTheWay || rest.length === 0) return isOnTheWay;
    return [value, from].some((one) => rest.reduce<Json | undefined>(memberOf, one) !== undefined);
  });
}

function memberOf(json: Json | undefined, name: string): Json | undefined {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return undefined;
  return Object.hasOwn(json, name) ? (json as { readonly [name: string]: Json })[name] : undefined;
}

function listOf(tenant: string, filter: AuditFilter): readonly unknown[] {
  const { sinceMs, untilMs, actor, resourceType, resourceId, operation, isAscending = false } = filter;
  return [tenant, sinceMs, untilMs, actor, resourceType, resourceId, operation, isAscending];
}

async function find(table: Table, reading: Reading): Promise<Found> {
  const { filter, start } = reading;
  const places = placesOf(filter);
  if (filter.actor !== undefined && places.length === 0) return byActor(table, reading, filter.actor);
  const isScan = places.length === 0 || filter.isAscending === true || (start !== undefined && !start.chains);
  if (isScan) return scan(table, reading, TRIPS);
  // A resource that was removed for good has no row: its records are in the lanes only.
  return (await follow(table, reading, places)) ?? scan(table, reading, TRIPS - 1);
}

/** Follows the histories of resources. `undefined` where no row of them exists. */
async function follow(
  table: Table,
  { tenant, filter, limit, start }: Reading,
  places: readonly HistoryPlace[],
): Promise<Found | undefined> {
  const chains = start?.chains ?? places.map(chainOf);
  const before = start?.at ?? (filter.untilMs === undefined ? undefined : firstIdAt(filter.untilMs));
  const page = await readChains(table, tenant, chains, before);
  if (!start && !page.isKnown.includes(true)) return undefined;
  const first = firstIdAt(filter.sinceMs ?? 0);
  const found = page.rows.filter(({ record }) => record.id >= first && fits(record, filter));
  const cut = cutAt(limit, page, found, chains, before);
  return page.reached < first ? { ...cut, next: cut.rows.length < found.length ? cut.next : undefined } : cut;
}

/** The first of the rows that fit, and where the histories go on after them. */
function cutAt(
  limit: number,
  page: ChainPage,
  found: readonly RecordRow[],
  chains: readonly Chain[],
  before: string | undefined,
): Found {
  const rows = found.slice(0, limit);
  const way = { chains };
  const last = rows.at(-1);
  if (last && rows.length < found.length) return { rows, way, next: { ...way, at: last.record.id } };
  if (page.chains.length === 0) return { rows, way };
  // Where nothing could be compared yet, the page before still says where this one started.
  const at = before !== undefined && before < page.reached ? before : page.reached;
  return { rows, way, next: { chains: page.chains, ...(isChangeId(at) && { at }) } };
}

/** Reads the index of changes by actor. */
async function byActor(table: Table, { tenant, filter, limit, start }: Reading, actor: string): Promise<Found> {
  const { sinceMs = 0, untilMs, isAscending = false } = filter;
  const at = start?.at;
  const { rows, next } = await findByActor(table, {
    tenant,
    actor,
    from: isAscending && at !== undefined ? idAfter(at) : firstIdAt(sinceMs),
    before: (isAscending ? undefined : at) ?? (untilMs === undefined ? undefined : firstIdAt(untilMs)),
    isAscending,
    limit,
    fits: ({ record }) => fits(record, filter),
    isPlain: filter.operation === undefined && filter.resourceType === undefined,
    nowMs: systemClock.now(),
  });
  return { rows, way: {}, next: next === undefined ? undefined : { at: next } };
}

/** Searches the lanes. */
async function scan(table: Table, { tenant, filter, limit, start }: Reading, trips: number): Promise<Found> {
  const lanes = lanesOf(filter);
  const isAscending = filter.isAscending === true;
  const [first, end] = [
    firstIdAt(filter.sinceMs ?? 0),
    filter.untilMs === undefined ? undefined : firstIdAt(filter.untilMs),
  ];
  const found: RecordRow[] = [];
  let [at, scanned] = [start?.at, 0];
  for (let trip = 1; trip <= trips; trip += 1) {
    const missing = limit - found.length;
    const share = found.length > 0 ? scanned / found.length : SAMPLE;
    const even = Math.ceil((missing * (isFiltered(filter) ? share : 1) * UNEVEN) / (lanes?.length ?? LANE_COUNT));
    // All that is missing can be in one lane.
    const least = trip === trips ? limit : 0;
    const page = await readLanes(table, {
      tenant,
      lanes,
      from: isAscending && at !== undefined ? `${at}\u0000` : first,
      to: isAscending ? end : (at ?? end),
      perLane: Math.min(Math.max(even, least) + SLACK, LANE_MOST),
      backwards: !isAscending,
    });
    scanned += page.rows.length;
    found.push(...page.rows.filter(({ record }) => fits(record, filter)));
    at = page.reached;
    if (found.length >= limit || at === undefined) break;
  }
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const next = last && rows.length < found.length ? last.record.id : at;
  return { rows, way: {}, next: next === undefined ? undefined : { at: next } };
}

/** The resources whose histories have all records of a filter; none where it names no resource. */
function placesOf({ resourceType, resourceId }: AuditFilter): readonly HistoryPlace[] {
  const type = resourceType === "inbound-protocol" ? "application" : resourceType;
  if (type !== undefined && isSingle(type)) return [historyPlace(type, "")];
  if (resourceId === undefined) return [];
  const types = type === undefined ? historyTypes.filter((one) => !isSingle(one)) : [type];
  return types.map((one) => historyPlace(one, resourceId));
}

/** The lanes that have the records; all where the filter does not say which resource they are about. */
function lanesOf(filter: AuditFilter): readonly number[] | undefined {
  const [place, ...others] = placesOf(filter);
  if (!place || others.length > 0 || filter.resourceType === "inbound-protocol") return undefined;
  return [laneOfChange(changeIdOf(0, digestOfResource(place.type, place.id)))];
}

function isFiltered({ actor, resourceType, resourceId, operation }: AuditFilter): boolean {
  return [actor, resourceType, resourceId, operation].some((one) => one !== undefined);
}

function fits({ actor, resource, operation }: ChangeRecord, filter: AuditFilter): boolean {
  const actors = [actor.id, actor.name, actor.clientId, ...(actor.via ?? [])];
  const isSameId = filter.resourceId === undefined || [resource.id, resource.applicationId].includes(filter.resourceId);
  return (
    isSameId &&
    (filter.actor === undefined || actors.includes(filter.actor)) &&
    (filter.resourceType === undefined || resource.type === filter.resourceType) &&
    (filter.operation === undefined || operation === filter.operation)
  );
}
