/** From change records to what happened to users, groups and roles, as RFC 9967 and CAEP name it. Pure. */
import type { Change, ChangeRecord, Json } from "../../database/changes/model.ts";
import { attributesOf, createdDocument, type JsonObject, objectOf, patchOf, representationOf } from "./scim-changes.ts";
import { isSubjectType, type Subject } from "./subjects.ts";

/** What an event says. */
export type Happening =
  | {
      readonly kind: "create" | "patch" | "put";
      /** The names of changed attributes, for a notice. */
      readonly attributes: readonly string[];
      /**
       * What was changed, for an event with data; absent for `put`, which shows the resource as it was afterwards.
       * `none` where data cannot say it, such as another password: a PATCH has at least one operation (RFC 7644).
       */
      readonly data?: JsonObject | "none";
    }
  | { readonly kind: "delete" | "activate" | "deactivate" }
  | { readonly kind: "session-revoked" | "credential-change"; readonly payload: JsonObject };

/** The events of one change of one resource; they share a transaction. */
export interface Occurrence {
  readonly tenant: string;
  /** The id of the change. */
  readonly change: string;
  readonly atMs: number;
  readonly subject: Subject;
  /** Where the record shows it. */
  readonly externalId?: string;
  readonly happenings: readonly Happening[];
}

const SYSTEM = "/urn:scim:wso2:schema";
/** Flags that keep a user from signing in while they are true. */
const BLOCKS = [`${SYSTEM}/accountLocked`, `${SYSTEM}/accountDisabled`];

/** What a record is about, for receivers of events; `undefined` for a resource that is not one of SCIM. */
export function occurrenceOf(record: ChangeRecord): Occurrence | undefined {
  const { id: change, tenant, atMs, resource, changes } = record;
  const { type, id } = resource;
  // Another tenant's resource, which a caller of this one changed, is no subject here.
  if (!isSubjectType(type) || resource.tenant !== undefined) return undefined;
  const externalId = externalIdIn(changes);
  return {
    tenant,
    change,
    atMs,
    subject: { type, id },
    ...(externalId !== undefined && { externalId }),
    happenings: [...provisioning(record, { type, id }), ...(type === "user" ? security(record) : [])],
  };
}

function provisioning({ operation, changes }: ChangeRecord, { type, id }: Subject): readonly Happening[] {
  const whole = changes.find(({ path }) => path === "");
  if (whole?.op === "remove") return [{ kind: "delete" }];
  const attributes = attributesOf(type, changes);
  if (whole) return [{ kind: "create", attributes, data: representationOf(type, id, createdDocument(type, changes)) }];
  // Nothing that receivers know has changed: a notice names at least one attribute (RFC 9967 section 2.4).
  if (attributes.length === 0) return [];
  const patch: Happening = operation.startsWith("replace")
    ? { kind: "put", attributes }
    : { kind: "patch", attributes, data: patchOf(type, changes) ?? "none" };
  const active = type === "user" && changes.find(({ path }) => path === "/active");
  return active ? [patch, { kind: active.value === false ? "deactivate" : "activate" }] : [patch];
}

/** What CAEP has events for: the password, and the end of all sessions. */
function security(record: ChangeRecord): readonly Happening[] {
  const { atMs, changes, actor, resource } = record;
  const isOwn = actor.type === "user" && actor.id === resource.id;
  const common = { event_timestamp: Math.floor(atMs / 1_000), initiating_entity: isOwn ? "user" : "admin" };
  const password = changes.find(({ path }) => path === "/password");
  const reason = endOfSessions(changes);
  return [
    ...(password
      ? [{ kind: "credential-change" as const, payload: { ...common, ...credentialMembers(password) } }]
      : []),
    ...(reason === undefined
      ? []
      : [{ kind: "session-revoked" as const, payload: { ...common, reason_admin: { en: reason } } }]),
  ];
}

function credentialMembers({ op }: Change) {
  return { credential_type: "password", change_type: { add: "create", replace: "update", remove: "delete" }[op] };
}

/** Why all tokens of a user ended; `undefined` where they did not. */
function endOfSessions(changes: readonly Change[]): string | undefined {
  const isNew = changes.some(({ op, path }) => path === "" && op === "add");
  if (isNew) return undefined;
  for (const { op, path, value } of changes) {
    if (path === "" && op === "remove") return "The user was deleted.";
    if (path === "/active" && value === false) return "The user was deactivated.";
    if (BLOCKS.includes(path) && value === true) return "The account was locked or disabled.";
    if (path === SYSTEM && isBlocked(value)) return "The account was locked or disabled.";
    if (path === "/password") return "The password was changed.";
  }
  return undefined;
}

function isBlocked(system: Json | undefined): boolean {
  const { accountLocked, accountDisabled } = objectOf(system);
  return accountLocked === true || accountDisabled === true;
}

function externalIdIn(changes: readonly Change[]): string | undefined {
  for (const { path, value, from } of changes) {
    const found =
      path === "" ? objectOf(value ?? from).externalId : path === "/externalId" ? (value ?? from) : undefined;
    if (typeof found === "string") return found;
  }
  return undefined;
}
