/** What the writers of one run share. */
import { seeded } from "#tests/support/hostile-database.ts";
import type { Client, Reply, Send } from "./client.ts";
import { canonical, type Ledger, type Outcome, type Tracked, tracked } from "./ledger.ts";

/** A run of one seed. */
export interface Run {
  readonly seed: number;
  readonly client: Client;
  readonly ledger: Ledger;
  /** Whether writes that need several transactions are part of the run. */
  readonly hasLarge: boolean;
  /** True from the moment on when the trouble and every write are over: no read may fail any more. */
  isCalm(): boolean;
}

/** A seeded source of choices. */
export interface Dice {
  chance(of: number): boolean;
  pick<T>(list: readonly T[]): T;
  upTo(most: number): number;
}

/** The choices of one writer of a run. */
export const diceOf = (seed: number, writer: number): Dice => {
  const random = seeded(seed * 1_000 + writer);
  return {
    chance: (of) => random() < of,
    pick: <T>(list: readonly T[]) => {
      if (list.length === 0) throw new Error("nothing to pick from");
      return list[Math.floor(random() * list.length)] as T;
    },
    upTo: (most) => Math.floor(random() * (most + 1)),
  };
};

/** What a read that failed shows. */
export const UNREADABLE = "unreadable";

/** Reads the state of a resource; `undefined` where it is absent. */
export type Look<S> = (id: string) => Promise<S | undefined | typeof UNREADABLE>;

/** The id in the `Location` of a response. */
export const idInLocation = (reply: Reply): string => reply.headers.get("location")?.split("/").at(-1) ?? "";

/** Reads several paths; `UNREADABLE` if one fails, `undefined` for each that is absent. */
export const readAll = async (run: Run, ...paths: string[]): Promise<readonly unknown[] | typeof UNREADABLE> => {
  const bodies: unknown[] = [];
  for (const path of paths) {
    const { status, body } = await run.client.read(path);
    if (status !== 200 && status !== 404) return UNREADABLE;
    bodies.push(status === 200 ? body : undefined);
  }
  return bodies;
};

/** One resource of a writer. */
export interface Owned<S> {
  readonly id: string;
  readonly state: Tracked<S>;
}

/** A domain's part of a run: writers, and what must hold of their resources afterwards. */
export interface Actor {
  /** Before the trouble begins. */
  prepare?(): Promise<void>;
  /** One write, or two. */
  step(): Promise<void>;
  /** After the trouble: reads everything that was written. */
  verify(): Promise<void>;
}

/** The resources of one writer, and how they are written. */
export interface Collection<S> {
  readonly list: Owned<S>[];
  /** Creates a resource of that state. `idOf` reads its id from the response. */
  create(
    label: string,
    path: string,
    body: unknown,
    state: S,
    idOf?: (reply: Reply) => string,
  ): Promise<Owned<S> | undefined>;
  /** Changes a resource, and sometimes reads it back. A refusal is one only if `mayRefuse`. */
  change(
    owned: Owned<S>,
    method: string,
    path: string,
    body: unknown,
    change: (before: S | undefined) => S | undefined,
  ): Promise<Outcome>;
  /** Sends a write that must be refused. */
  refused(label: string, method: string, path: string, body: unknown): Promise<void>;
  /** Those that are there for certain. */
  sure(): Owned<S>[];
  /** Reads all back: those whose id is known, and by `find` those of a create that ended in doubt. */
  verify(find: (state: S) => Promise<string | undefined | typeof UNREADABLE>): Promise<void>;
}

/** Writers that others make way for: a conflict of many writers is a refusal that says "again". */
const isContended = (reply: Reply): boolean => reply.status === 409 && reply.headers.has("retry-after");

/** Opens a collection. */
export const newCollection = <S>(run: Run, dice: Dice, look: Look<S>): Collection<S> => {
  const { client, ledger } = run;
  const list: Owned<S>[] = [];
  const doubtful: { label: string; state: S }[] = [];

  /** In the trouble a read may fail; afterwards none may. */
  const check = async (owned: Owned<S>): Promise<void> => {
    const read = await look(owned.id);
    if (read === UNREADABLE) {
      if (run.isCalm()) ledger.broken(owned.state.label, `${owned.id} cannot be read`);
      return;
    }
    if (owned.state.allows(read)) return;
    const possible = owned.state.possible().map(canonical).join(" or ");
    ledger.broken(owned.state.label, `${owned.id} reads ${canonical(read)}; it must be ${possible}`);
  };
  const send = (label: string, method: string, path: string, body: unknown) => {
    const options: Send = body === undefined ? {} : { body };
    return client.write(label, method, path, options);
  };
  const refusedWrongly = (label: string, reply: Reply): void => {
    if (!isContended(reply))
      ledger.broken(label, `refused without a reason: ${reply.status} ${reply.text.slice(0, 200)}`);
  };

  return {
    list,
    async create(label, path, body, state, idOf = (reply) => String(reply.body?.id)) {
      const { reply, outcome } = await send(label, "POST", path, body);
      if (outcome === "unknown") doubtful.push({ label, state });
      if (outcome === "refused") refusedWrongly(label, reply);
      if (outcome !== "acknowledged") return undefined;
      const owned = { id: idOf(reply), state: tracked<S>(label, state) };
      list.push(owned);
      if (dice.chance(0.25)) await check(owned);
      return owned;
    },
    async change(owned, method, path, body, change) {
      const wasSure = owned.state.possible().length === 1;
      const { reply, outcome } = await send(owned.state.label, method, path, body);
      owned.state.wrote(outcome, change);
      if (outcome === "refused" && wasSure) refusedWrongly(owned.state.label, reply);
      if (dice.chance(0.3)) await check(owned);
      return outcome;
    },
    async refused(label, method, path, body) {
      const { reply, outcome } = await send(label, method, path, body);
      if (outcome === "acknowledged") ledger.broken(label, `accepted what must be refused: ${reply.status}`);
    },
    sure: () => list.filter(({ state }) => state.possible().length === 1 && state.possible()[0] !== undefined),
    async verify(find) {
      for (const owned of list) await check(owned);
      for (const { label, state } of doubtful) {
        const id = await find(state);
        if (id === undefined) continue;
        const read = id === UNREADABLE ? id : await look(id);
        if (canonical(read) !== canonical(state)) {
          ledger.broken(label, `${id}, whose create ended in doubt, reads ${canonical(read)}: it is there in part`);
        }
      }
    },
  };
};
