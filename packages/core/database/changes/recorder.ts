/**
 * Adds to a transaction the records of the resources that it changes (decision 0082). Loaded with the first write of a
 * container.
 */
import { systemClock } from "../../kernel/clock.ts";
import { stale } from "../table/stale.ts";
import type { Item, Step, Table } from "../table/table.ts";
import { changeIdOf, digestOfResource, idInCallersTenant } from "./change-id.ts";
import {
  type BulkMembers,
  bulkPartOf,
  type Draft,
  draftOf,
  isMemberOwner,
  movesMembers,
  type RowStep,
  rowSteps,
} from "./drafts.ts";
import {
  BLOCK,
  HISTORY,
  historyOf,
  REMOVAL,
  removalText,
  removedItem,
  storedTimes,
  TOUCHES,
  touchesOf,
  withChange,
} from "./history-rows.ts";
import type { RowMemory } from "./memory.ts";
import type { Cause, Change, ChangedResource, ChangeRecord } from "./model.ts";
import { withNamesOfApis } from "./named-apis.ts";
import { type RecordItems, recordItems } from "./record-rows.ts";
import { resourceRow } from "./resource-rows.ts";

/** What recording depends on. */
export interface Recording {
  readonly cause: Cause;
  /** How long records are kept. */
  readonly recordDays: number;
}

/** A record that is about to be written, and the step on its resource's row. */
interface Prepared {
  readonly step: Step;
  readonly steps: readonly Step[];
  readonly parts: readonly Item[];
}

const DAY_SECONDS = 86_400;
const PROTOCOLS = "inboundProtocolConfiguration";
/** Custom protocols are below this name, by their own. Other entries of imported files are no protocol. */
const CUSTOM = "custom";
const OTHERS = "others";
const PARTS_AT_ONCE = 90;

/** The operator who works on another tenant is not named in that tenant's records. */
const OPERATOR = { type: "operator", id: "" } as const;

/** Opens the writes of one request. `memory` has the rows that it has read. */
export function recorder(
  table: Table,
  memory: RowMemory,
  { cause, recordDays }: Recording,
): (steps: readonly Step[]) => Promise<void> {
  /** By their keys: a write that meets a conflict is repeated with the same parts. */
  const bulks = new Map<string, Map<string, BulkMembers>>();

  const membersOf = (bulk: string): BulkMembers => {
    const parts = [...(bulks.get(bulk)?.values() ?? [])];
    return { adding: parts.flatMap(({ adding }) => adding), removing: parts.flatMap(({ removing }) => removing) };
  };

  const beforeOf = async ({ step, key }: RowStep): Promise<Item | undefined> => {
    if (step.when === "absent") return undefined;
    return memory.find(key, step.when) ?? memory.remember(key, await table.get(key));
  };

  const prepare = (draft: Draft, expiresAtSeconds: number): Prepared => {
    const { place, type, before, after, changes } = draft;
    const former = before ?? memory.removed(place.tenant, type, place.id);
    const history = historyOf(former);
    if (changes.length === 0) return { step: carrying(draft, former), steps: [], parts: [] };
    const previous = history.at(-1);
    // Ids of the changes of a resource ascend, also where the clock of the writer before is ahead.
    const atMs = Math.max(systemClock.now(), (previous ?? 0) + 1);
    const digest = digestOfResource(type, place.id);
    const isTouch = movesMembers(draft) && touchesOf(former).length < BLOCK;
    const { kept, older } = isTouch ? { kept: history, older: [] } : withChange(history, atMs);
    const record: ChangeRecord = {
      id: changeIdOf(atMs, digest),
      atMs,
      tenant: place.tenant,
      ...originOf(cause, place.tenant),
      ...subjectOf(draft, (apiId) => memory.find(resourceRow(place.tenant, "api-resource", apiId), "present")),
      ...(previous !== undefined && { previous: changeIdOf(previous, digest) }),
    };
    const { item, parts } = recordItems(record, older, expiresAtSeconds);
    const put: Step = { put: item, when: "absent", otherwise: collided };
    const full = fullItems(cause, record, expiresAtSeconds);
    const puts = [put, ...full.map((one): Step => ({ put: one.item, when: "absent", otherwise: collided }))];
    const all = [...parts, ...full.flatMap((one) => one.parts)];
    if (!after) {
      const { tenant, id } = place;
      const left = removedItem({ tenant, type, id }, kept, expiresAtSeconds);
      return { step: draft.step, steps: [{ put: left, when: "any", otherwise: collided }, ...puts], parts: all };
    }
    const forget = () => memory.forget(draft.key);
    const noted = { history: storedTimes(kept), atMs, forget };
    const step = isTouch ? touching(draft, former, noted) : noting(draft, former, noted);
    return { step, steps: puts, parts: all };
  };

  return async (steps) => {
    for (const { bulk, key, part } of steps.flatMap((step) => bulkPartOf(step) ?? [])) {
      bulks.set(bulk, (bulks.get(bulk) ?? new Map()).set(key, part));
    }
    const rows = rowSteps(steps);
    if (rows.length === 0) return table.write(...steps);
    const befores = await Promise.all(rows.map(beforeOf));
    const expiresAtSeconds = Math.floor(systemClock.now() / 1_000) + recordDays * DAY_SECONDS;
    const prepared = new Map(
      rows.map((row, at) => {
        const draft = draftOf(row, befores[at], steps, membersOf);
        return [row.step, prepare(draft, expiresAtSeconds)] as const;
      }),
    );
    const all = [...prepared.values()];
    await writeParts(
      table,
      all.flatMap(({ parts }) => parts),
    );
    await table.write(
      ...steps.map((step) => prepared.get(step)?.step ?? step),
      // Last: the condition of a step of the store decides what is thrown.
      ...all.flatMap((one) => one.steps),
    );
  };
}

/** Changes that one record row does not hold. Nothing refers to them until the record is written. */
async function writeParts(table: Table, parts: readonly Item[]): Promise<void> {
  for (let at = 0; at < parts.length; at += PARTS_AT_ONCE) {
    const some = parts.slice(at, at + PARTS_AT_ONCE);
    await Promise.all(some.map((put) => table.write({ put, when: "any", otherwise: collided })));
  }
}

/** The step of a resource that does not change, with the history that its row has. */
function carrying({ step }: Draft, former: Item | undefined): Step {
  if (!("put" in step) || !former) return step;
  const carried = [HISTORY, TOUCHES, REMOVAL]
    .map((name) => [name, former[name]])
    .filter(([, value]) => value !== undefined);
  return { ...step, put: { ...step.put, ...Object.fromEntries(carried) } };
}

/** What a row notes of a change. `forget` is called where the row has changed since it was read. */
interface Noted {
  readonly history: Uint8Array;
  readonly atMs: number;
  readonly forget: () => void;
}

/**
 * The step that a change of members adds its time with: they come and go concurrently, without a conflict. It conflicts
 * only with a later removal that was written before, because a replay would take them the other way round.
 */
function touching({ step, changes }: Draft, former: Item | undefined, { atMs, forget }: Noted): Step {
  if (!("change" in step)) return step;
  const base = typeof step.when === "object" ? step.when : {};
  const removal = removalText(atMs);
  const removes = changes.some(({ op }) => op === "remove");
  return {
    ...step,
    add: { ...step.add, [TOUCHES]: new Set([String(atMs)]) },
    ...(removes && { set: { ...step.set, [REMOVAL]: removal } }),
    when:
      former?.[REMOVAL] === undefined
        ? { ...base, lacking: [...(base.lacking ?? []), REMOVAL] }
        : { ...base, above: { ...base.above, [REMOVAL]: removal } },
    otherwise: (found) => {
      if (!found || found[REMOVAL] === former?.[REMOVAL]) return step.otherwise(found);
      forget();
      return stale();
    },
  };
}

/** The step of a resource that changes, with its new history in order. */
function noting({ step, place }: Draft, former: Item | undefined, { history, atMs, forget }: Noted): Step {
  const noted = { [HISTORY]: history, ...(isMemberOwner(place.kind) && { [REMOVAL]: removalText(atMs) }) };
  if ("put" in step) return { ...step, put: { ...step.put, ...noted } };
  if (!("change" in step)) return step;
  const { when } = step;
  const base = typeof when === "object" ? when : {};
  const known = Object.fromEntries(
    [HISTORY, TOUCHES].flatMap((name) => (former?.[name] ? [[name, former[name]]] : [])),
  );
  const unknown = former?.[HISTORY] ? [] : [HISTORY];
  return {
    ...step,
    set: { ...step.set, ...noted },
    clear: [...(step.clear ?? []), TOUCHES],
    // What is put in order must be all that there is.
    when: { ...base, equal: { ...base.equal, ...known }, lacking: [...(base.lacking ?? []), ...unknown] },
    otherwise: (found) => {
      if (!found || historyOf(found).join() === historyOf(former).join()) return step.otherwise(found);
      forget();
      return stale();
    },
  };
}

/** Another change of the resource has the same time. */
function collided(): Error {
  return stale();
}

function originOf(cause: Cause, tenant: string): Pick<ChangeRecord, "actor" | "sourceIp" | "operation" | "traceId"> {
  const { actor, sourceIp, operation, traceId } = cause;
  const isOwn = cause.tenant === tenant;
  return {
    actor: isOwn ? actor : { ...OPERATOR, signIn: actor.signIn },
    sourceIp: isOwn ? sourceIp : "",
    operation,
    traceId,
  };
}

/**
 * The record of a change in the tenant of who made it, where the resource is another tenant's, whose record names no
 * operator: at the same time, with the tenant of the resource. It stands in no history, so that none is before it.
 */
function fullItems(cause: Cause, { previous: _, ...record }: ChangeRecord, expiresAtSeconds: number): RecordItems[] {
  const { tenant = record.tenant, actor, sourceIp } = cause;
  if (tenant === record.tenant) return [];
  const resource = { ...record.resource, tenant: record.tenant };
  const id = idInCallersTenant(record.id, record.tenant);
  return [recordItems({ ...record, id, tenant, actor, sourceIp, resource }, [], expiresAtSeconds)];
}

/** The resource of a draft: the protocol, where nothing else of its application changed. */
function subjectOf(
  { place, type, recorded, before, after, changes }: Draft,
  apiRowOf: (apiId: string) => Item | undefined,
): { readonly resource: ChangedResource; readonly changes: readonly Change[] } {
  const item = after ?? before;
  const name = (item && recorded.nameOf(item)) ?? (place.id === "" ? place.tenant : undefined);
  // Of a tenant, its resident application and its scopes of OpenID Connect the key has no id.
  const id = place.id || (item && recorded.idOf?.(item)) || place.tenant;
  const resource = { type, id, ...(name !== undefined && { name }) };
  if (type === "authorized-apis") {
    const named = changes.map((change) => withNamesOfApis(change, apiRowOf));
    return { resource: { ...resource, applicationId: place.id }, changes: named };
  }
  if (type === "assignments") return { resource: { ...resource, applicationId: place.id }, changes };
  const protocol = type === "application" ? commonProtocol(changes) : undefined;
  if (!protocol) return { resource, changes };
  return {
    resource: { ...resource, type: "inbound-protocol", id: protocol.name, applicationId: place.id },
    changes: changes.map((change) => ({ ...change, path: change.path.slice(protocol.path.length) })),
  };
}

/** The protocol that all changes are about, if there is one. */
function commonProtocol([first, ...others]: readonly Change[]):
  | { readonly name: string; readonly path: string }
  | undefined {
  const [, root, kind, custom] = first?.path.split("/") ?? [];
  if (root !== PROTOCOLS || kind === undefined || kind === OTHERS) return undefined;
  const name = kind === CUSTOM ? custom : kind;
  if (name === undefined) return undefined;
  const path = `/${root}/${kind}${kind === CUSTOM ? `/${name}` : ""}`;
  const isAbout = ({ path: other }: Change) => other === path || other.startsWith(`${path}/`);
  return others.every(isAbout) ? { name: name.replaceAll("~1", "/").replaceAll("~0", "~"), path } : undefined;
}
