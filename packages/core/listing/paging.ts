/** Which page of a list is asked for by numbers, read strictly (reference scim.md sections 3.7 and 2.7). */
import { Fault } from "../platform/faults.ts";
import { limits } from "../scim/discovery.ts";

const { pageSizeDefault: PAGE_DEFAULT, pageSizeMax: PAGE_MAX } = limits;

/** Numbers as they were sent. */
export interface PageNumbers {
  readonly startIndex?: string | number | undefined;
  readonly count?: string | number | undefined;
}

/** A page: from its first resource on, counted from 1, at most so many. */
export interface IndexPage {
  readonly startIndex: number;
  readonly count: number;
}

/** Reads a number of a request; `undefined` where it is left out. Throws `request.invalid`. */
export function wholeNumber(name: string, given: string | number | undefined): number | undefined {
  if (given === undefined || given === "") return undefined;
  const number = typeof given === "number" ? given : /^[+-]?\d{1,15}$/.test(given.trim()) ? Number(given) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new Fault("request.invalid", `${name} must be a whole number.`);
  return number;
}

/** Reads a page: 100 resources unless told, never more than 200, and none for less than one. Throws `request.invalid`. */
export function indexPage({ startIndex, count }: PageNumbers): IndexPage {
  return {
    startIndex: Math.max(1, wholeNumber("startIndex", startIndex) ?? 1),
    count: Math.min(PAGE_MAX, Math.max(0, wholeNumber("count", count) ?? PAGE_DEFAULT)),
  };
}
