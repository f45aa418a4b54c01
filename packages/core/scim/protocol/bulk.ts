/**
 * Bulk requests of both SCIM versions (RFC 7644 section 3.7). Operations run in the order of the request, with two
 * exceptions: operations that need a `bulkId` wait for it, and without `failOnErrors` adjacent creations of users run
 * concurrently. Each operation by itself is atomic.
 */

import { elapsed } from "../../kernel/clock.ts";
import { Fault, refuse, toFault } from "../../kernel/faults.ts";
import { foldName } from "../../kernel/fold.ts";
import { valuesTogether } from "../../kernel/together.ts";
import { listed } from "../../kernel/words.ts";
import { type BulkKind, type BulkMethod, methods, placeIn, placesOf } from "./bulk-places.ts";
import { type Created, isReference, resolved, resolvedText } from "./bulk-references.ts";
import type { BulkOperation, BulkRequest } from "./bulk-request.ts";
import { bulkScopes } from "./bulk-scopes.ts";
import { pickFrom } from "./input.ts";
import { isObject } from "./values.ts";

/** The maximum of concurrent operations. */
const CONCURRENT_MAX = 8;
/** No operation starts later than this: the gateway waits for 30 seconds. */
const START_WITHIN_MS = 24_000;
/** Characters of a path: those of an id outside bulk requests, and of the collection. */
const PATH_LENGTH_MAX = 1_040;

export interface BulkCaller {
  readonly scopes: ReadonlySet<string>;
  /** Reports an unexpected failure of an operation to operators. */
  readonly reportDefect: (defect: Fault) => void;
}

interface BulkSuccess {
  readonly method: BulkMethod;
  readonly location: string;
  /** The entity tag, in SCIM 2.0. */
  readonly etag: string | undefined;
}

/** How a version of SCIM executes operations, each at its place, and renders their outcomes. */
export interface BulkProtocol<Outcome> {
  readonly create: (
    place: number,
    kind: BulkKind,
    data: unknown,
  ) => Promise<{ readonly id: string; readonly etag?: string }>;
  /** Changes or deletes a resource. */
  readonly change: (
    place: number,
    kind: BulkKind,
    method: Exclude<BulkMethod, "POST">,
    id: string,
    sent: { readonly data: unknown; readonly version: string | undefined },
  ) => Promise<{ readonly etag?: string } | undefined>;
  /** The absolute URL of a resource. */
  readonly locationOf: (kind: BulkKind, id: string) => string;
  /** Whether the version has a kind of resources in bulk requests. */
  readonly takes: (kind: BulkKind) => boolean;
  /** The fault for an operation with an unknown path. */
  readonly unknownPath: (description: string) => Fault;
  readonly succeeded: (sent: BulkOperation, success: BulkSuccess) => Outcome;
  readonly failed: (sent: BulkOperation, fault: Fault, location: string | undefined) => Outcome;
}

/** An operation that has not run, and how many operations it still waits for. */
interface Waiting {
  readonly sent: BulkOperation;
  blockers: number;
}

type PathRules = Pick<BulkProtocol<unknown>, "unknownPath" | "takes">;

interface Target {
  readonly method: BulkMethod;
  readonly kind: BulkKind;
  readonly id: string | undefined;
}

interface Result<Outcome> {
  readonly outcome: Outcome;
  readonly hasFailed: boolean;
}

/**
 * Executes a request. Returns the outcomes in the order of the operations. Every failure of an operation, also a
 * missing scope or an unexpected error, becomes its outcome. With `failOnErrors` n, operations after the n-th failure
 * do not run and have no outcome.
 */
export async function executeBulk<Outcome>(
  protocol: BulkProtocol<Outcome>,
  caller: BulkCaller,
  { operations, failOnErrors }: BulkRequest,
): Promise<Outcome[]> {
  const startedMs = elapsed();
  const created = new Map<string, string | undefined>();
  const outcomes = new Map<BulkOperation, Outcome>();
  const { waiting, close } = queueOf(operations);
  const width = failOnErrors > 0 ? 1 : CONCURRENT_MAX;
  let errors = 0;
  while (waiting.length > 0 && (failOnErrors === 0 || errors < failOnErrors)) {
    const now = nextOf(waiting, width);
    const isLate = elapsed() - startedMs > START_WITHIN_MS;
    const done = await Promise.all(
      now.map(async (sent): Promise<readonly [BulkOperation, Result<Outcome>]> => {
        if (isLate) return [sent, { outcome: protocol.failed(sent, notStarted(), undefined), hasFailed: true }];
        return [sent, await execute(protocol, caller, sent, created)];
      }),
    );
    for (const [sent, { outcome, hasFailed }] of done) {
      outcomes.set(sent, outcome);
      close(sent);
      if (hasFailed) errors += 1;
    }
  }
  return operations.flatMap((sent) => outcomes.get(sent) ?? []);
}

/** All operations in their order. `close` takes one out and lets those run that waited for it only. */
function queueOf(operations: readonly BulkOperation[]) {
  const waiting = operations.map((sent): Waiting => ({ sent, blockers: 0 }));
  const followers = new Map(
    operations.flatMap(({ bulkId }) => (bulkId === undefined ? [] : [[bulkId, new Set<Waiting>()]])),
  );
  for (const one of waiting) {
    for (const need of one.sent.needs) {
      const others = followers.get(need);
      // Nothing creates an unknown one: the operation runs, and fails.
      if (others) one.blockers += 1;
      others?.add(one);
    }
  }
  const close = (sent: BulkOperation) => {
    waiting.splice(
      waiting.findIndex((one) => one.sent === sent),
      1,
    );
    for (const one of followers.get(sent.bulkId ?? "") ?? []) one.blockers -= 1;
  };
  return { waiting, close };
}

/** The next operations: the first that can run, and adjacent creations of users with other names. */
function nextOf(waiting: readonly Waiting[], width: number): readonly BulkOperation[] {
  const ready = waiting.findIndex(({ blockers }) => blockers === 0);
  const at = Math.max(0, ready);
  const [first, ...following] = waiting.slice(at, at + width).map(({ sent }) => sent);
  if (!first) return [];
  const names = new Set([newUserName(first)]);
  if (names.has(undefined)) return [first];
  const end = following.findIndex((one) => {
    const name = newUserName(one);
    const isNew = name !== undefined && !names.has(name);
    names.add(name);
    return !isNew;
  });
  return [first, ...(end < 0 ? following : following.slice(0, end))];
}

/** The user name of an operation that creates a user and needs no other operation. */
function newUserName({ method, path, data, needs }: BulkOperation): string | undefined {
  const place = placeIn(path);
  if (method !== "POST" || place?.kind !== "Users" || place.id !== undefined) return undefined;
  if (needs.size > 0 || !isObject(data)) return undefined;
  const name = pickFrom(data)("userName");
  return typeof name === "string" ? foldName(name) : undefined;
}

function notStarted(): Fault {
  return new Fault(
    "service.unavailable",
    "The bulk request ran out of time before this operation. Send the operation again.",
  );
}

/** Executes one operation. Never throws, so that the outcomes of the others are kept. */
async function execute<Outcome>(
  protocol: BulkProtocol<Outcome>,
  caller: BulkCaller,
  sent: BulkOperation,
  created: Map<string, string | undefined>,
): Promise<Result<Outcome>> {
  const { place, bulkId, version } = sent;
  let location: string | undefined;
  try {
    const target = targetOf(sent, created, protocol);
    const { kind, id, method } = target;
    if (id !== undefined && !isReference(id)) location = protocol.locationOf(kind, id);
    checkScopes(target, caller);
    checkNeeds(sent.needs, created);
    const data = resolved(sent.data, created);
    if (method === "POST" || id === undefined) {
      const { id: newId, etag } = await protocol.create(place, kind, data);
      if (bulkId !== undefined) created.set(bulkId, newId);
      const success = { method, location: protocol.locationOf(kind, newId), etag };
      return { outcome: protocol.succeeded(sent, success), hasFailed: false };
    }
    const changed = await protocol.change(place, kind, method, id, { data, version });
    const success = { method, location: protocol.locationOf(kind, id), etag: changed?.etag };
    return { outcome: protocol.succeeded(sent, success), hasFailed: false };
  } catch (error) {
    const fault = toFault(error);
    if (fault.fault === "server.unexpected") caller.reportDefect(fault);
    if (bulkId !== undefined && !created.has(bulkId)) created.set(bulkId, undefined);
    return { outcome: protocol.failed(sent, fault, location), hasFailed: true };
  }
}

function targetOf(sent: BulkOperation, created: Created, protocol: PathRules): Target {
  const [{ kind, id }, method] = valuesTogether(
    () => placeOf(sent, protocol),
    () => methodOf(sent),
  );
  return { method, kind, id: id === undefined ? undefined : resolvedText(id, created) };
}

function methodOf({ method }: BulkOperation): BulkMethod {
  const known = methods.find((one) => one === method);
  if (known) return known;
  throw refuse(`method must be ${listed(methods, "or")}, not "${method.slice(0, 20)}".`);
}

/** The place of an operation, which has an id unless it creates a resource. */
function placeOf({ method, path }: BulkOperation, { unknownPath, takes }: PathRules): Pick<Target, "kind" | "id"> {
  if (path.length > PATH_LENGTH_MAX) {
    throw refuse(`path must have at most ${PATH_LENGTH_MAX} characters, not ${path.length}.`);
  }
  const place = placeIn(path);
  if (!place || !takes(place.kind)) {
    throw unknownPath(
      `path must be ${placesOf(takes).join(" or ")}, with or without an id, not "${path.slice(0, 100)}".`,
    );
  }
  const known = methods.find((one) => one === method);
  if (known && (known === "POST") !== (place.id === undefined)) {
    throw refuse(
      known === "POST" ? "path must not have an id for POST." : `path must have the id of a resource for ${known}.`,
    );
  }
  return place;
}

function checkScopes({ kind, method }: Target, { scopes }: BulkCaller): void {
  const enough = bulkScopes(kind, method);
  if (enough.some((scope) => scopes.has(scope))) return;
  throw new Fault(
    "auth.forbidden",
    `This operation requires the scope ${enough.join(" or ")}, which your credential does not have.`,
  );
}

function checkNeeds(needs: ReadonlySet<string>, created: Created): void {
  const missing = [...needs].find((bulkId) => created.get(bulkId) === undefined);
  if (missing === undefined) return;
  throw new Fault("scim.bulk_reference", `No operation created a resource for the bulkId "${missing.slice(0, 100)}".`);
}
