/** From change records to what happened to users, groups and roles, as security events name it (RFC 9967, CAEP). Pure. */
import type { Change, ChangeRecord, Json } from "../changes/model.ts";
import { attributesOf, patchOf } from "./scim-changes.ts";
import { isSubjectType, type Subject } from "./subjects.ts";

/** What an event is about, and what it says. */
export interface Happening {
  readonly kind:
    | "create"
    | "patch"
    | "put"
    | "delete"
    | "activate"
    | "deactivate"
    | "session-revoked"
    | "credential-change";
  /** The names of changed attributes, for a notice. */
  readonly attributes?: readonly string[];
  /** What was changed, for an event with data. */
  readonly data?: Json;
  /** The members of any other event. */
  readonly payload?: Readonly<Record<string, Json>>;
}

/** The events of one change of one resource; they share a transaction. */
export interface Occurrence {
  /** The id of the change. */
  readonly change: string;
  readonly atMs: number;
  readonly subject: Subject;
  readonly externalId?: string;
  readonly happenings: readonly Happening[];
}

const SYSTEM = "/urn:scim:wso2:schema";
/** Flags that keep a user from signing in while they are true. */
const BLOCKS = [`${SYSTEM}/accountLocked`, `${SYSTEM}/accountDisabled`];

/** What a record is about, for receivers of events; `undefined` for a resource that is not one of SCIM. */
export function occurrenceOf(record: ChangeRecord): Occurrence | undefined {
  const { id: change, atMs, resource, changes } = record;
  if (!isSubjectType(resource.type)) return undefined;
  const externalId = externalIdIn(changes);
  return {
    change,
    atMs,
    subject: { type: resource.type, id: resource.id },
    ...(externalId !== undefined && { externalId }),
    happenings: [...provisioning(record), ...(resource.type === "user" ? security(record) : [])],
  };
}

function provisioning({ operation, resource, changes }: ChangeRecord): readonly Happening[] {
  const whole = changes.find(({ path }) => path === "");
  if (whole?.op === "remove") return [{ kind: "delete" }];
  if (whole?.op === "add") {
    const document = withoutSecrets(whole.value ?? null);
    return [{ kind: "create", attributes: Object.keys(document), data: { ...document, id: resource.id } }];
  }
  const patch: Happening = {
    kind: operation.startsWith("replace") ? "put" : "patch",
    attributes: attributesOf(changes),
    data: patchOf(changes),
  };
  const active = changes.find(({ path }) => path === "/active");
  if (!active) return [patch];
  return [patch, { kind: active.value === false ? "deactivate" : "activate" }];
}

/** What CAEP has events for: the password, and the end of all sessions. */
function security(record: ChangeRecord): readonly Happening[] {
  const { atMs, changes } = record;
  const common = { event_timestamp: Math.floor(atMs / 1_000), initiating_entity: initiatorOf(record) };
  const happenings: Happening[] = [];
  const password = changes.find(({ path }) => path === "/password");
  if (password) {
    const changeType = { add: "create", replace: "update", remove: "delete" }[password.op];
    const payload = { ...common, credential_type: "password", change_type: changeType };
    happenings.push({ kind: "credential-change", payload });
  }
  const reason = endOfSessions(changes);
  if (reason !== undefined) {
    happenings.push({ kind: "session-revoked", payload: { ...common, reason_admin: { en: reason } } });
  }
  return happenings;
}

/** Why all tokens of a user ended; `undefined` where they did not. */
function endOfSessions(changes: readonly Change[]): string | undefined {
  for (const { op, path, value } of changes) {
    if (path === "" && op === "remove") return "The user was deleted.";
    if (path === "/active" && value === false) return "The user was deactivated.";
    if (path === "/password" && op !== "add") return "The password was changed.";
    if (BLOCKS.includes(path) && value === true) return "The account was locked or disabled.";
  }
  return undefined;
}

/** Who began a change, in the words of CAEP. */
function initiatorOf({ actor, resource }: ChangeRecord): "admin" | "user" | "system" {
  if (actor.signIn === "system") return "system";
  return actor.type === "user" && actor.id === resource.id ? "user" : "admin";
}

function externalIdIn(changes: readonly Change[]): string | undefined {
  for (const { path, value, from } of changes) {
    const found = path === "/externalId" ? (value ?? from) : path === "" ? memberOf(value ?? from) : undefined;
    if (typeof found === "string") return found;
  }
  return undefined;
}

function memberOf(document: Json | undefined): Json | undefined {
  return isObject(document) ? document.externalId : undefined;
}

/** The members of a document, without those that stand for a secret. */
function withoutSecrets(document: Json): { readonly [name: string]: Json } {
  if (!isObject(document)) return {};
  return Object.fromEntries(Object.entries(document).filter(([, value]) => !(isObject(value) && value.secret === true)));
}

function isObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
