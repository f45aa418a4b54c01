/**
 * The rows of repeatable requests (decision 0086): the state of a request or its first answer, under the digest of its
 * caller and key. They expire 24 hours after the first request.
 */
import { keys } from "../database/table/keys.ts";
import { number, oneOf, optional, rowCodec, text } from "../database/table/row.ts";
import { type Item, LAST, type Step, type Table } from "../database/table/table.ts";

/** How long a key leads to the first answer. */
export const KEPT_SECONDS = 86_400;

/** Longer than any request: after this time, the one that claimed a key has ended (decision 0060). */
const ABANDONED_MS = 40_000;

/** Characters of an answer in the row of the request: a transaction costs twice as much as the rows of parts. */
const INLINE_MAX = 100_000;
/** Characters of a part; a row holds 400 KB. */
const PART_MAX = 390_000;

/** A request under a key. Texts are sealed, digests are of `AnswerSecrets`. */
export interface Repeatable {
  readonly state: "running" | "done";
  /** Names the attempt that runs or that gave the answer. */
  readonly claim: string;
  /** The first attempt: the operations of a bulk request that an attempt carried out count for those after it. */
  readonly origin: string;
  /** The digest of what was asked for. */
  readonly request: string;
  readonly sinceMs: number;
  readonly expiresAtSeconds: number;
  /** The answer. */
  readonly answer?: string | undefined;
  /** The number of rows that hold the answer, where it is too large for this one. */
  readonly parts?: number | undefined;
}

/** The result of a claim: the row that is there instead, where another attempt has it. */
export type Claimed = { readonly isOwn: true } | { readonly isOwn: false; readonly found: Repeatable | undefined };

/** The rows of one key of one caller. */
export type RepeatableStore = ReturnType<typeof repeatableStore>;

const codec = rowCodec<Repeatable>("repeatable request", {
  state: oneOf("running", "done"),
  claim: text,
  origin: text,
  request: text,
  sinceMs: number,
  expiresAtSeconds: number,
  answer: optional(text),
  parts: optional(number),
});

const partCodec = rowCodec<{ readonly answer: string; readonly expiresAtSeconds: number }>("part of an answer", {
  answer: text,
  expiresAtSeconds: number,
});

/** An attempt that starts now; the first one, or one `after` another that was abandoned. */
export function newRepeatable(claim: string, request: string, nowMs: number, after?: Repeatable): Repeatable {
  const expiresAtSeconds = Math.floor(nowMs / 1_000) + KEPT_SECONDS;
  return { state: "running", claim, origin: after?.origin ?? claim, request, sinceMs: nowMs, expiresAtSeconds };
}

/** Whether the key is free again, although the row is still there. */
export function isExpired({ expiresAtSeconds }: Repeatable, nowMs: number): boolean {
  return expiresAtSeconds * 1_000 <= nowMs;
}

/** Whether the attempt that claimed the key has ended without an answer. */
export function isAbandoned({ state, sinceMs }: Repeatable, nowMs: number): boolean {
  return state === "running" && nowMs - sinceMs > ABANDONED_MS;
}

/** Opens the rows on the table of one request. */
export function repeatableStore(table: Table, tenant: string, digest: string) {
  const key = keys.repeatable(tenant, digest);
  const read = (item: Item | undefined) => item && codec.read(item);
  const ownedBy = ({ claim }: Repeatable) => ({ equal: { claim, state: "running" } });

  return {
    /** One round trip. */
    find: async (): Promise<Repeatable | undefined> => read(await table.get(key)),

    /** Claims the key for an attempt. `over` is the row as it was read, which has ended. One round trip. */
    async claim(row: Repeatable, over: Repeatable | undefined): Promise<Claimed> {
      const other = new Error("another attempt has the key");
      let found: Repeatable | undefined;
      const claiming: Step = {
        put: { ...key, ...codec.write(row) },
        when: over ? { equal: { claim: over.claim } } : "absent",
        otherwise(item) {
          found = read(item);
          return found?.claim === row.claim ? "applied" : other;
        },
      };
      try {
        await table.write(claiming);
        return { isOwn: true };
      } catch (error) {
        if (error === other) return { isOwn: false, found };
        throw error;
      }
    },

    /**
     * The step that stores the answer of an attempt, for the transaction of its change. It fails with the error of
     * `lost` where another attempt has the key. One round trip for an answer that needs rows of its own.
     */
    async answering(row: Repeatable, answer: string, lost: () => Error): Promise<Step> {
      const { expiresAtSeconds } = row;
      const parts = answer.length > INLINE_MAX ? cut(answer) : [];
      await Promise.all(
        parts.map((part, at) =>
          table.write({
            put: {
              ...keys.answerPart(tenant, digest, row.claim, at),
              ...partCodec.write({ answer: part, expiresAtSeconds }),
            },
            // Nothing refers to a part before the answer does.
            when: "any",
            otherwise: lost,
          }),
        ),
      );
      const stored = parts.length > 0 ? { parts: parts.length } : { answer };
      return {
        put: { ...key, ...codec.write({ ...row, ...stored, state: "done" }) },
        when: ownedBy(row),
        otherwise: (item) => (read(item)?.claim === row.claim ? "applied" : lost()),
      };
    },

    /** The answer of a row. No round trip, or one for an answer that has rows of its own. */
    async answerOf({ claim, answer, parts = 0 }: Repeatable): Promise<string | undefined> {
      if (parts === 0) return answer;
      const items = await Promise.all(
        Array.from({ length: parts }, (_, at) => table.get(keys.answerPart(tenant, digest, claim, at))),
      );
      const texts = items.map((item) => item && partCodec.read(item).answer);
      return texts.includes(undefined) ? undefined : texts.join("");
    },

    /** Frees the key of an attempt whose answer is not kept. */
    free: (row: Repeatable): Promise<void> =>
      table.write({ remove: key, when: ownedBy(row), otherwise: () => "applied" }),

    /** The operations of a bulk request that were carried out, by their place. One round trip. */
    async operations({ origin }: Repeatable): Promise<ReadonlyMap<number, string>> {
      const from = keys.repeatableSteps(tenant, digest, origin);
      const items = await table.queryAll({ ...from, to: `${from.from}${LAST}`, limit: 1_000 });
      return new Map(items.map((item) => [Number(item.SK.slice(from.from.length)), partCodec.read(item).answer]));
    },

    /**
     * The step that stores the result of one operation. Where it is stored already, it fails with the error of `found`.
     */
    operating: (
      { origin, expiresAtSeconds }: Repeatable,
      place: number,
      result: string,
      found: (result: string) => Error,
    ): Step => ({
      put: {
        ...keys.repeatableStep(tenant, digest, origin, place),
        ...partCodec.write({ answer: result, expiresAtSeconds }),
      },
      when: "absent",
      otherwise: (item) => found(item ? partCodec.read(item).answer : ""),
    }),
  };
}

function cut(answer: string): string[] {
  return Array.from({ length: Math.ceil(answer.length / PART_MAX) }, (_, at) =>
    answer.slice(at * PART_MAX, (at + 1) * PART_MAX),
  );
}
