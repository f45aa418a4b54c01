/** A group as the service keeps it, whatever protocol asks. Its members are items of their own (membership.ts). */
import { PRIMARY } from "../../domain/username.ts";

/** What a group says of its members. A reading of them that does not agree with it shows half of a change. */
export interface Tally {
  /** How many direct members it has. */
  readonly memberCount: number;
  /** A sum over their ids (`tallyOf`). */
  readonly memberSum: number;
}

/** One group. */
export interface Group extends Tally {
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
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The tally of some members. */
export function tallyOf(ids: readonly string[]): Tally {
  return {
    memberCount: ids.length,
    memberSum: ids.reduce((sum, id) => sum + bitsOf(id), 0),
  };
}

/** 32 bits of an id (FNV-1a over its UTF-16 units): the sum over a million of them is exact. */
function bitsOf(id: string): number {
  let bits = FNV_OFFSET;
  for (let at = 0; at < id.length; at += 1) bits = Math.imul(bits ^ id.charCodeAt(at), FNV_PRIME);
  return bits >>> 0;
}

/** A tally behind a change. */
export function tallyAfter(before: Tally, joining: readonly string[], leaving: readonly string[]): Tally {
  const [more, less] = [tallyOf(joining), tallyOf(leaving)];
  return {
    memberCount: before.memberCount + more.memberCount - less.memberCount,
    memberSum: before.memberSum + more.memberSum - less.memberSum,
  };
}

/** Whether ids that were read are all members that a group says it has. */
export function agrees({ memberCount, memberSum }: Tally, ids: readonly string[]): boolean {
  const read = tallyOf(ids);
  return read.memberCount === memberCount && read.memberSum === memberSum;
}

/** The name with its store, where that is not PRIMARY. */
export function shownName({ userStore, displayName }: Pick<Group, "userStore" | "displayName">): string {
  return userStore === PRIMARY ? displayName : `${userStore}/${displayName}`;
}
