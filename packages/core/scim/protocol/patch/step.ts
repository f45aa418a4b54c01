/** The steps of a PATCH request: single changes, with resolved names and values in canonical form. */

import { Fault } from "../../../kernel/faults.ts";
import type { BoundFilter } from "../filter/bound.ts";
import type { Json } from "../schema/attribute.ts";
import type { AttributePath } from "../schema/paths.ts";

/** The maximum of comparisons of one request (RFC 7644 sets none): 1,000 operations on 1,000 elements. */
const COMPARISONS_MAX = 1_000_000;

/** New values by the name of the sub-attribute; `null` removes one. */
export type Changes = Readonly<Record<string, Json | null>>;

/** The change of a target. */
export type Change =
  /** Removes the value, or the selected elements. */
  | { readonly kind: "clear" }
  /** The new value of a simple attribute or a sub-attribute. */
  | { readonly kind: "value"; readonly value: Json }
  /** New parts of a complex attribute, or of each selected element. */
  | { readonly kind: "parts"; readonly parts: Changes }
  /** The elements that the operation adds to a list, removes from it, or replaces it with. */
  | { readonly kind: "elements"; readonly elements: readonly Json[] };

/** A change of one attribute. */
export interface AttributeStep {
  readonly kind: "attribute";
  readonly op: "add" | "replace" | "remove";
  /** The path of the operation in the body, such as `Operations[2]`, for messages. */
  readonly place: string;
  readonly path: AttributePath;
  /** The filter in the brackets of the path, which selects elements. */
  readonly where: BoundFilter | undefined;
  readonly change: Change;
}

/** The request contains the `id` of the resource, which must not change. */
interface IdStep {
  readonly kind: "id";
  readonly place: string;
  readonly value: unknown;
}

export type PatchStep = AttributeStep | IdStep;

/** Whether a step changes a core attribute. The store applies steps on `members` of large groups. */
export function isStepOn(step: PatchStep, name: string): step is AttributeStep {
  return step.kind === "attribute" && !step.path.extension && step.path.attribute.name === name;
}

/** Counts comparisons before they are made. */
export type Budget = (comparisons: number) => void;

/** Starts the count of one request. Throws `request.too_large` when the budget is used up. */
export function budget(): Budget {
  let left = COMPARISONS_MAX;
  return (comparisons) => {
    left -= comparisons;
    if (left >= 0) return;
    throw new Fault(
      "request.too_large",
      `The operations need more than ${COMPARISONS_MAX} comparisons. Send fewer operations, or shorter filters.`,
    );
  };
}
