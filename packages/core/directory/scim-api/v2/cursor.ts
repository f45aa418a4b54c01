/** Cursors (RFC 9865): sealed, bound to one caller and one list, and valid for a limited time. */
import { createHash } from "node:crypto";
import { Fault } from "../../../kernel/faults.ts";
import type { Position } from "../../../scim/listing/source.ts";
import { limits } from "../../../scim/protocol/discovery.ts";
import type { ListRequest } from "./list-request.ts";
import type { Scim2Call } from "./stores.ts";

/** The caller and the list of a cursor. */
interface CursorScope {
  readonly call: Scim2Call;
  readonly endpoint: string;
  readonly request: ListRequest;
  /** The user stores of the list in their order; left out where it has none. */
  readonly userStores?: readonly string[] | undefined;
}

/** Where the next page starts. */
interface Progress {
  readonly at: Position;
  readonly total: number;
  readonly count: number;
}

/** What a cursor contains. */
interface CursorState extends Progress {
  /** A digest of the list's parameters. */
  readonly query: string;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly until: number;
}

/** Seals a cursor. The text has unreserved characters only, as RFC 9865 demands. */
export function sealCursor(scope: CursorScope, progress: Progress): string {
  const { stores, now } = scope.call;
  const { at, total, count } = progress;
  const until = now + limits.cursorTimeoutSeconds * 1_000;
  const state: CursorState = { at, total, count, query: digestOf(scope), until };
  return stores.seal.seal(JSON.stringify(state), ownerOf(scope));
}

/**
 * Opens a cursor. Throws `scim.cursor_invalid` for another caller or another list, `scim.cursor_expired`, and
 * `scim.count_invalid` for another page size.
 */
export function openCursor(scope: CursorScope, cursor: string, count: number): Progress {
  const state = unsealed(scope, cursor);
  if (state.query !== digestOf(scope)) {
    throw new Fault(
      "scim.cursor_invalid",
      "The cursor belongs to another list. Do not change the filter, the sorting and the attributes between pages. Where user stores were added or removed, start again with an empty cursor.",
    );
  }
  if (state.until < scope.call.now) {
    throw new Fault("scim.cursor_expired", "The cursor has expired. Start again with an empty cursor.");
  }
  if (state.count !== count) {
    throw new Fault("scim.count_invalid", `count must stay ${state.count} on all pages of a cursor.`);
  }
  return state;
}

function unsealed(scope: CursorScope, cursor: string): CursorState {
  try {
    return JSON.parse(scope.call.stores.seal.open(cursor, ownerOf(scope))) as CursorState;
  } catch (cause) {
    throw new Fault("scim.cursor_invalid", "The cursor was not issued to this caller for this list.", { cause });
  }
}

/**
 * Positions name user stores by their place in the list, so the digest has their names. The first one is PRIMARY, or
 * what `domain` names, and no deployment changes that.
 */
function digestOf({ endpoint, request, userStores = [] }: CursorScope): string {
  const { attributes, excludedAttributes, filter, domain, sortBy, sortOrder } = request;
  const text = JSON.stringify([
    endpoint,
    [attributes].flat().join(","),
    [excludedAttributes].flat().join(","),
    filter,
    domain,
    sortBy,
    sortOrder,
    ...userStores.slice(1),
  ]);
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

function ownerOf({ call: { tenant, subject } }: CursorScope): string {
  return `cursor ${tenant} ${subject}`;
}
