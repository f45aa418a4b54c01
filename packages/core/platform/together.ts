/** Several checks of one input, whose faults are told at once. */
import { Fault } from "./faults.ts";

/** Faults in one response. */
const FAULTS_MAX = 20;

/** The descriptions that a fault was joined from. */
const partsOf = new WeakMap<Fault, readonly string[]>();

/**
 * Runs all checks, in their order. Throws the first fault, with the descriptions of the next 19 after its own, each
 * once. Any other error, also a fault of the service, is thrown at once.
 */
export function checkTogether(...checks: readonly (() => void)[]): void {
  eachTogether(checks, (check) => {
    check();
    return [];
  });
}

/** The results of a function for all elements of a list, in one list. Faults are thrown as by `checkTogether`. */
export function eachTogether<T, R>(list: Iterable<T>, read: (each: T) => readonly R[]): R[] {
  const results: R[] = [];
  const found: Fault[] = [];
  for (const each of list) {
    try {
      results.push(...read(each));
    } catch (error) {
      keep(error, found);
      // More would not be told.
      if (found.length === FAULTS_MAX) break;
    }
  }
  throwAll(found);
  return results;
}

/** `checkTogether` for checks that wait. They run one after the other. */
export async function checkTogetherLater(...checks: readonly (() => unknown)[]): Promise<void> {
  const found: Fault[] = [];
  for (const check of checks) {
    try {
      await check();
    } catch (error) {
      keep(error, found);
      if (found.length === FAULTS_MAX) break;
    }
  }
  throwAll(found);
}

/** The results of several reads, whose faults are told at once. */
export async function allTogether<T extends readonly unknown[] | []>(
  reads: T,
): Promise<{ -readonly [At in keyof T]: Awaited<T[At]> }> {
  const settled = await Promise.allSettled(reads);
  const found: Fault[] = [];
  for (const each of settled) if (each.status === "rejected") keep(each.reason, found);
  throwAll(found);
  return Promise.all(reads);
}

function keep(error: unknown, found: Fault[]): void {
  if (!(error instanceof Fault) || error.row.status >= 500) throw error;
  found.push(error);
}

function throwAll(found: readonly Fault[]): void {
  const [first] = found;
  if (!first) return;
  const told = found.flatMap((fault) => partsOf.get(fault) ?? [fault.description]);
  const parts = [...new Set(told)].slice(0, FAULTS_MAX);
  if (parts.length === 1) throw first;
  const joined = first.with(parts.map(sentence).join(" "), "instead");
  partsOf.set(joined, parts);
  throw joined;
}

function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
