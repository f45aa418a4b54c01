/**
 * How many subscribers there may be: each holds one of the numbered slots of its group, by a claim in the transaction
 * that creates it. Counting before the write would let concurrent requests exceed the limit. Pure.
 */
import { randomInt } from "node:crypto";
import type { Subscriber } from "./model.ts";

/** Subscribers of a tenant whose number is limited. */
export interface SlotGroup {
  /** Unique in the tenant. */
  readonly name: string;
  readonly most: number;
  readonly has: (subscriber: Subscriber) => boolean;
  /** The error where all slots are taken. */
  readonly full: () => Error;
}

/**
 * A free slot of a group, given the subscribers of the tenant. Throws the error of the group where there is none. It is
 * a random one, so that few of those who choose at the same time choose the same.
 */
export function freeSlot({ name, most, has, full }: SlotGroup, subscribers: readonly Subscriber[]): string {
  const taken = new Set(subscribers.filter(has).map(({ slot }) => slot));
  const free = Array.from({ length: most }, (_, at) => `${name} ${at + 1}`).filter((slot) => !taken.has(slot));
  const chosen = free[free.length > 0 ? randomInt(free.length) : 0];
  if (chosen === undefined) throw full();
  return chosen;
}
