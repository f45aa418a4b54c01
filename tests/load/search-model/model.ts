/**
 * What the users of a store may be. A change of which the caller does not know whether it happened leaves a user in
 * two states, until a read decides. Each state has the time in which it was possible, for lists that were read while
 * users changed.
 */
import { isDeepStrictEqual } from "node:util";
import type { User } from "#core/directory/users/model.ts";
import { canonical } from "#tests/faults/ledger.ts";

/** A user as lists show it; `undefined` for one that there is not. */
export type State = User | undefined;

interface Possible {
  readonly state: State;
  readonly sinceMs: number;
  /** Infinite while it is possible. */
  untilMs: number;
}

/** A change that is on its way. */
export interface Pending {
  /** It happened, and left this state, as the answer says; without an answer, that of the model. */
  done(answered?: State): void;
  /** It did not happen. */
  refused(): void;
  /** It happened or not. */
  doubtful(): void;
}

/** What is compared of a user: what lists show. */
const shownOf = (state: State): string =>
  state === undefined
    ? "absent"
    : canonical([state.userName, state.active, state.createdMs, state.modifiedMs, state.profile, state.groupIds]);

export class Tracked {
  readonly id: string;
  #possible: Possible[];

  constructor(id: string, state: State) {
    this.id = id;
    this.#possible = [{ state, sinceMs: Number.NEGATIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY }];
  }

  /** What is possible now. */
  get states(): readonly State[] {
    return this.#possible.filter(({ untilMs }) => untilMs === Number.POSITIVE_INFINITY).map(({ state }) => state);
  }

  /** The only state, where there is no doubt. */
  get state(): State {
    const [state, other] = this.states;
    if (other !== undefined) throw new Error(`${this.id} is in doubt`);
    return state;
  }

  get isInDoubt(): boolean {
    return this.states.length > 1;
  }

  /** What was possible at any time since another. */
  since(ms: number): readonly State[] {
    return this.#possible.filter(({ untilMs }) => untilMs >= ms).map(({ state }) => state);
  }

  /** Begins a change. */
  begin(change: (before: State) => State): Pending {
    const before = [...this.#open()];
    const after = before.flatMap(({ state }): Possible[] => {
      const changed = change(state);
      if (shownOf(changed) === shownOf(state)) return [];
      return [{ state: changed, sinceMs: performance.now(), untilMs: Number.POSITIVE_INFINITY }];
    });
    const unchanged = before.filter(({ state }) => shownOf(change(state)) === shownOf(state));
    this.#possible.push(...after);
    return {
      done: (...answered) => {
        this.#end(before.filter((one) => !unchanged.includes(one)));
        if (answered.length > 0) this.decide(answered[0]);
      },
      refused: () => {
        this.#possible = this.#possible.filter((one) => !after.includes(one));
      },
      doubtful: () => undefined,
    };
  }

  /** A read has shown what the user is. Throws where that was not possible. */
  decide(read: State): void {
    const open = this.#open();
    const shown = shownOf(read);
    if (!open.some(({ state }) => shownOf(state) === shown)) {
      const states = open.map(({ state }) => shownOf(state)).join("\n or ");
      throw new Error(`the user ${this.id} is\n    ${shown}\n and not\n    ${states}`);
    }
    this.#end(open.filter(({ state }) => shownOf(state) !== shown));
    // Two ways may have led there.
    const [, ...same] = this.#open();
    this.#end(same);
  }

  /** Forgets what is not possible any more. */
  prune(): void {
    this.#possible = this.#open();
  }

  #open(): Possible[] {
    return this.#possible.filter(({ untilMs }) => untilMs === Number.POSITIVE_INFINITY);
  }

  #end(states: readonly Possible[]): void {
    for (const one of states) one.untilMs = performance.now();
  }
}

/** A user after a change of what clients store, as the service makes it. */
export const changed = (before: User, fields: Pick<User, "userName" | "active" | "profile">, nowMs: number): User => {
  const same = { userName: before.userName, active: before.active, profile: before.profile };
  if (isDeepStrictEqual(fields, same)) return before;
  return { ...before, ...fields, modifiedMs: Math.max(nowMs, before.modifiedMs + 1) };
};
