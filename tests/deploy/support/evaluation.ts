/** Input and result of an evaluation of the stacks: data that two processes exchange. */

/** The input. */
export interface Order {
  readonly stage: string;
  /** True for `sst dev`: the functions run live. */
  readonly isLive: boolean;
  readonly region: string;
  /** The project's directory. */
  readonly root: string;
  /** A directory for temporary files. */
  readonly work: string;
  /** The file of the result. */
  readonly result: string;
}

/** Any JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** The inputs of a resource. */
export type Inputs = { readonly [name: string]: Json };

/** A resource that the deployment would request. */
export interface Resource {
  readonly type: string;
  readonly name: string;
  /** True for a resource on AWS; false for a component, which only groups others. */
  readonly isCustom: boolean;
  readonly inputs: Inputs;
  /** The engine refuses to delete or replace it. */
  readonly isProtected: boolean;
  /** It outlives the stage. */
  readonly isRetained: boolean;
  /** Inputs that a later deployment leaves as they are on AWS. */
  readonly ignored: readonly string[];
  /** The names of the resources that are created before it. */
  readonly dependsOn: readonly string[];
}

/** A whole deployment. */
export interface Evaluation {
  /** The result of `app()` of sst.config.ts. */
  readonly app: Inputs;
  readonly outputs: Inputs;
  readonly resources: readonly Resource[];
  /** The bytes of the code of each function after unzipping, by the name of its component. */
  readonly codeBytes: Readonly<Record<string, number>>;
}
