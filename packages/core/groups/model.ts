/** A group as the service keeps it, whatever protocol asks. Its members are items of their own (membership.ts). */
import { PRIMARY } from "../users/username.ts";

/** One group. */
export interface Group {
  readonly id: string;
  /** Without a store. Unique in its store, whatever the case. */
  readonly displayName: string;
  readonly userStore: string;
  readonly externalId?: string | undefined;
  readonly createdMs: number;
  readonly modifiedMs: number;
  /** Grows with every change of the group or of its members. */
  readonly version: number;
  /** The roles given to the group. A role that was deleted may still be among them. */
  readonly roleIds: readonly string[];
  /** How many direct members it has. */
  readonly memberCount: number;
}

/** The name with its store, where that is not PRIMARY. */
export const shownName = ({ userStore, displayName }: Pick<Group, "userStore" | "displayName">): string =>
  userStore === PRIMARY ? displayName : `${userStore}/${displayName}`;
