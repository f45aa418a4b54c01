/** How the functions are bundled. Pure: SST uses these options, and so does the build for tests and `npm run sizes`. */

/** The part of SST's `nodejs` options that is used here. */
export interface Bundling {
  readonly minify?: boolean;
  /** Code that is imported dynamically becomes a file of its own (decision 0011). */
  readonly splitting?: boolean;
  readonly esbuild?: { readonly keepNames?: boolean; readonly sourcemap?: boolean };
}

/**
 * The options of every function. No source maps are uploaded: `npm run positions` finds the source of a position in a
 * bundle by building it again.
 */
export const bundling = {
  minify: true,
  splitting: true,
  esbuild: { keepNames: false, sourcemap: false },
} as const satisfies Bundling;
