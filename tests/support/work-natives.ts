/**
 * Counts what the built-in functions of JavaScript and Node do for their callers: the elements that they visit, and the
 * characters and bytes that they read. V8's own counters see calls of functions, but nothing inside a built-in one.
 */
import { Hash } from "node:crypto";

/** What built-in functions did. */
export interface NativeWork {
  /** Elements of lists, sets and maps. */
  elements: number;
  /** Characters and bytes. */
  bytes: number;
}

type Method = (this: never, ...given: never[]) => unknown;
type Holder = Readonly<Record<PropertyKey, unknown>>;

/** Counts from the receiver, the arguments and the result of a call. */
type Count = (receiver: unknown, given: readonly unknown[], result: unknown) => number;

const lengthOf = (value: unknown): number =>
  typeof value === "string" || ArrayBuffer.isView(value) || Array.isArray(value)
    ? ((value as { readonly length?: number }).length ?? 0)
    : 0;

const ofReceiver: Count = (receiver) => lengthOf(receiver);
const ofFirst: Count = (_, [first]) => lengthOf(first);
const ofResult: Count = (_receiver, _given, result) => lengthOf(result);
/** A search visits what is between its start and its result. */
const upToIndex: Count = (receiver, [, from], result) => {
  const start = typeof from === "number" ? Math.max(0, from) : 0;
  return (typeof result === "number" && result >= 0 ? result + 1 : lengthOf(receiver)) - start;
};

const prototypeOf = (value: object): Holder => Object.getPrototypeOf(value) as Holder;

/** The built-in functions by what they count. */
const counted: Readonly<Record<keyof NativeWork, readonly (readonly [Holder, readonly string[], Count])[]>> = {
  elements: [
    [Array.prototype as unknown as Holder, ["indexOf"], upToIndex],
    [Array.prototype as unknown as Holder, ["includes", "sort", "toSorted", "join", "reverse"], ofReceiver],
    [Array.prototype as unknown as Holder, ["shift", "unshift", "splice"], ofReceiver],
    [Array.prototype as unknown as Holder, ["slice", "concat", "flat"], ofResult],
    [Object as unknown as Holder, ["keys", "values", "entries"], ofResult],
    [prototypeOf([][Symbol.iterator]()), ["next"], () => 1],
    [prototypeOf(new Map()[Symbol.iterator]()), ["next"], () => 1],
    [prototypeOf(new Set()[Symbol.iterator]()), ["next"], () => 1],
    [prototypeOf(""[Symbol.iterator]()), ["next"], () => 1],
  ],
  bytes: [
    [String.prototype as unknown as Holder, ["indexOf"], upToIndex],
    [
      String.prototype as unknown as Holder,
      [
        ...["includes", "split", "replace", "replaceAll", "trim", "toLowerCase", "toUpperCase", "normalize"],
        ...["isWellFormed", "toWellFormed"],
      ],
      ofReceiver,
    ],
    [JSON as unknown as Holder, ["parse"], ofFirst],
    [JSON as unknown as Holder, ["stringify"], ofResult],
    [Hash.prototype as unknown as Holder, ["update"], ofFirst],
    [Buffer as unknown as Holder, ["byteLength"], ofFirst],
    [Buffer as unknown as Holder, ["from", "concat"], ofResult],
  ],
};

/** Replaces the built-in functions of this thread by ones that count. The counts begin at 0. */
export const countNatives = (): NativeWork => {
  const work: NativeWork = { elements: 0, bytes: 0 };
  for (const kind of ["elements", "bytes"] as const) {
    for (const [holder, names, count] of counted[kind]) {
      for (const name of names) {
        const original = holder[name] as Method;
        const replacement = {
          [name](this: unknown, ...given: readonly unknown[]): unknown {
            const result = Reflect.apply(original, this as never, given as never[]);
            work[kind] += count(this, given, result);
            return result;
          },
        };
        Object.defineProperty(holder, name, { value: replacement[name], writable: true, configurable: true });
      }
    }
  }
  return work;
};
