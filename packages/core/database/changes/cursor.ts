/**
 * The cursors of lists of changes. They are plain: a cursor says nothing that its list does not show, keys are built
 * from the tenant of the credential only, and a cursor of another list is refused.
 */
import { createHash } from "node:crypto";
import { Fault } from "../../kernel/faults.ts";
import type { Chain } from "./chains.ts";
import { isChangeId } from "./change-id.ts";
import { type HistoryType, historyPlace, historyTypes } from "./resource-rows.ts";

/** Where a page starts. */
export interface Position {
  /** The id before which, or after which in ascending order, the page starts. */
  readonly at?: string;
  /** The histories that the page reads; absent where it reads the lanes. */
  readonly chains?: readonly Chain[];
}

/** A chain in a cursor. Its resource follows from the list. */
type StoredChain = readonly [type: number, source: string, ...pending: string[]];

interface Stored {
  readonly l: string;
  readonly a?: string;
  readonly c?: readonly StoredChain[];
}

const PENDING_MAX = 64;
const LIST_CHARACTERS = 11;

/** The cursor of a position in a list, which `list` describes. */
export function cursorOf(list: readonly unknown[], { at, chains }: Position): string {
  const stored: Stored = {
    l: tagOf(list),
    ...(at !== undefined && { a: at }),
    ...(chains && {
      c: chains.map(({ type, source = "", pending }) => [historyTypes.indexOf(type), source, ...pending] as const),
    }),
  };
  return Buffer.from(JSON.stringify(stored)).toString("base64url");
}

/** Reads a cursor. Throws `request.invalid` for a text that is no cursor of the list. */
export function positionOf(list: readonly unknown[], id: string, cursor: string): Position {
  const stored = storedIn(cursor);
  if (!stored || stored.l !== tagOf(list)) {
    throw new Fault(
      "request.invalid",
      "after: not a cursor of this list. Send `next` of the page before, and the same parameters as for that page.",
    );
  }
  const { a: at, c: chains } = stored;
  return {
    ...(at !== undefined && { at }),
    ...(chains && { chains: chains.map((chain) => chainIn(chain, id)) }),
  };
}

function chainIn([type, source, ...pending]: StoredChain, id: string): Chain {
  const place = historyPlace(historyTypes[type] as HistoryType, id);
  return { ...place, ...(source !== "" && { source }), pending };
}

function storedIn(cursor: string): Stored | undefined {
  let given: unknown;
  try {
    given = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
  return isStored(given) ? given : undefined;
}

function isStored(given: unknown): given is Stored {
  if (typeof given !== "object" || given === null) return false;
  const { l, a, c } = given as Partial<Record<keyof Stored, unknown>>;
  if (typeof l !== "string" || !(a === undefined || isId(a))) return false;
  return c === undefined || (Array.isArray(c) && c.length <= historyTypes.length && c.every(isStoredChain));
}

function isStoredChain(given: unknown): given is StoredChain {
  if (!Array.isArray(given)) return false;
  const [type, source, ...pending] = given as readonly unknown[];
  const isType = typeof type === "number" && historyTypes[type] !== undefined;
  return isType && (source === "" || isId(source)) && pending.length <= PENDING_MAX && pending.every(isId);
}

function isId(given: unknown): given is string {
  return typeof given === "string" && isChangeId(given);
}

function tagOf(list: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(list)).digest("base64url").slice(0, LIST_CHARACTERS);
}
