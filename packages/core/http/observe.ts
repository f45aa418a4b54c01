/**
 * Logs and metrics: one line per request, which is a log record and its metrics in one (CloudWatch embedded metric
 * format), and lines for warnings and errors. The types list every field that is logged, so bodies, headers and secrets
 * are not.
 */
import type { Logger } from "@aws-lambda-powertools/logger";
import type { Cost } from "../database/table/meter.ts";
import type { NotedEvent, Principal } from "../kernel/operation/context.ts";
import { newLogger, newMeasures } from "./lines.ts";

/** The record of one request. */
interface RequestRecord {
  readonly traceId: string;
  /** The id of the operation; empty where the path and method lead to none. */
  readonly operation: string;
  readonly method: string;
  readonly status: number;
  readonly durationMs: number;
  readonly cost: Cost;
  /** True where the request was rehearsed: it changed nothing, whatever its status is. */
  readonly dryRun?: boolean;
  readonly tenant?: string;
  readonly subject?: string;
  /** Who acts for the subject by an exchanged token. */
  readonly actor?: string | undefined;
  readonly fault?: string;
  /** The names of unknown members of the request, as the response lists them: printable ASCII. */
  readonly ignored?: string;
  /** True for a first answer that was given again (decision 0086). */
  readonly replayed?: boolean;
  /** How many errors were logged although the response is a success, such as failed operations of a bulk request. */
  readonly defects?: number;
  /** The authorizer's decision. This and the fields below are in its own lines only. */
  readonly decision?: string;
  readonly sourceIp?: string;
  /** The scope of the operation that was refused with 403. */
  readonly neededScope?: string;
  /** The ids of the resource that the path names, or of the one that was created. */
  readonly resource?: string | undefined;
  /** The name of what security teams and operators search for. */
  readonly event?: "request-denied" | NotedEvent["event"];
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The resource ids among some texts, for the log. Other texts of a path may be names of people. */
export function resourceIn(texts: readonly string[]): string | undefined {
  return texts.filter((text) => ID.test(text)).join("/") || undefined;
}

/** What the record of a request says of its caller. */
export function callerOf(caller: Principal): Pick<RequestRecord, "tenant" | "subject" | "actor"> {
  const { tenant, subject } = caller;
  return { tenant, subject, ...(caller.kind === "user" && { actor: caller.actor }) };
}

/** An error of the service, for its operators. */
interface Failure {
  readonly traceId: string;
  readonly operation: string;
  readonly fault: string;
  readonly cause: unknown;
}

/** A refused credential, for those who monitor security. */
interface SecurityEvent {
  readonly traceId: string;
  /** The operation that was requested. */
  readonly operation: string;
  readonly tenant: string;
  readonly userStore: string;
  /** A digest of the user name: the log contains no names of people. */
  readonly nameDigest: string;
  readonly sourceIp: string;
  readonly reason: string;
}

/** A token that was exchanged: from now on the actor acts for the subject. */
interface ExchangeEvent {
  readonly traceId: string;
  readonly tenant: string;
  readonly subject: string;
  /** Ids of clients and users, the latest first, separated by blanks. */
  readonly actor: string;
  readonly sourceIp: string;
}

/** A change of a user of a directory that is half done: an operator must repair the entry. */
export interface UndoFailure {
  readonly tenant: string;
  readonly userStore: string;
  /** `undefined`: an entry that was created and must be deleted. */
  readonly userId: string | undefined;
  readonly cause: unknown;
}

/** Writes the logs and metrics of one function. */
export interface Observer {
  request(record: RequestRecord): void;
  failure(failure: Failure): void;
  security(event: SecurityEvent): void;
  exchanged(event: ExchangeEvent): void;
  undoFailure(failure: UndoFailure): void;
  /** A row of the revocation log that cannot be read: tokens are compared with their marks instead. */
  damagedRow(damage: Error): void;
  /** Adds the age of the key that signs access tokens to the next line. */
  signingKey(ageMs: number): void;
}

/** An error as it is logged: name, message and stack, also of its causes, and no other member. */
interface LoggedError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly cause?: LoggedError;
}

const CAUSES_MAX = 4;

const DAY_MS = 86_400_000;

/** Why a sign-in is refused whatever is sent. */
const LOCKED: ReadonlySet<string> = new Set([
  "locked",
  "many names at the source",
  "one-time codes locked",
  "passkeys locked",
]);

const observers = new Map<string, Observer>();

/** The observer of a service: one per container, so that all parts of a function share its next line. */
export function newObserver(service: string): Observer {
  const observer = observers.get(service) ?? open(service);
  observers.set(service, observer);
  return observer;
}

function open(service: string): Observer {
  // Most containers log no error.
  let opened: Logger | undefined;
  const logger = () => {
    opened ??= newLogger(service);
    return opened;
  };
  const { count, milliseconds, publish } = newMeasures(service);
  let cold = true;
  /** Counted since the last line. */
  let refused = { SignInFailures: 0, LockedSignIns: 0 };
  let undoFailures = 0;
  let keyAgeMs: number | undefined;
  return {
    request({ cost, durationMs, ...record }) {
      // Filled and published synchronously, so that concurrent requests do not mix.
      count("Requests", 1);
      count("ServerErrors", record.status >= 500 || record.defects !== undefined ? 1 : 0);
      milliseconds("Duration", Math.round(durationMs * 1000) / 1000);
      count("RoundTrips", cost.roundTrips);
      count("ReadUnits", cost.readUnits);
      count("WriteUnits", cost.writeUnits);
      const { decision } = record;
      if (decision !== undefined) count("Refusals", decision === "refuse" ? 1 : 0);
      // Functions that sign users in always publish these counts, so that "none" differs from "unknown". Each metric
      // costs.
      if (decision !== undefined || refused.SignInFailures > 0) {
        count("SignInFailures", refused.SignInFailures);
        count("LockedSignIns", refused.LockedSignIns);
      }
      refused = { SignInFailures: 0, LockedSignIns: 0 };
      if (undoFailures > 0) count("DirectoryUndoFailures", undoFailures);
      undoFailures = 0;
      if (keyAgeMs !== undefined) count("SigningKeyAge", keyAgeMs / DAY_MS);
      keyAgeMs = undefined;
      publish({ ...record, coldStart: cold });
      cold = false;
    },
    failure({ traceId, operation, fault, cause }) {
      logger().error("request failed", { traceId, operation, fault, cause: loggedErrorOf(cause) });
    },
    security(event) {
      refused.SignInFailures += 1;
      const isLocked = LOCKED.has(event.reason);
      if (isLocked) refused.LockedSignIns += 1;
      const name = isLocked ? "sign-in-locked" : "sign-in-failed";
      logger().warn("sign-in refused", { event: name, ...event });
    },
    exchanged(event) {
      logger().info("token exchanged", { ...event });
    },
    undoFailure({ cause, ...failure }) {
      undoFailures += 1;
      logger().error("directory undo failed", { ...failure, cause: loggedErrorOf(cause) });
    },
    damagedRow(damage) {
      logger().error("damaged row of the revocation log", { cause: loggedErrorOf(damage) });
    },
    signingKey(ageMs) {
      keyAgeMs = ageMs;
    },
  };
}

/** An error as it is logged: name, message and stack, also of its causes. */
export function loggedErrorOf(thrown: unknown, depth = 0): LoggedError {
  if (!(thrown instanceof Error)) return { name: typeof thrown, message: "a value that is not an Error was thrown" };
  const { name, message, stack, cause } = thrown;
  return {
    name,
    message,
    stack,
    ...(cause !== undefined && depth < CAUSES_MAX ? { cause: loggedErrorOf(cause, depth + 1) } : {}),
  };
}
