/** Computations on input, each with the largest input that can reach it. */
import type { WorkCase } from "#tests/support/work.ts";

/** A computation with its largest input. */
export interface SizedCase extends WorkCase {
  readonly largest: number;
  /** The message that refuses the largest input; absent where it is accepted. */
  readonly outcome?: RegExp;
  /**
   * How much more work four times the input may need, where that is not linear: the largest input is small enough for
   * it.
   */
  readonly growth?: number;
}

/** Declares a computation by the input that it takes. */
export const sized = <Input>({
  input,
  run,
  ...rest
}: Omit<SizedCase, "prepare"> & {
  readonly input: (size: number) => Input;
  readonly run: (input: Input) => unknown;
}): SizedCase => ({
  ...rest,
  prepare: (size) => {
    const given = input(size);
    return () => run(given);
  },
});

/** A list of `count` items. */
export const many = <Item>(count: number, item: (at: number) => Item): Item[] =>
  Array.from({ length: Math.floor(count) }, (_, at) => item(at));
