/** The stages of the tests, evaluated once for all test files. */
import { inject } from "vitest";
import type { Evaluation, Inputs, Resource } from "./evaluation.ts";

/** A stage of each kind, and a developer's own while `sst dev` runs. */
export type StageName = "production" | "staging" | "dana" | "dana, live";

declare module "vitest" {
  interface ProvidedContext {
    readonly stages: Readonly<Record<StageName, Evaluation>>;
  }
}

/** The resources of a stage. */
export interface Deployment {
  readonly evaluation: Evaluation;
  /** All resources on AWS. */
  readonly resources: readonly Resource[];
  ofType(type: string): readonly Resource[];
  /** The resource of a name. Throws an `Error` that names it if it is missing. */
  one(type: string, name: string): Resource;
}

/** The evaluation of a stage. */
export const deploymentOf = (stage: StageName): Deployment => {
  const evaluation = inject("stages")[stage];
  const resources = evaluation.resources.filter(({ isCustom }) => isCustom);
  const ofType: Deployment["ofType"] = (type) => resources.filter((resource) => resource.type === type);
  return {
    evaluation,
    resources,
    ofType,
    one(type, name) {
      const found = ofType(type).find((resource) => resource.name === name);
      if (!found) throw new Error(`${stage} has no ${type} ${name}`);
      return found;
    },
  };
};

/** Replaces the eight random letters that SST appends to names on AWS. */
export const withoutRandom = (text: string): string => text.replace(/-[abcdefhkmnorstuvwxz]{8}\b/g, "-*");

/** A part of a resource's inputs that is an object. */
export const part = (inputs: Inputs, name: string): Inputs => inputs[name] as Inputs;
