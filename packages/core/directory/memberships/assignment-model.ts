/** Assignments of users, groups and roles to applications. */
import type { PrincipalType } from "../../kernel/domain/principals.ts";

/** A user, group or role of a tenant. */
export interface Assigned {
  readonly type: PrincipalType;
  readonly id: string;
}

/** One assignment. */
export interface Assignment extends Assigned {
  /** In milliseconds since 1970; absent in what an application had before. */
  readonly createdMs?: number | undefined;
  /** When the application last lost an assignment before it: what is older than that needs another one. */
  readonly quietFromMs: number;
}

/** What is known of all assignments of an application together. */
export interface Held {
  readonly version: number;
  readonly counts: Readonly<Record<"groups" | "roles" | "users", number>>;
  /** All groups and roles; absent where they are too many for one row. */
  readonly named?: readonly Assignment[] | undefined;
  /** When the application last lost an assignment. */
  readonly removedMs: number;
}

/** The name of the count of a type, and of its set in records of changes. */
export const setNames = { group: "groups", role: "roles", user: "users" } as const;
