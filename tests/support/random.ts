/** Random choices that a seed repeats, for models. */

export interface Random {
  /** From 0 to before a number. */
  upTo(below: number): number;
  chance(share: number): boolean;
  of<T>(choices: readonly T[]): T;
}

/** A generator of its own for a seed (xorshift of 32 bits). */
export const randomOf = (seed: number): Random => {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 4_294_967_296;
  };
  return {
    upTo: (below) => Math.floor(next() * below),
    chance: (share) => next() < share,
    of(choices) {
      const one = choices[Math.floor(next() * choices.length)];
      if (one === undefined) throw new RangeError("nothing to choose from");
      return one;
    },
  };
};
