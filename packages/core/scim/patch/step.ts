/** What a PATCH request asks for, one change at a time, with names resolved and values in canonical form. */
import type { BoundFilter } from "../filter/bound.ts";
import type { Json } from "../schema/attribute.ts";
import type { AttributePath } from "../schema/paths.ts";

/** Sub-attributes by name: the new value, or `null` for one that loses its value. */
export type Changes = Readonly<Record<string, Json | null>>;

/** What becomes of the target. */
export type Change =
  /** It loses its value; chosen elements go. */
  | { readonly kind: "clear" }
  /** A simple attribute, or a sub-attribute, takes this value. */
  | { readonly kind: "value"; readonly value: Json }
  /** A complex attribute, or each chosen element, takes these parts. */
  | { readonly kind: "parts"; readonly parts: Changes }
  /** A list: it gains these elements, becomes them, or loses those that are like them, as the operation says. */
  | { readonly kind: "elements"; readonly elements: readonly Json[] };

/** A change of one attribute. */
export interface AttributeStep {
  readonly kind: "attribute";
  readonly op: "add" | "replace" | "remove";
  /** Where the request asks for it, such as `Operations[2]`; for sentences. */
  readonly place: string;
  readonly path: AttributePath;
  /** Only elements that satisfy this: what stood in the brackets of the path. */
  readonly where: BoundFilter | undefined;
  readonly change: Change;
}

/** The request repeats the `id` of the resource, which must be the right one. */
interface IdStep {
  readonly kind: "id";
  readonly place: string;
  readonly value: unknown;
}

export type PatchStep = AttributeStep | IdStep;

/** Whether a step changes a core attribute of that name. Steps on `members` of a large group are carried out by its store. */
export function isStepOn(step: PatchStep, name: string): step is AttributeStep {
  return step.kind === "attribute" && !step.path.extension && step.path.attribute.name === name;
}
