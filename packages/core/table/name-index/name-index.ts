/**
 * The name index: the names of one kind of thing in one place (users or groups of one user store of one tenant), unique,
 * listed in order at any offset with an exact total, and searched by any test, at a cost that hardly grows with their
 * number (decision 0004). It consists of plain items of the one table: an entry per name, counted ranges, packed leaves.
 */

import type { NameListKeys } from "../keys.ts";
import type { Table } from "../table.ts";
import { audit as auditIndex, type Discrepancy } from "./audit.ts";
import { type IndexContext, SPLIT_BYTES } from "./items.ts";
import { type NameReads, nameReads } from "./reads.ts";
import { type NameWrites, nameWrites } from "./writes.ts";

const DEADLINE_MS = 10_000;

/** What tests and odd indexes set otherwise. */
export interface NameIndexOptions {
  /** Bytes of names at which a range is split. Default 4,000: about 230 names of 17 bytes. */
  readonly splitBytes?: number;
  /** Milliseconds for which a call tries again while others change the ranges it needs. Default 10,000. */
  readonly deadlineMs?: number;
}

/** An index of names. */
export interface NameIndex extends NameReads, NameWrites {
  /** Everything about the index that does not fit together: nothing, unless a write got it wrong. For operators; reads it all. */
  audit(): Promise<readonly Discrepancy[]>;
}

/** The index whose items lie under these keys. It holds no state: make one per request, over that request's table. */
export function nameIndex(table: Table, keys: NameListKeys, options: NameIndexOptions = {}): NameIndex {
  const { splitBytes = SPLIT_BYTES, deadlineMs = DEADLINE_MS } = options;
  const context: IndexContext = { table, keys, splitBytes, deadlineMs };
  return { ...nameReads(context), ...nameWrites(context), audit: () => auditIndex(context) };
}
