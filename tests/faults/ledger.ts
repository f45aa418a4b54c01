/** What writers did, what came of it, and which states each resource may be in because of that. */

/** How a write ended for its caller: 2xx, 4xx, or anything that leaves the caller in doubt. */
export type Outcome = "acknowledged" | "refused" | "unknown";

/** JSON text whose members are in order, to compare states. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part) =>
    part && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  ) ?? "absent";

/** One resource, or one relation of two: the states that it may be in. `undefined` stands for "absent". */
export interface Tracked<S> {
  /** Unique in a run; the lines of the history that are about the resource contain it. */
  readonly label: string;
  /** The states that are possible now. One, as long as no write ended in doubt. */
  possible(): readonly (S | undefined)[];
  /** Whether a state that was read is possible. */
  allows(read: S | undefined): boolean;
  /** Records a write and how it ended. */
  wrote(outcome: Outcome, change: (before: S | undefined) => S | undefined): void;
}

const STATES_MAX = 64;

/** Tracks a resource from its state now. */
export const tracked = <S>(label: string, now: S | undefined): Tracked<S> => {
  let states = new Map<string, S | undefined>([[canonical(now), now]]);
  return {
    label,
    possible: () => [...states.values()],
    allows: (read) => states.has(canonical(read)),
    wrote(outcome, change) {
      if (outcome === "refused") return;
      const after = [...states.values()].map(change).map((state) => [canonical(state), state] as const);
      states = new Map([...(outcome === "unknown" ? states : []), ...after]);
      if (states.size > STATES_MAX) throw new Error(`${label} may be in more than ${STATES_MAX} states`);
    },
  };
};

/** The history of one run. */
export interface Ledger {
  /** Adds a line. */
  note(line: string): void;
  /** Records that a promise is broken; `label` selects the lines of the history that are shown with it. */
  broken(label: string, sentence: string): void;
  /** The responses by status. */
  readonly statuses: Map<string, number>;
  /** The broken promises, with their history, as one text; empty if there are none. */
  report(): string;
  readonly lines: readonly string[];
}

const LINES_SHOWN = 30;
const BROKEN_SHOWN = 12;
/** Whether a line of the history is about a label, and not about a longer one that begins with it. */
const isAbout = (label: string): ((line: string) => boolean) => {
  const whole = new RegExp(`${RegExp.escape(label)}(?![\\w-])`);
  return (line) => whole.test(line);
};

/** Opens a history. */
export const newLedger = (): Ledger => {
  const started = performance.now();
  const lines: string[] = [];
  const violations: { label: string; sentence: string }[] = [];
  return {
    lines,
    statuses: new Map(),
    note(line) {
      lines.push(`${String(Math.round(performance.now() - started)).padStart(6)} ms  ${line}`);
    },
    broken(label, sentence) {
      violations.push({ label, sentence });
      lines.push(`${String(Math.round(performance.now() - started)).padStart(6)} ms  BROKEN ${label}: ${sentence}`);
    },
    report: () =>
      violations
        .slice(0, BROKEN_SHOWN)
        .map(({ label, sentence }) => {
          const about = label === "" ? [] : lines.filter(isAbout(label)).slice(-LINES_SHOWN);
          return [`${label}: ${sentence}`, ...about.map((line) => `    ${line}`)].join("\n");
        })
        .concat(violations.length > BROKEN_SHOWN ? [`and ${violations.length - BROKEN_SHOWN} more`] : [])
        .join("\n"),
  };
};
