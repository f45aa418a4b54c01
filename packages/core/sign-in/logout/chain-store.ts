/**
 * A sign-out that sends the browser to service providers of SAML, one after the other, and at last to where it was
 * asked for (SAML Profiles 2.0 section 4.4; decision 0200). The sessions have ended before: a chain that is not gone to
 * its end leaves no one signed in here.
 */
import { randomUUID } from "node:crypto";
import { keys } from "../../database/table/keys.ts";
import { bool, list, number, optional, record, rowCodec, text } from "../../database/table/row.ts";
import { stale } from "../../database/table/stale.ts";
import type { Item, Step, Table } from "../../database/table/table.ts";
import type { ToldClient } from "../../tokens/logout-model.ts";
import { toldClient } from "../../tokens/logout-store.ts";
import { digestOf, isOpaque, newOpaque } from "../../tokens/opaque.ts";

/** A logout request that is answered when the chain is over. */
export interface AnsweredLogout {
  readonly tenant: string;
  readonly applicationId: string;
  /** The ID of the request. */
  readonly id: string;
  /** By which binding it came. */
  readonly binding: string;
  readonly relayState?: string | undefined;
}

/** A session that has ended: the browser forgets its cookie. */
export interface EndedSession {
  readonly tenant: string;
  readonly sid: string;
}

/** How far a sign-out is. */
export interface LogoutChain {
  readonly ended: readonly EndedSession[];
  /** The providers that are not told yet, each with its tenant. */
  readonly waiting: readonly (ToldClient & { readonly tenant: string })[];
  /** The provider whose answer is awaited. */
  readonly asked?: string | undefined;
  /** How many requests were sent. */
  readonly turn: number;
  /** One of the providers has not confirmed, or cannot be told. */
  readonly isPartial: boolean;
  /** Pages of other clients that the browser opens. */
  readonly frames: readonly string[];
  /** What the browser gets at last; absent for a page that says that the person is signed out. */
  readonly answered?: AnsweredLogout | undefined;
  readonly location?: string | undefined;
}

/** A chain as it was read. */
export interface ReadChain {
  readonly handle: string;
  readonly chain: LogoutChain;
  /** Names this state of it. */
  readonly state: string;
}

/** Longer than anybody needs to sign out of some applications. */
const SECONDS = 30 * 60;

type Row = LogoutChain & { readonly state: string; readonly expiresAtSeconds: number };

const rows = rowCodec<Row>("sign-out", {
  ended: list(record<EndedSession>({ tenant: text, sid: text })),
  waiting: list(record<ToldClient & { readonly tenant: string }>({ ...toldClient, tenant: text })),
  asked: optional(text),
  turn: number,
  isPartial: bool,
  frames: list(text),
  answered: optional(
    record<AnsweredLogout>({
      tenant: text,
      applicationId: text,
      id: text,
      binding: text,
      relayState: optional(text),
    }),
  ),
  location: optional(text),
  state: text,
  expiresAtSeconds: number,
});

/** Where a chain goes on, below the path of the tenant. */
export const chainAddress = (handle: string) => `/samlsso/logout?chain=${handle}`;

/** A new chain: the step that stores it, which belongs in the transaction that ends the sessions, and its handle. */
export function startingChain(
  chain: Omit<LogoutChain, "turn" | "asked">,
  nowMs: number,
): { readonly handle: string; readonly step: Step } {
  const handle = newOpaque("lc_");
  const put = itemOf(handle, { ...chain, turn: 0 }, randomUUID(), nowMs);
  return {
    handle,
    step: { put, when: "absent", otherwise: (found) => (found?.state === put.state ? "applied" : stale()) },
  };
}

/** A chain; `undefined` for a text that is no handle, and one that is over or too old. One round trip. */
export async function readChain(table: Table, handle: string, nowMs: number): Promise<ReadChain | undefined> {
  if (!isOpaque(handle, "lc_")) return undefined;
  const item = await table.get(keys.logoutChain(digestOf(handle)));
  if (!item) return undefined;
  const { state, expiresAtSeconds, ...chain } = rows.read(item);
  return nowMs < expiresAtSeconds * 1_000 ? { handle, chain, state } : undefined;
}

/** The step that moves a chain on. It throws the error of `stale` where another request has done so. */
export function movingChain({ handle, state }: ReadChain, chain: LogoutChain, nowMs: number): Step {
  const put = itemOf(handle, chain, randomUUID(), nowMs);
  return { put, when: { equal: { state } }, otherwise: (found) => (found?.state === put.state ? "applied" : stale()) };
}

function itemOf(handle: string, chain: LogoutChain, state: string, nowMs: number): Item {
  const expiresAtSeconds = Math.ceil(nowMs / 1_000) + SECONDS;
  return { ...keys.logoutChain(digestOf(handle)), ...rows.write({ ...chain, state, expiresAtSeconds }) };
}
