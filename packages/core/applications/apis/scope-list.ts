/** The list of the scopes of all APIs, as in WSO2's API. */
import type { Scope } from "../../kernel/domain/api-resource.ts";
import { systemApis } from "../../kernel/domain/system-apis.ts";
import { Fault } from "../../kernel/faults.ts";
import { type Filter, matches, parseFilter } from "../../kernel/filter/filter.ts";
import { canBeScope } from "./rules.ts";
import type { ApiResourceStore } from "./store.ts";

/** APIs of a tenant that a list reads. Each is a row of its own. */
const APIS_MAX = 500;
/** Scopes that one response shows: it has no pages. */
const SCOPES_SHOWN_MAX = 5_000;

const vocabulary = {
  attributes: ["name"],
  names: ["name"],
  unknownAttribute: "filter.attribute",
  example: "name sw booking:",
} as const;

type NameFilter = Filter<"name">;

/**
 * The scopes of a tenant's own APIs, those of the newest API first, and then those of the service. Equalities read the
 * APIs of the scopes that they name; other filters read all APIs. Two round trips. Throws
 * `api_resource.filter_invalid`, also for more than one response can show.
 */
export async function listScopes(store: ApiResourceStore, tenant: string, text: string | undefined): Promise<Scope[]> {
  const filter = text?.trim() ? parsed(text) : undefined;
  const names = filter && namesIn(filter);
  const ids = names ? await apisOf(store, tenant, names) : await ownApis(store, tenant);
  const own = await store.findMany(tenant, ids);
  const found = [...ids.flatMap((id) => own.get(id) ?? []), ...systemApis]
    .flatMap(({ scopes }) => scopes)
    .filter(({ name }) => !filter || matches(filter, { name }));
  if (found.length > SCOPES_SHOWN_MAX)
    throw tooMany(`${found.length} scopes match, and at most ${SCOPES_SHOWN_MAX} are shown.`);
  return found;
}

async function ownApis(store: ApiResourceStore, tenant: string): Promise<string[]> {
  const own = (await store.summaries(tenant)).filter(({ type }) => type === "BUSINESS");
  if (own.length > APIS_MAX) throw tooMany(`The tenant has ${own.length} APIs, and at most ${APIS_MAX} are searched.`);
  return own.map(({ id }) => id);
}

async function apisOf(store: ApiResourceStore, tenant: string, names: readonly string[]): Promise<string[]> {
  const places = await store.findScopes(tenant, names.filter(canBeScope));
  return [...new Set([...places.values()].map(({ apiId }) => apiId))];
}

/** The names that a filter asks for, where it asks for names only. */
function namesIn(filter: NameFilter): readonly string[] | undefined {
  if (filter.kind === "compare") return filter.operator === "eq" && filter.value !== "" ? [filter.value] : undefined;
  const parts = filter.parts.map(namesIn);
  const known = parts.filter((part) => part !== undefined);
  if (filter.kind === "and") return known[0];
  return known.length === parts.length ? [...new Set(known.flat())] : undefined;
}

/** The filter. This list has a fault code of its own for filters, as that of APIs has. */
function parsed(text: string): NameFilter {
  try {
    return parseFilter(text, vocabulary);
  } catch (error) {
    if (error instanceof Fault) throw new Fault("api_resource.filter_invalid", error.description, { cause: error });
    throw error;
  }
}

function tooMany(finding: string): Fault {
  return new Fault(
    "api_resource.filter_invalid",
    `${finding} Name the scopes: filter=name eq ..., or read them at /api-resources/{apiResourceId}/scopes.`,
  );
}
