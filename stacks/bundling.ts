/** How the functions are bundled. Pure: SST is given these options, and so is the build that tests and sizes look at. */

/** The part of SST's `nodejs` options that is used here. */
export interface Bundling {
  readonly minify?: boolean;
  /** What is imported when first needed becomes a file of its own (decision 0011). */
  readonly splitting?: boolean;
  readonly esbuild?: { readonly keepNames?: boolean };
}

/** The options of every function. Source maps are left to SST, which keeps them out of the bundle. */
export const bundling = {
  minify: true,
  splitting: true,
  esbuild: { keepNames: false },
} as const satisfies Bundling;
