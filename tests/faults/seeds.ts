/** Which seeds run: `SEED=7` one, `SEEDS=100` the first hundred, a few by default. */

const DEFAULT_SEEDS = 4;

const numberOf = (name: string): number | undefined => {
  const text = process.env[name];
  if (!text) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} must be a whole number, not "${text}".`);
  return Number(text);
};

/** The seeds of this run; `few` is how many run by default. */
export const seedsOf = (few = DEFAULT_SEEDS): readonly number[] => {
  const one = numberOf("SEED");
  if (one !== undefined) return [one];
  return Array.from({ length: numberOf("SEEDS") ?? few }, (_, at) => at + 1);
};
