/**
 * The name index: a B-tree of two levels over the names of the users or groups of one user store. Names are unique,
 * listed in order at any offset with an exact total, and searched by any test, at a cost that hardly grows with their
 * number (decision 0004). It consists of items of the one table: an entry per name, ranges that count names, and leaves
 * that contain them.
 */

import { later } from "../../../kernel/later.ts";
import type { NameListKeys } from "../keys.ts";
import type { Table } from "../table.ts";
import { limitsOf, type ValueIndexLimits } from "../value-index/range-rows.ts";
import type { Discrepancy } from "./audit.ts";
import { type IndexContext, SPLIT_BYTES } from "./items.ts";
import { type NameReads, nameReads } from "./reads.ts";
import { type NameWrites, nameWrites } from "./writes.ts";

const DEADLINE_MS = 10_000;

/** From this number of splits come at least 256 ranges, so that the writers of a tenant spread over them. */
const WIDEN_AT = 8;
/** Names at which a wide range is split: 2,000 on average. */
export const WIDE_SPLIT_AT = 2_850;

/** Options of an index. */
export interface NameIndexOptions {
  /** Bytes of names at which a narrow range is split. Default 4,000: about 230 names of 17 bytes. */
  readonly splitBytes?: number;
  /** The number of splits after which a full narrow range becomes a wide one. Default 8. */
  readonly widenAt?: number;
  /** When wide ranges are folded and split. By default they have about 2,000 names. */
  readonly wide?: Partial<ValueIndexLimits>;
  /** Milliseconds for which a call retries while others change its ranges. Default 10,000. */
  readonly deadlineMs?: number;
}

/** An index of names. */
export interface NameIndex extends NameReads, NameWrites {
  /** All inconsistencies of the index. For operators: reads the whole index. */
  audit(): Promise<readonly Discrepancy[]>;
}

/** For operators. */
const { audit: auditIndex } = later(() => import("./audit.ts"), "audit");

/** Opens the index with these keys on the table of one request. It has no state. */
export function nameIndex(table: Table, keys: NameListKeys, options: NameIndexOptions = {}): NameIndex {
  const context = indexContext(table, keys, options);
  return { ...nameReads(context), ...nameWrites(context), audit: () => auditIndex(context) };
}

/** What the parts of an index share. */
export function indexContext(table: Table, keys: NameListKeys, options: NameIndexOptions = {}): IndexContext {
  const { splitBytes = SPLIT_BYTES, widenAt = WIDEN_AT, deadlineMs = DEADLINE_MS } = options;
  const limits = limitsOf({ splitAt: () => WIDE_SPLIT_AT, ...options.wide });
  return { table, keys, splitBytes, widenAt, wide: { table, keys, limits }, deadlineMs };
}
