/** How each source of a list is read. What plans with the indexes of attributes is loaded when a list names one. */
import { later } from "../../kernel/later.ts";
import { type BoundFilter, leavesOf, pathName } from "../protocol/filter/bound.ts";
import type { AttributePath } from "../protocol/schema/paths.ts";
import { CANDIDATES_MAX } from "./limits.ts";
import { type Plan, planOf, planWithout } from "./plan.ts";
import { isSequence } from "./sequence.ts";
import type { Position, Query, Source } from "./source.ts";
import type { Way } from "./values/decide.ts";

const { wayOf } = later(() => import("./values/decide.ts"), "wayOf");

/** What is known of a list before it is read. */
export interface Wanted {
  /** Where the page of a cursor starts. */
  readonly after?: Position | undefined;
  /** Only the total is wanted. */
  readonly isCount?: boolean;
  /** Also where lookups find the candidates: they were too many. */
  readonly always?: boolean;
}

/** The way of each source. */
export function waysOf<T>(sources: readonly Source<T>[], query: Query, wanted: Wanted): Promise<readonly Way[]> {
  const { names, filters } = query;
  return Promise.all(
    sources.map(async (source, at): Promise<Way> => {
      if (names) return { kind: "plan", plan: { candidates: { kind: "names", ...names }, residual: undefined } };
      const filter = filters[at];
      const place = wanted.after?.source === at ? wanted.after : undefined;
      const planned = planOf(filter, source);
      const attributes = attributesWithIndex(source, filter, query);
      const isTimeIndexed = isChangeIndexed(source, filter, attributes);
      const settled = () => settledPlan(source, filter, planned, place);
      // An index of times costs less than the records of changes, which are read where it is not complete.
      const plan = isTimeIndexed ? unsettledPlan(source, filter, planned) : await settled();
      if (
        attributes.length > 0 &&
        !isSequence(plan, query) &&
        (wanted.always || place?.id !== undefined || hasMany(plan))
      ) {
        const asked = { source, filter, query, plan, attributes, place, isCount: wanted.isCount ?? false };
        const way = await wayOf<T>(asked);
        if (way) return way;
      }
      return { kind: "plan", plan: isTimeIndexed ? await settled() : plan };
    }),
  );
}

/** A plan whose candidates are known: what was changed is found, or the plan is one without it. */
async function settledPlan<T>(
  source: Source<T>,
  filter: BoundFilter | undefined,
  plan: Plan,
  place: Position | undefined,
): Promise<Plan> {
  const { candidates } = plan;
  if (candidates.kind !== "changed" || !filter) return plan;
  // The pages of a cursor that began in the order of an index go on in it.
  const ids = place?.id === undefined ? await source.changedIds?.(candidates.sinceMs) : undefined;
  if (!ids || ids.length > CANDIDATES_MAX) return planWithout(candidates, filter, source);
  return { candidates: { kind: "found", ids }, residual: filter };
}

/** The plan without the records of changes. */
function unsettledPlan<T>(source: Source<T>, filter: BoundFilter | undefined, plan: Plan): Plan {
  return plan.candidates.kind === "changed" && filter ? planWithout(plan.candidates, filter, source) : plan;
}

/** Whether a term that the records of changes can answer is on an attribute with an index. */
function isChangeIndexed<T>(
  { changedSince }: Source<T>,
  filter: BoundFilter | undefined,
  attributes: readonly string[],
): boolean {
  if (!filter || !changedSince) return false;
  return leavesOf(filter).some(
    (leaf) => leaf.kind === "compare" && changedSince(leaf) !== undefined && attributes.includes(pathName(leaf.path)),
  );
}

/** Whether an index may serve a list that is too long without it. */
export function canUseIndexes<T>(sources: readonly Source<T>[], query: Query): boolean {
  return !query.names && sources.some((source, at) => attributesWithIndex(source, query.filters[at], query).length > 0);
}

/** Whether a plan may read many candidates. */
function hasMany({ candidates }: Plan): boolean {
  return candidates.kind === "members" || (candidates.kind === "names" && candidates.exact === undefined);
}

/** The attributes with an index that a filter or an order names. */
function attributesWithIndex<T>(
  { indexes, external, nameAttribute }: Source<T>,
  filter: BoundFilter | undefined,
  { order, anyOrder = false }: Query,
): readonly string[] {
  if (!indexes || external) return [];
  const leaves = filter ? leavesOf(filter) : [];
  const sortedBy = order ? order.attribute : anyOrder ? undefined : nameAttribute;
  return indexes.declared.filter(
    (name) =>
      name === sortedBy ||
      leaves.some((leaf) => leaf.kind !== "extension" && reads(name, leaf.path, leaf.kind === "element" || leaf.where)),
  );
}

/** Whether a term on a path may be one on an attribute. Brackets choose among the elements by any sub-attribute. */
function reads(name: string, path: AttributePath, brackets: unknown): boolean {
  return pathName(path) === name || (Boolean(brackets) && name.startsWith(`${pathName({ ...path, sub: undefined })}.`));
}
