/** Several checks of one input, whose faults are told at once. */
import { Fault } from "./faults.ts";

/** Faults in one response. */
const FAULTS_MAX = 20;
/** The end of a response that does not tell all. */
const MORE = "There are more.";

/** The descriptions that a fault was joined from: one more than a response tells where there are more. */
const partsOf = new WeakMap<Fault, readonly string[]>();

/**
 * Runs all checks, in their order. Throws the first fault, with the descriptions of the next 19 after its own, each
 * once, and says where there are more. Any other error, also a fault of the service, is thrown at once.
 */
export function checkTogether(...checks: readonly (() => void)[]): void {
  checkEach(checks, (check) => check());
}

/** A check of all elements of a list. Faults are thrown as by `checkTogether`. */
export function checkEach<T>(list: Iterable<T>, check: (each: T) => void): void {
  eachTogether(list, (each) => {
    check(each);
    return [];
  });
}

/** The results of several reads, in one list. Faults are thrown as by `checkTogether`. */
export function readTogether<R>(...reads: readonly (() => readonly R[])[]): R[] {
  return eachTogether(reads, (read) => read());
}

/** The results of a function for all elements of a list, in one list. Faults are thrown as by `checkTogether`. */
export function eachTogether<T, R>(list: Iterable<T>, read: (each: T) => readonly R[]): R[] {
  const results: R[] = [];
  const found = new Found();
  for (const each of list) {
    try {
      results.push(...read(each));
    } catch (error) {
      found.add(error);
      // More would not be told.
      if (found.isFull) break;
    }
  }
  found.throwAll();
  return results;
}

/** The results of several reads, each in its place. Faults are thrown as by `checkTogether`. */
export function valuesTogether<T extends readonly (() => unknown)[]>(
  ...reads: T
): { -readonly [At in keyof T]: ReturnType<T[At]> } {
  const values = eachTogether(reads, (read) => [read()]);
  return values as { -readonly [At in keyof T]: ReturnType<T[At]> };
}

/** `checkTogether` for checks that wait. They run one after the other. */
export async function checkTogetherLater(...checks: readonly (() => unknown)[]): Promise<void> {
  const found = new Found();
  for (const check of checks) {
    try {
      await check();
    } catch (error) {
      found.add(error);
      if (found.isFull) break;
    }
  }
  found.throwAll();
}

/** The results of several reads, whose faults are told at once. */
export async function allTogether<T extends readonly unknown[] | []>(
  reads: T,
): Promise<{ -readonly [At in keyof T]: Awaited<T[At]> }> {
  const settled = await Promise.allSettled(reads);
  const found = new Found();
  for (const each of settled) if (each.status === "rejected") found.add(each.reason);
  found.throwAll();
  return Promise.all(reads);
}

/** A check that does not wait, for `allTogether`. */
export async function checking(check: () => void): Promise<void> {
  check();
}

class Found {
  #first: Fault | undefined;
  readonly #told = new Set<string>();

  /** Keeps a fault of the input. Throws any other error. */
  add(error: unknown): void {
    if (!(error instanceof Fault) || error.row.status >= 500) throw error;
    this.#first ??= error;
    for (const part of partsOf.get(error) ?? [error.description]) this.#told.add(part);
  }

  /** Whether there are more than a response tells. */
  get isFull(): boolean {
    return this.#told.size > FAULTS_MAX;
  }

  throwAll(): void {
    if (!this.#first) return;
    const parts = [...this.#told].slice(0, FAULTS_MAX + 1);
    if (parts.length === 1) throw this.#first;
    const shown = parts.slice(0, FAULTS_MAX).map(sentence);
    const joined = this.#first.with([...shown, ...(this.isFull ? [MORE] : [])].join(" "), "instead");
    partsOf.set(joined, parts);
    throw joined;
  }
}

function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
