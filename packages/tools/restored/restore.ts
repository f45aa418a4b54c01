/**
 * Makes a restored table safe (decision 0070): a new signing key, all tokens ended, and what has protected since the
 * restored moment carried over from the old table, where it still exists.
 */
import { endingTokensOf, tenantOfClient } from "#core/applications/registry/client-store.ts";
import { placeOf } from "#core/database/table/key-kinds.ts";
import { keys } from "#core/database/table/keys.ts";
import { DamagedRow } from "#core/database/table/row.ts";
import { whileStale } from "#core/database/table/stale.ts";
import type { Item, Key } from "#core/database/table/table.ts";
import { Fault } from "#core/kernel/faults.ts";
import type { Seal } from "#core/kernel/seal.ts";
import { eventKeys, idTokenKeys, keyStore, ringStore } from "#core/tokens/key-store.ts";
import { carryOver } from "./carry.ts";
import {
  additionOf,
  type Finding,
  findingsOf,
  type Kind,
  kinds,
  type Pair,
  type Progress,
  readProgress,
  storeProgress,
  type WholeTable,
} from "./findings.ts";

/** What to do. */
export interface Restoration {
  readonly restored: WholeTable;
  readonly restoredToMs: number;
  readonly seal: Seal;
  /** The table that the backup was taken of, as it is now. */
  readonly old?: WholeTable | undefined;
  /** Kinds that are listed and not carried over. */
  readonly leaving: ReadonlySet<Kind>;
  /** True: lists what has changed, and writes nothing. */
  readonly isListing: boolean;
  readonly nowMs: number;
  /** Gets each line for people. */
  readonly print: (line: string) => void;
}

/** Rows with kinds of these have to be looked at by a person. */
const BY_HAND: readonly string[] = ["unreadable", "failed"];
const CLIENTS_AT_ONCE = 16;

/** Makes a restored table safe, or continues where an earlier run ended. True where nothing is left to a person. */
export async function restore(given: Restoration): Promise<boolean> {
  const { restored, restoredToMs, old, isListing, nowMs, print } = given;
  const leaving = [...given.leaving].sort();
  const found = isListing ? undefined : await readProgress(restored.table, restoredToMs);
  let progress: Progress = found
    ? continuing(found, old?.name, leaving)
    : { restoredToMs, startedMs: nowMs, done: [], counts: {}, from: old?.name, leaving };
  if (found) print(`An earlier run began at ${timeOf(found.startedMs)}.`);
  const store = async (more: Partial<Progress>): Promise<void> => {
    progress = { ...progress, ...more };
    if (!isListing) await storeProgress(restored.table, progress);
  };
  const isOpen = (phase: string): boolean => !progress.done.includes(phase);
  const close = (...phases: readonly string[]) =>
    store({ done: [...new Set([...progress.done, ...phases])], after: undefined });
  /** Calls `work` for each page, and stores how far it is after each. */
  const walk = async (table: WholeTable, work: (items: readonly Item[], count: Counter) => Promise<void>) => {
    for (let after: Key | undefined = progress.after, isLast = false; !isLast; ) {
      const counts: Record<string, number> = { ...progress.counts };
      const page = await table.page(after);
      await work(page.items, (name, by = 1) => {
        counts[name] = (counts[name] ?? 0) + by;
      });
      after = page.next && { PK: page.next.PK, SK: page.next.SK };
      isLast = after === undefined;
      await store({ counts, after });
    }
  };

  if (!isListing && isOpen("key")) {
    const kid = await keyStore(restored.table, given.seal).replaceAll(nowMs);
    await keyStore(restored.table, given.seal, { place: eventKeys }).replaceAll(nowMs);
    await ringStore(restored.table, given.seal, { place: idTokenKeys }).replaceAll(nowMs);
    await close("key");
    print(`The only signing key is ${kid}, which is new.`);
  }
  const endsTokens = !isListing && isOpen("tokens");
  const compares = old !== undefined && isOpen("compared");
  if (endsTokens || compares) {
    if (compares)
      print(`${isListing ? "Would be" : "Is"} carried over from ${old.name}, except: ${leaving.join(", ") || "-"}`);
    await walk(restored, async (items, count) => {
      count("rows", items.length);
      if (endsTokens) count("clients", await endTokens(restored, items));
      if (compares) await compare(given, old, items, count);
      else await purgeDeleted(given, items, count);
    });
    await close("tokens", ...(compares ? ["compared"] : []));
  }
  if (old && isOpen("additions")) {
    await walk(old, (items, count) => additions(given, items, count));
    await close("additions");
  }
  print(reportOf(progress, isListing));
  return !BY_HAND.some((name) => (progress.counts[name] ?? 0) > 0);
}

type Counter = (name: string, by?: number) => void;

/** The progress to continue from. Throws an `Error` for people where the earlier run was about something else. */
function continuing(found: Progress, from: string | undefined, leaving: readonly string[]): Progress {
  const isSame = found.from === from && found.leaving.join() === leaving.join();
  if (isSame) return found;
  const isComplete = found.after === undefined && found.done.includes("tokens");
  if (isComplete && found.from === undefined) return { ...found, from, leaving };
  if (isComplete && from === undefined) return found;
  const words = [
    `--from ${found.from ?? "nothing"}`,
    ...(found.leaving.length > 0 ? [`--leave ${found.leaving}`] : []),
  ];
  throw new Error(
    `An earlier run on this table had other options: ${words.join(" ")}. Use the same, or restore the backup into another table.`,
  );
}

/** Ends all tokens of the clients among some rows. Returns how many clients there were. */
async function endTokens({ table }: WholeTable, items: readonly Item[]): Promise<number> {
  const clients = items.flatMap((item) => {
    const place = placeOf(item);
    const tenant = tenantOfClient(item);
    return place?.kind === "client" && tenant !== undefined ? [{ id: place.id, tenant }] : [];
  });
  for (let at = 0; at < clients.length; at += CLIENTS_AT_ONCE) {
    const some = clients.slice(at, at + CLIENTS_AT_ONCE);
    await Promise.all(some.map(({ id, tenant }) => whileStale(() => table.write(...endingTokensOf(id, tenant)))));
  }
  return clients.length;
}

async function compare(given: Restoration, old: WholeTable, items: readonly Item[], count: Counter): Promise<void> {
  const placed = items.filter((item) => placeOf(item));
  const [then, ends] = await Promise.all([old.table.getMany(placed), endsIn(old, placed)]);
  for (const [at, restored] of placed.entries()) {
    const pair: Pair = { restored, old: then[at], hasEnds: ends[at] ?? false };
    for (const finding of findingsOf(pair)) await settle(given, finding, pair, count);
  }
}

/** Without the old table: whether a deleted resource was restored since, and got other secrets, is not known. */
async function purgeDeleted(given: Restoration, items: readonly Item[], count: Counter): Promise<void> {
  for (const restored of items.filter((item) => placeOf(item)?.kind === "deleted resource")) {
    const pair: Pair = { restored, old: undefined, hasEnds: true };
    for (const finding of findingsOf(pair)) await settle(given, finding, pair, count);
  }
}

/** For each row: whether the old table still has the resources that it connects. */
async function endsIn(old: WholeTable, items: readonly Item[]): Promise<readonly boolean[]> {
  const needed = items.map(endsOf);
  const found = await old.table.getMany(needed.flat());
  let next = 0;
  return needed.map((keysOfRow) => {
    const own = found.slice(next, next + keysOfRow.length);
    next += keysOfRow.length;
    return own.every((item) => item !== undefined);
  });
}

function endsOf(item: Item): readonly Key[] {
  const place = placeOf(item);
  if (!place) return [];
  const { kind, tenant, id, member } = place;
  if (kind === "member") return [keys.group(tenant, id), keys.user(tenant, member)];
  if (kind === "role of user") return [keys.role(tenant, id), keys.user(tenant, member)];
  if (kind === "role of group") return [keys.role(tenant, id), keys.group(tenant, member)];
  return kind === "authorized APIs" ? [keys.application(tenant, id)] : [];
}

/** Prints a finding, and carries it over where that was asked for. */
async function settle(
  { restored, leaving, isListing, nowMs, print }: Restoration,
  finding: Finding,
  pair: Pair,
  count: Counter,
): Promise<void> {
  const { kind, place, title, atMs } = finding;
  count(kind);
  const isLeft = leaving.has(kind);
  const when = atMs === undefined ? "" : `  ${timeOf(atMs)}`;
  print(`${kind}${isLeft ? " (left)" : ""}  ${place.tenant || "-"}  ${title}${when}`);
  if (isLeft || isListing) return;
  try {
    await carryOver(finding, pair, { table: restored.table, nowMs });
  } catch (error) {
    const isOne = error instanceof DamagedRow || (error instanceof Fault && error.fault !== "service.unavailable");
    if (!isOne) throw error;
    count("failed");
    print(`  was not carried over: ${error instanceof Fault ? error.description : error.message}`);
  }
}

/** What was created since: it is lost, except counters of failed sign-ins. */
async function additions(given: Restoration, items: readonly Item[], count: Counter): Promise<void> {
  const placed = items.filter((item) => additionOf(item));
  const there = await given.restored.table.getMany(placed);
  for (const [at, old] of placed.entries()) {
    const addition = there[at] ? undefined : additionOf(old);
    if (!addition) continue;
    const { place, isLock } = addition;
    if (isLock) {
      await settle(given, { kind: "locks", place, title: "a counter" }, { restored: old, old, hasEnds: true }, count);
    } else {
      count(`created since: ${place.kind}`);
      const whose = place.member ? ` with ${place.member}` : "";
      given.print(`not restored  ${place.tenant || "-"}  ${place.kind} ${place.id}${whose}`);
    }
  }
}

function reportOf({ counts, from }: Progress, isListing: boolean): string {
  const { rows = 0, clients = 0, ...rest } = counts;
  const lines = Object.entries(rest).map(([name, number]) => {
    const meaning = Object.entries(kinds).find(([kind]) => kind === name)?.[1];
    return `  ${number} ${name}${meaning ? `: ${meaning}` : ""}`;
  });
  return [
    ...(isListing ? ["Nothing was written."] : [`Ended all tokens of ${clients} clients, in ${rows} rows.`]),
    ...(from === undefined
      ? [
          "Without the old table (--from) it is not known who was deactivated, which passwords were changed, and which",
          "roles, clients and applications were removed or disabled since then: all of that is undone. Deleted resources",
          "cannot be restored any more, because their passwords and secrets may have been replaced since.",
        ]
      : [`Compared with ${from}:`, ...(lines.length > 0 ? lines : ["  nothing that protects has changed"])]),
  ].join("\n");
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
