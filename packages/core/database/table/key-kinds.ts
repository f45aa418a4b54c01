/** Tells what the row of a key is about: for tools that read the whole table. */
import { ASIDE_ROWS, ASSIGNED_ROLE, MEMBER, ROLE_GROUP, ROLE_USER } from "./keys.ts";
import type { Key } from "./table.ts";

/** The kinds of rows that tools tell apart. */
export type RowKind =
  | "tenant"
  | "application"
  | "authorized APIs"
  | "assignments"
  | "assignment"
  | "API resource"
  | "scopes of OpenID Connect"
  | "application template"
  | "resident application"
  | "client"
  | "user"
  | "group"
  | "member"
  | "role"
  | "role of user"
  | "role of group"
  | "credential"
  | "deleted resource"
  | "lock";

/** A row by its key. */
export interface Place {
  readonly kind: RowKind;
  /** Empty for rows that belong to no tenant. */
  readonly tenant: string;
  /** Of a deleted resource its type and id. */
  readonly id: string;
  /** The member or assignee of a pair; otherwise empty. */
  readonly member: string;
}

const TENANT_KEY = /^T#([^#]*)#([A-Z]+)(?:#(.*))?$/s;
const CLIENT = "G#OIDC#";
const LOCK = "G#LOCK#";

const byForm: Readonly<Record<string, RowKind>> = {
  TENANT: "tenant",
  A: "application",
  API: "API resource",
  OIDCS: "scopes of OpenID Connect",
  TPL: "application template",
  RESIDENT: "resident application",
  U: "user",
  CRED: "credential",
  GRP: "group",
  ROLE: "role",
};

/** What a row is; `undefined` for entries of lists, tokens, and all else that is derived or short-lived. */
export function placeOf({ PK, SK }: Key): Place | undefined {
  if (PK.startsWith(CLIENT)) return { kind: "client", tenant: "", id: PK.slice(CLIENT.length), member: "" };
  if (PK.startsWith(LOCK)) return { kind: "lock", tenant: "", id: PK.slice(LOCK.length), member: "" };
  const [, tenant, form = "", id = ""] = TENANT_KEY.exec(PK) ?? [];
  if (tenant === undefined) return undefined;
  const place = (kind: RowKind, member = ""): Place => ({ kind, tenant, id, member });
  if (form === "LOCK") return place("lock");
  if (form === "A" && SK === "APIS") return place("authorized APIs");
  if (form === "ASG") return assignmentPlace(tenant, id, SK);
  if (form === "ASIDE" && SK === ASIDE_ROWS) return place("deleted resource");
  if (form === "GRP" && SK.startsWith(MEMBER)) return place("member", SK.slice(MEMBER.length));
  if (form === "ROLE") {
    if (SK.startsWith(ROLE_USER)) return place("role of user", SK.slice(ROLE_USER.length));
    if (SK.startsWith(ROLE_GROUP)) return place("role of group", SK.slice(ROLE_GROUP.length));
  }
  const kind = SK === "A" && Object.hasOwn(byForm, form) ? byForm[form] : undefined;
  return kind && place(kind);
}

const ASSIGNED = [ROLE_GROUP, ASSIGNED_ROLE, ROLE_USER];

/** Where the applications of a principal are listed is derived. */
function assignmentPlace(tenant: string, owner: string, sortKey: string): Place | undefined {
  if (!owner.startsWith("IN#")) return undefined;
  const id = owner.slice("IN#".length);
  if (sortKey === "A") return { kind: "assignments", tenant, id, member: "" };
  const isPair = ASSIGNED.some((prefix) => sortKey.startsWith(prefix));
  return isPair ? { kind: "assignment", tenant, id, member: sortKey } : undefined;
}
