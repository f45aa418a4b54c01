/**
 * The different names whose sign-ins failed at one source, in windows of a quarter of an hour (decision 0147): one
 * password that is tried with many names locks no user, and shows here. One row for each source and window, for
 * all tenants, so that it shows of none whether it exists.
 */
import { createHash } from "node:crypto";
import { keys } from "../../database/table/keys.ts";
import type { Item, Key, Table } from "../../database/table/table.ts";
import type { QualifiedName } from "../../kernel/domain/username.ts";
import { Fault } from "../../kernel/faults.ts";
import { foldName } from "../../kernel/fold.ts";
import { sourceOf } from "./source.ts";

/** When a source is held up. */
export interface SourceNamesPolicy {
  /** How many different names of one tenant may fail in a window. */
  readonly ofTenantMax: number;
}

/** A name as it was entered, and where. */
export interface EnteredName {
  readonly name: QualifiedName;
  readonly sourceIp: string;
}

/** What the row of a source says about one name. */
export interface NamesState {
  /** True where no further name of the tenant is tried. */
  readonly isFull: boolean;
  /** True where the name is counted. */
  readonly isCounted: boolean;
}

/** How long a name counts at most. */
export const WINDOW_MS = 15 * 60_000;
/** How many different names of all tenants may fail in a window: a row stays below 4 KB. */
const ALL_MAX = 300;

/** Attributes of names: a digest of the tenant, and one of the name in it. Others may share them: counts are bounds. */
const NAME_OF = "n:";
const PART_LENGTH = 3;

/** Opens the names on the table of one request. */
export function sourceNames(table: Table, { ofTenantMax }: SourceNamesPolicy) {
  const read = (item: Item | undefined, entered: EnteredName): NamesState => {
    const [own, ofTenant] = [attributeOf(entered), tenantPart(entered)];
    const counted = Object.entries(item ?? {}).filter(([name, value]) => name.startsWith(NAME_OF) && value === 1);
    const inTenant = counted.filter(([name]) => name.startsWith(ofTenant));
    return {
      isFull: inTenant.length >= ofTenantMax || counted.length >= ALL_MAX,
      isCounted: counted.some(([name]) => name === own),
    };
  };
  const keyOf = ({ sourceIp }: EnteredName, nowMs: number): Key =>
    keys.sourceNames(digestOf(sourceOf(sourceIp)).slice(0, 22), Math.floor(nowMs / WINDOW_MS));
  const expiry = (nowMs: number) => ({ expiresAtSeconds: Math.ceil((nowMs + 2 * WINDOW_MS) / 1_000) });

  return {
    keyOf,
    read,
    /**
     * Counts a name whose sign-in was refused, once in a window. Without effect where `before` is full, or absent: at a
     * source from which the name signs in. Returns whether the source was full before. One round trip.
     */
    async add(entered: EnteredName, before: NamesState | undefined, nowMs: number): Promise<boolean> {
      const counts = before !== undefined && !before.isFull;
      const set = { ...(counts && { [attributeOf(entered)]: 1 }), ...expiry(nowMs) };
      const item = await table.count(keyOf(entered, nowMs), {}, set);
      return before?.isFull ?? read(item, entered).isFull;
    },
    /** Does not count a name any more: its user has signed in. One round trip. */
    async take(entered: EnteredName, nowMs: number): Promise<void> {
      await table.count(keyOf(entered, nowMs), {}, { [attributeOf(entered)]: 0, ...expiry(nowMs) });
    },
  };
}

/** The fault of an attempt at a source that is held up: the same for every name. */
export function throttled(): Fault {
  return new Fault(
    "auth.throttled",
    "Sign-ins with too many different names have failed from this address. Wait 15 minutes, then try again with a user name and password that are right.",
  );
}

function attributeOf(entered: EnteredName): string {
  const { name, userStore } = entered.name;
  return tenantPart(entered) + placed(entered, `${userStore}/${foldName(name)}`).slice(0, PART_LENGTH);
}

function tenantPart(entered: EnteredName): string {
  return NAME_OF + placed(entered, "").slice(0, PART_LENGTH);
}

/** Another digest at each source, so that rows do not show that they count the same name. */
function placed({ name: { tenant }, sourceIp }: EnteredName, text: string): string {
  return digestOf(`${sourceOf(sourceIp)}\n${tenant}\n${text}`);
}

function digestOf(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("base64url");
}
