/**
 * Many operations in one request, in either version of SCIM (RFC 7644 section 3.7; reference scim.md sections 2.11 and 4.3).
 * They are carried out in the order in which they were sent, but for those that wait for a `bulkId`, and without
 * `failOnErrors` for new users next to each other, who are made side by side; each by itself is all or nothing.
 */

import { elapsed } from "../platform/clock.ts";
import { Fault, toFault } from "../platform/faults.ts";
import { foldName } from "../platform/fold.ts";
import { limits } from "./discovery.ts";
import { isObject } from "./values.ts";

/** Operations that cannot disturb each other are carried out side by side. */
const SIDE_BY_SIDE = 8;
/** After so long no further operation is begun: the gateway waits for half a minute. */
const BEGUN_WITHIN_MS = 24_000;
/** Characters of a path: as many as the id of an operation of its own may have, and the name of the collection. */
const PATH_LENGTH_MAX = 1_040;

export type BulkMethod = "POST" | "PUT" | "PATCH" | "DELETE";
export type BulkKind = "Users" | "Groups";

/** One operation as it was sent. */
export interface BulkOperation {
  readonly method: string;
  readonly bulkId: string | undefined;
  readonly version: string | undefined;
  readonly path: string;
  readonly data: unknown;
  /** The bulkIds that it refers to. */
  readonly needs: ReadonlySet<string>;
}

/** Who asks. */
export interface BulkCaller {
  readonly scopes: ReadonlySet<string>;
  /** Told of what goes wrong in an operation and is not the caller's doing. */
  readonly reportDefect: (defect: Fault) => void;
}

/** What one operation did. */
interface BulkSuccess {
  readonly method: BulkMethod;
  readonly location: string;
  /** The entity tag, where the version of SCIM has some. */
  readonly etag: string | undefined;
}

/** What a version of SCIM does for the operations, and how it tells what became of them. */
export interface BulkProtocol<Outcome> {
  /** Makes a resource. */
  readonly create: (kind: BulkKind, data: unknown) => Promise<{ readonly id: string; readonly etag?: string }>;
  /** Changes or deletes one. */
  readonly change: (
    kind: BulkKind,
    method: Exclude<BulkMethod, "POST">,
    id: string,
    sent: { readonly data: unknown; readonly version: string | undefined },
  ) => Promise<{ readonly etag?: string } | undefined>;
  /** The absolute address of a resource. */
  readonly locationOf: (kind: BulkKind, id: string) => string;
  /** The fault of an operation whose path leads to no kind of resources. */
  readonly unknownPath: (description: string) => Fault;
  readonly succeeded: (sent: BulkOperation, success: BulkSuccess) => Outcome;
  readonly failed: (sent: BulkOperation, fault: Fault, location: string | undefined) => Outcome;
}

/** A request that was read. */
interface BulkOrder {
  readonly operations: readonly BulkOperation[];
  /** After so many failures nothing more is done; 0: however many fail. */
  readonly failOnErrors: number;
}

const REFERENCE = /^bulkId:(.+)$/s;

/** What was made by operations so far: ids by bulkId; `undefined` for one that failed. */
type Made = Map<string, string | undefined>;

/** What an operation is about. */
interface Target {
  readonly method: BulkMethod;
  readonly kind: BulkKind;
  readonly id: string | undefined;
}

const things: Readonly<Record<BulkKind, string>> = { Users: "user", Groups: "group" };
const verbs: Readonly<Record<BulkMethod, string>> = {
  POST: "create",
  PUT: "update",
  PATCH: "update",
  DELETE: "delete",
};

/** What became of one operation. */
interface Done<Outcome> {
  readonly outcome: Outcome;
  readonly hasFailed: boolean;
}

/**
 * Reads a request but for its `schemas`. Throws `request.malformed`, `request.invalid`, and `request.too_large` for more
 * than 1,000 operations.
 */
export function readBulk(body: Readonly<Record<string, unknown>>): BulkOrder {
  const members = folded(body);
  const failOnErrors = members.get("failonerrors") ?? 0;
  if (typeof failOnErrors !== "number" || !Number.isSafeInteger(failOnErrors) || failOnErrors < 0) {
    throw refuse("failOnErrors must be a whole number, from 0.");
  }
  const list = members.get("operations");
  if (!Array.isArray(list)) throw malformed("Operations is required: a list.");
  if (list.length > limits.bulkOperationsMax) {
    throw new Fault(
      "request.too_large",
      `The request has ${list.length} operations; at most ${limits.bulkOperationsMax} are carried out (maxOperations).`,
    );
  }
  const operations = list.map(operationOf);
  const ids = new Set<string>();
  for (const [at, { method, bulkId }] of operations.entries()) {
    if (method === "POST" && !bulkId) throw refuse(`Operations[${at}].bulkId is required for POST.`);
    if (bulkId !== undefined && ids.has(bulkId)) throw refuse(`The bulkId "${bulkId.slice(0, 100)}" is given twice.`);
    if (bulkId !== undefined) ids.add(bulkId);
  }
  return { operations, failOnErrors };
}

function operationOf(given: unknown, at: number): BulkOperation {
  const place = `Operations[${at}]`;
  if (!isObject(given)) throw malformed(`${place} must be an object.`);
  const members = folded(given);
  const path = textIn(members, "path", place) ?? "";
  const data = members.get("data");
  const references = [...path.split("/"), ...stringsIn(data)].flatMap((text) => REFERENCE.exec(text)?.[1] ?? []);
  return {
    method: (textIn(members, "method", place) ?? "").toUpperCase(),
    bulkId: textIn(members, "bulkId", place),
    version: textIn(members, "version", place),
    path,
    data,
    needs: new Set(references),
  };
}

function textIn(members: ReadonlyMap<string, unknown>, name: string, place: string): string | undefined {
  const value = members.get(name.toLowerCase());
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw malformed(`${place}.${name} must be a string.`);
  return value;
}

function malformed(reason: string): Fault {
  return new Fault("request.malformed", reason);
}

/** Every string in a value. The depth of bodies is limited where they are read. */
function* stringsIn(value: unknown): Generator<string, void> {
  if (typeof value === "string") yield value;
  else if (Array.isArray(value)) for (const entry of value) yield* stringsIn(entry);
  else if (isObject(value)) for (const entry of Object.values(value)) yield* stringsIn(entry);
}

/**
 * Each of these scopes lets its holder do such an operation in bulk: that of the operation on its own, and the one that lets
 * it be done in bulk alone (decision 0053).
 */
export function bulkScopes(kind: BulkKind, method: BulkMethod): readonly [own: string, inBulk: string] {
  return [`internal_${things[kind]}_mgt_${verbs[method]}`, `internal_bulk_${things[kind]}_${verbs[method]}`];
}

/**
 * Carries out a request; the outcomes are in the order in which the operations were sent. Whatever fails in one operation
 * stands in its own outcome, also what the caller may not do, and a defect of ours. With `failOnErrors` n nothing is carried
 * out, or answered, behind the n-th failure of whichever kind.
 */
export async function carryOutBulk<Outcome>(
  protocol: BulkProtocol<Outcome>,
  caller: BulkCaller,
  { operations, failOnErrors }: BulkOrder,
): Promise<Outcome[]> {
  const startedMs = elapsed();
  const made: Made = new Map();
  const outcomes = new Map<BulkOperation, Outcome>();
  /** bulkIds of operations that are not done yet. */
  const open = new Set(operations.flatMap(({ bulkId }) => bulkId ?? []));
  const waiting = [...operations];
  const width = failOnErrors > 0 ? 1 : SIDE_BY_SIDE;
  let errors = 0;
  while (waiting.length > 0 && (failOnErrors === 0 || errors < failOnErrors)) {
    const now = nextOf(waiting, open, width);
    const isLate = elapsed() - startedMs > BEGUN_WITHIN_MS;
    const done = await Promise.all(
      now.map(async (sent): Promise<readonly [BulkOperation, Done<Outcome>]> => {
        if (isLate) return [sent, { outcome: protocol.failed(sent, notBegun(), undefined), hasFailed: true }];
        return [sent, await carryOut(protocol, caller, sent, made)];
      }),
    );
    for (const [sent, { outcome, hasFailed }] of done) {
      outcomes.set(sent, outcome);
      waiting.splice(waiting.indexOf(sent), 1);
      if (sent.bulkId !== undefined) open.delete(sent.bulkId);
      if (hasFailed) errors += 1;
    }
  }
  return operations.flatMap((sent) => outcomes.get(sent) ?? []);
}

/** The next operations: the first that can be carried out, and those right behind it that make other users as it does. */
function nextOf(waiting: readonly BulkOperation[], open: ReadonlySet<string>, width: number): readonly BulkOperation[] {
  const isReady = ({ needs, bulkId }: BulkOperation) => [...needs].every((need) => need !== bulkId && !open.has(need));
  const at = Math.max(0, waiting.findIndex(isReady));
  const [first, ...behind] = waiting.slice(at, at + width);
  if (!first) return [];
  const names = new Set([nameMade(first)]);
  if (names.has(undefined)) return [first];
  const end = behind.findIndex((one) => {
    const name = nameMade(one);
    const isNew = name !== undefined && !names.has(name);
    names.add(name);
    return !isNew;
  });
  return [first, ...(end < 0 ? behind : behind.slice(0, end))];
}

/** The user name of an operation that makes a user and needs nothing of others. */
function nameMade({ method, path, data, needs }: BulkOperation): string | undefined {
  if (method !== "POST" || path.toLowerCase() !== "/users" || needs.size > 0 || !isObject(data)) return undefined;
  const name = folded(data).get("username");
  return typeof name === "string" ? foldName(name) : undefined;
}

function notBegun(): Fault {
  return new Fault("service.unavailable", "The time for one request ran out before this operation: send it again.");
}

/** Carries out one operation. Nothing is thrown: the outcomes of the others would be lost. */
async function carryOut<Outcome>(
  protocol: BulkProtocol<Outcome>,
  caller: BulkCaller,
  sent: BulkOperation,
  made: Made,
): Promise<Done<Outcome>> {
  const { bulkId, version } = sent;
  let location: string | undefined;
  try {
    const target = targetOf(sent, made, protocol.unknownPath);
    const { kind, id, method } = target;
    if (id !== undefined && !REFERENCE.test(id)) location = protocol.locationOf(kind, id);
    checkScopes(target, caller);
    checkNeeds(sent.needs, made);
    const data = resolved(sent.data, made);
    if (method === "POST" || id === undefined) {
      const created = await protocol.create(kind, data);
      if (bulkId !== undefined) made.set(bulkId, created.id);
      const success = { method, location: protocol.locationOf(kind, created.id), etag: created.etag };
      return { outcome: protocol.succeeded(sent, success), hasFailed: false };
    }
    const changed = await protocol.change(kind, method, id, { data, version });
    const success = { method, location: protocol.locationOf(kind, id), etag: changed?.etag };
    return { outcome: protocol.succeeded(sent, success), hasFailed: false };
  } catch (error) {
    const fault = toFault(error);
    if (fault.fault === "server.unexpected") caller.reportDefect(fault);
    if (bulkId !== undefined && !made.has(bulkId)) made.set(bulkId, undefined);
    return { outcome: protocol.failed(sent, fault, location), hasFailed: true };
  }
}

/** Throws the fault of an operation that is about nothing. */
function targetOf(
  { method, path }: BulkOperation,
  made: Made,
  unknownPath: BulkProtocol<unknown>["unknownPath"],
): Target {
  if (path.length > PATH_LENGTH_MAX) {
    throw refuse(`The path of a bulk operation has at most ${PATH_LENGTH_MAX} characters, not ${path.length}.`);
  }
  const [, name = "", id, ...more] = path.split("/");
  const kind = (["Users", "Groups"] as const).find((one) => one.toLowerCase() === name.toLowerCase());
  if (!path.startsWith("/") || !kind || more.length > 0 || id === "") {
    throw unknownPath(
      `"${path.slice(0, 100)}" is no path of a bulk operation: /Users, /Groups, or one of them with an id.`,
    );
  }
  const known = (["POST", "PUT", "PATCH", "DELETE"] as const).find((one) => one === method);
  if (!known) throw refuse(`"${method.slice(0, 20)}" is no method of a bulk operation.`);
  if ((known === "POST") !== (id === undefined)) {
    throw refuse(
      id === undefined ? `${known} needs the id of a resource in its path.` : "POST takes no id in its path.",
    );
  }
  return { method: known, kind, id: id === undefined ? undefined : String(resolved(id, made)) };
}

function checkScopes({ kind, method }: Target, { scopes }: BulkCaller): void {
  const enough = bulkScopes(kind, method);
  if (enough.some((scope) => scopes.has(scope))) return;
  throw new Fault(
    "auth.forbidden",
    `The operation needs the scope ${enough.join(" or ")}, which the caller does not have.`,
  );
}

function checkNeeds(needs: ReadonlySet<string>, made: Made): void {
  const missing = [...needs].find((bulkId) => made.get(bulkId) === undefined);
  if (missing === undefined) return;
  throw new Fault("scim.bulk_reference", `The bulkId "${missing.slice(0, 100)}" stands for nothing that was made.`);
}

function resolved(value: unknown, made: Made): unknown {
  if (typeof value === "string") return made.get(REFERENCE.exec(value)?.[1] ?? "") ?? value;
  if (Array.isArray(value)) return value.map((entry) => resolved(entry, made));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, resolved(entry, made)]));
}

function folded(given: Readonly<Record<string, unknown>>): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
}

function refuse(reason: string): Fault {
  return new Fault("request.invalid", reason);
}
