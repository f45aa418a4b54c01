/** What an evaluation of the stacks is asked for, and what it answers: data that goes between two processes. */

/** How to evaluate. */
export interface Order {
  readonly stage: string;
  /** As `sst dev` does: the functions run live. */
  readonly isLive: boolean;
  /** The project's directory. */
  readonly root: string;
  /** A directory for whatever is made on the way. */
  readonly work: string;
  /** The file for the answer. */
  readonly answer: string;
}

/** Any JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** The inputs of a resource. */
export type Inputs = { readonly [name: string]: Json };

/** A resource that the deployment would ask for. */
export interface Resource {
  readonly type: string;
  readonly name: string;
  /** True for what is made on AWS; false for components, which only hold others. */
  readonly isCustom: boolean;
  readonly inputs: Inputs;
  /** The engine refuses to delete or replace it. */
  readonly isProtected: boolean;
  /** It outlives the stage. */
  readonly isRetained: boolean;
}

/** A whole deployment. */
export interface Evaluation {
  /** What `app()` of sst.config.ts answers. */
  readonly app: Inputs;
  readonly outputs: Inputs;
  readonly resources: readonly Resource[];
}
