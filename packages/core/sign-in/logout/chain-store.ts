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

/** A session that has ended: its cookie shows that a browser is the one of the session. */
export interface EndedSession {
  readonly tenant: string;
  readonly sid: string;
  /** The digest of its secret. */
  readonly digest: string;
}

/** A service provider that is to be visited: a client with its tenant, and the session that it was in. */
export type Visit = ToldClient & { readonly tenant: string; readonly sid: string };

/** A page that is to be opened. */
export interface Frame {
  readonly sid: string;
  readonly address: string;
}

/** How far a sign-out is. */
export interface LogoutChain {
  readonly ended: readonly EndedSession[];
  /** The providers that are not told yet. */
  readonly waiting: readonly Visit[];
  /** The provider whose answer is awaited. */
  readonly asked?: Visit | undefined;
  /** How many requests were sent. */
  readonly turn: number;
  /** One of the providers has not confirmed, or cannot be told. */
  readonly isPartial: boolean;
  /** Pages of other clients that the browser opens. */
  readonly frames: readonly Frame[];
  /** What the browser gets at last; absent for a page that says that the person is signed out. */
  readonly answered?: AnsweredLogout | undefined;
  readonly location?: string | undefined;
}

/** A chain as it was read. */
export interface ReadChain {
  /** The digest of its handle: it names the chain to those who must not go on with it. */
  readonly digest: string;
  readonly chain: LogoutChain;
  /** Names this state of it. */
  readonly state: string;
}

/** Participants that one sign-out visits, and pages that it opens, at most: a row has room for them. */
export const VISITS_MAX = 60;

/** Longer than anybody needs to sign out of some applications. */
const SECONDS = 30 * 60;

type Row = LogoutChain & { readonly state: string; readonly expiresAtSeconds: number };

const visit = record<Visit>({ ...toldClient, tenant: text, sid: text });

const rows = rowCodec<Row>("sign-out", {
  ended: list(record<EndedSession>({ tenant: text, sid: text, digest: text })),
  waiting: list(visit),
  asked: optional(visit),
  turn: number,
  isPartial: bool,
  frames: list(record<Frame>({ sid: text, address: text })),
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

const DIGEST = /^[A-Za-z0-9_-]{43}$/;

/** Where a chain goes on, below the path of the tenant: by its handle, or its digest with the cookie of a session. */
export const chainAddress = (name: string) => `/samlsso/logout?chain=${name}`;

/** The digest of a chain by its handle or its digest; `undefined` for any other text. */
export function chainNamed(text: string): { readonly digest: string; readonly isHandle: boolean } | undefined {
  if (isOpaque(text, "lc_")) return { digest: digestOf(text), isHandle: true };
  return DIGEST.test(text) ? { digest: text, isHandle: false } : undefined;
}

/** A new chain: the step that stores it, which belongs in the transaction that ends the sessions, and its handle. */
export function startingChain(
  chain: Omit<LogoutChain, "turn" | "asked">,
  nowMs: number,
): { readonly handle: string; readonly digest: string; readonly step: Step } {
  const handle = newOpaque("lc_");
  const digest = digestOf(handle);
  const put = itemOf(digest, { ...chain, turn: 0 }, randomUUID(), nowMs);
  return {
    handle,
    digest,
    step: { put, when: "absent", otherwise: (found) => (found?.state === put.state ? "applied" : stale()) },
  };
}

/** A chain by the digest of its handle; `undefined` for one that is too old. One round trip. */
export async function readChain(table: Table, digest: string, nowMs: number): Promise<ReadChain | undefined> {
  const item = await table.get(keys.logoutChain(digest));
  if (!item) return undefined;
  const { state, expiresAtSeconds, ...chain } = rows.read(item);
  return nowMs < expiresAtSeconds * 1_000 ? { digest, chain, state } : undefined;
}

/** The step that moves a chain on. It throws the error of `stale` where another request has done so. */
export function movingChain({ digest, state }: ReadChain, chain: LogoutChain, nowMs: number): Step {
  const put = itemOf(digest, chain, randomUUID(), nowMs);
  return { put, when: { equal: { state } }, otherwise: (found) => (found?.state === put.state ? "applied" : stale()) };
}

function itemOf(digest: string, chain: LogoutChain, state: string, nowMs: number): Item {
  const expiresAtSeconds = Math.ceil(nowMs / 1_000) + SECONDS;
  return { ...keys.logoutChain(digest), ...rows.write({ ...chain, state, expiresAtSeconds }) };
}
