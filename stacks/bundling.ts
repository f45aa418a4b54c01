/** How the functions are bundled. Pure: SST uses these options, and so does the build for tests and `npm run sizes`. */

/** The part of SST's `nodejs` options that is used here. */
export interface Bundling {
  readonly minify?: boolean;
  /** Code that is imported dynamically becomes a file of its own (decision 0011). */
  readonly splitting?: boolean;
  readonly esbuild?: { readonly keepNames?: boolean };
}

/** The options of every function. SST writes source maps, outside of the bundle. */
export const bundling = {
  minify: true,
  splitting: true,
  esbuild: { keepNames: false },
} as const satisfies Bundling;
