/** What a check of `npm run doctor` finds. */
import { Fault } from "#core/platform/faults.ts";

/** `unchecked`: it cannot be known here; `todo` says who can. Only `missing` and `wrong` make the command fail. */
export type State = "ok" | "missing" | "wrong" | "unchecked";

/** One line of the report. */
export interface Finding {
  readonly state: State;
  /** What was looked at, and what is there. It never contains a secret. */
  readonly text: string;
  /** What to do. */
  readonly todo?: string | undefined;
}

export function ok(text: string): Finding {
  return { state: "ok", text };
}

export function missing(text: string, todo: string): Finding {
  return { state: "missing", text, todo };
}

export function wrong(text: string, todo?: string): Finding {
  return { state: "wrong", text, todo };
}

export function unchecked(text: string, todo: string): Finding {
  return { state: "unchecked", text, todo };
}

/** The problems, or one line that says that there are none. */
export function problemsOr(problems: readonly Finding[], fine: string): readonly Finding[] {
  return problems.length > 0 ? problems : [ok(fine)];
}

/** The message of an error, for people. */
export function messageOf(error: unknown): string {
  if (error instanceof Fault) return error.description;
  return error instanceof Error ? error.message : String(error);
}
