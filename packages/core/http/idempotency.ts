/**
 * Repeatable requests (decision 0086): within 24 hours, the same request with the same `Idempotency-Key` gets the first
 * answer again. The change of a request and its answer are stored in one transaction, so that a crash between the two
 * loses neither and repeats neither.
 */
import { randomUUID } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { type Deferral, deferral } from "../database/table/deferral.ts";
import { isStale, Moved, stale, whileConflicting, whileStale } from "../database/table/stale.ts";
import type { Table } from "../database/table/table.ts";
import { Fault, toFault } from "../kernel/faults.ts";
import { REPLAYED } from "../kernel/operation/repeatable.ts";
import type { AnswerSecrets } from "./idempotency-key.ts";
import {
  isAbandoned,
  isExpired,
  newRepeatable,
  type Repeatable,
  type RepeatableStore,
  repeatableStore,
} from "./idempotency-store.ts";

const CLAIMS_MAX = 5;

/** A response as the gateway gets it. */
export interface EncodedResponse {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, boolean | number | string>>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

/** A request with a key. */
export interface RepeatableRequest {
  readonly tenant: string;
  /** The digest of caller and key. */
  readonly digest: string;
  /** What is asked for. */
  readonly text: string;
  /** The scopes of the credential, where the operation decides by them. */
  readonly scopes: readonly string[] | undefined;
  readonly nowMs: number;
}

/** Runs one of several changes of a request on a table of its own, and stores its result with the change. */
export type PartRunner = <R>(place: number, work: (table: Table) => Promise<R>) => Promise<R>;

/** What answers a request. */
export interface Answering {
  readonly secrets: AnswerSecrets;
  /** The table of the request. */
  readonly table: Table;
  /** Carries the request out on a table that holds its change back. `inParts` is for requests of several changes. */
  readonly attempt: (table: Table, inParts: PartRunner) => Promise<EncodedResponse>;
  /** Renders a fault as the response. */
  readonly render: (fault: Fault) => EncodedResponse;
  readonly reportDefect: (defect: unknown) => void;
}

/** An answer as it is kept. */
interface Kept {
  readonly response: EncodedResponse;
  /** The scopes by which it was given. */
  readonly scopes?: readonly string[] | undefined;
}

/** One key of one caller, in the hands of one request. */
interface Session {
  readonly request: RepeatableRequest;
  readonly answering: Answering;
  readonly rows: RepeatableStore;
}

/** What seals and reads the texts of one row. */
interface Sealed {
  seal(value: unknown): string;
  open(text: string): unknown;
}

/**
 * Answers a request, or gives its first answer again. Throws the faults of the request, `idempotency.other_request`
 * where the key belongs to another request, `idempotency.running` while the first one runs, and `auth.forbidden` where
 * the credential lacks a right by which the first answer was given.
 */
export async function answerOnce(request: RepeatableRequest, answering: Answering): Promise<EncodedResponse> {
  const rows = repeatableStore(answering.table, request.tenant, request.digest);
  const session: Session = { request, answering, rows };
  const claimed = await claim(session);
  return "replay" in claimed ? claimed.replay : execute(session, claimed.row, claimed.isTakenOver);
}

/** Refusals that a repeat may change: rights, conditions that name another state, and limits. */
const TEMPORARY: ReadonlySet<number> = new Set([401, 403, 412, 428, 429]);

/** Whether a fault is the final answer. What is busy or broken may work the next time. */
export function isFinal({ fault, row: { status } }: Fault): boolean {
  const isTemporary = fault === "resource.contended" || fault.startsWith("idempotency.");
  return status >= 400 && status < 500 && !TEMPORARY.has(status) && !isTemporary;
}

type Claim = { readonly replay: EncodedResponse } | { readonly row: Repeatable; readonly isTakenOver: boolean };

/** Claims the key. One round trip for a replay, else two. */
async function claim(session: Session): Promise<Claim> {
  const { request, answering, rows } = session;
  let found = await rows.find();
  for (let tries = 0; tries < CLAIMS_MAX; tries += 1) {
    const former = found && isExpired(found, request.nowMs) ? undefined : found;
    if (former) {
      const replay = await replayOf(session, former);
      if (replay) return { replay };
    }
    const row = newRepeatable(randomUUID(), answering.secrets.digest(request.text), request.nowMs, former);
    const claimed = await rows.claim(row, found);
    if (claimed.isOwn) return { row, isTakenOver: former !== undefined };
    found = claimed.found;
  }
  throw running();
}

/** The answer of a row; `undefined` where its attempt has ended without one. */
async function replayOf(session: Session, row: Repeatable): Promise<EncodedResponse | undefined> {
  const { request, answering, rows } = session;
  if (!answering.secrets.isDigestOf(row.request, request.text)) {
    throw new Fault(
      "idempotency.other_request",
      "The Idempotency-Key belongs to another request of yours: its method, path, query or body differs. " +
        "Send a new key, or the request as it was.",
    );
  }
  if (row.state === "running") {
    if (isAbandoned(row, request.nowMs)) return undefined;
    throw running();
  }
  const answer = await rows.answerOf(row);
  if (answer === undefined) throw new Error("a first answer has lost its parts");
  const { response, scopes = [] } = sealedFor(session, row.origin).open(answer) as Kept;
  const missing = request.scopes && scopes.find((scope) => !request.scopes?.includes(scope));
  if (missing !== undefined) {
    throw new Fault(
      "auth.forbidden",
      `The first answer was given to a credential with the scope ${missing}, which your credential does not have.`,
    );
  }
  return { ...response, headers: { ...response.headers, [REPLAYED]: "true" } };
}

function running(): Fault {
  return new Fault(
    "idempotency.running",
    "The first request with this Idempotency-Key has not ended. Repeat the request in a moment.",
  );
}

/** Carries a request out whose key was claimed. */
async function execute(session: Session, row: Repeatable, isTakenOver: boolean): Promise<EncodedResponse> {
  const { answering, rows } = session;
  let isOpen = true;
  try {
    const { response, fault } = await whileConflicting(() => attempt(session, row, isTakenOver), mustStartAgain);
    isOpen = false;
    if (fault) throw fault;
    return response;
  } catch (error) {
    // Where this fails too, the row is taken over once the request must have ended.
    if (isOpen) await rows.free(row).catch(answering.reportDefect);
    throw error;
  }
}

interface Attempted {
  readonly response: EncodedResponse;
  /** The fault of an answer that is kept. */
  readonly fault?: Fault;
}

function mustStartAgain(error: unknown): boolean {
  return isStale(error) || error instanceof Moved;
}

/** Carries a request out once, and stores its change with its answer. Throws `stale` where it must start again. */
async function attempt(session: Session, row: Repeatable, isTakenOver: boolean): Promise<Attempted> {
  const { request, answering, rows } = session;
  const held = deferral(answering.table);
  const attempted = await outcomeOf(session, held, partsOf(session, row, isTakenOver));
  const kept: Kept = { response: attempted.response, scopes: request.scopes };
  const step = await rows.answering(row, sealedFor(session, row.origin).seal(kept), running);
  await held.commit(step, answering.reportDefect);
  return attempted;
}

async function outcomeOf({ answering }: Session, held: Deferral, inParts: PartRunner): Promise<Attempted> {
  try {
    return { response: await answering.attempt(held.table, inParts) };
  } catch (error) {
    const fault = toFault(error);
    if (!isFinal(fault)) throw error;
    held.discard();
    return { response: answering.render(fault), fault };
  }
}

/**
 * Runs the changes of one request one by one, each with its result in its transaction. After a crash, those that were
 * carried out are not carried out again.
 */
function partsOf(session: Session, row: Repeatable, isTakenOver: boolean): PartRunner {
  const { answering, rows } = session;
  const sealed = sealedFor(session, `${row.origin} part`);
  const known = new Map<number, string>();
  let reading: Promise<void> | undefined;
  const readKnown = async () => {
    for (const [place, result] of await rows.operations(row)) known.set(place, result);
  };
  return async <R>(place: number, work: (table: Table) => Promise<R>): Promise<R> => {
    if (isTakenOver) {
      reading ??= readKnown();
      await reading;
    }
    return whileStale(async () => {
      const before = known.get(place);
      if (before !== undefined) return sealed.open(before) as R;
      const held = deferral(answering.table);
      const result = await work(held.table);
      if (!held.hasChange()) return result;
      const step = rows.operating(row, place, sealed.seal(result), (found) => {
        known.set(place, found);
        return stale();
      });
      await held.commit(step, answering.reportDefect);
      return result;
    });
  };
}

/** Answers are sealed for their caller, their key and their first attempt. */
function sealedFor({ request, answering }: Session, origin: string): Sealed {
  const owner = `answer ${request.tenant} ${request.digest} ${origin}`;
  return {
    seal: (value) => answering.secrets.seal.seal(deflated(JSON.stringify(value ?? null)), owner),
    open: (text) => JSON.parse(inflated(answering.secrets.seal.open(text, owner))) as unknown,
  };
}

function deflated(text: string): string {
  return deflateRawSync(text).toString("base64");
}

function inflated(text: string): string {
  return inflateRawSync(Buffer.from(text, "base64")).toString("utf8");
}
