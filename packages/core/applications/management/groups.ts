/** The groups that an application can be made discoverable by. */
import type * as z from "zod";
import type { GroupStore } from "../../directory/groups/store.ts";
import { PRIMARY } from "../../kernel/domain/username.ts";
import { Fault } from "../../kernel/faults.ts";
import { parseFilter, type Vocabulary } from "../../kernel/filter/filter.ts";
import { foldName, sigmaForms } from "../../kernel/fold.ts";
import type { GroupShown } from "./contract.ts";

/** Where the groups are. */
export interface GroupSource {
  readonly groups: Pick<GroupStore, "names" | "findMany">;
  /** The user stores of a tenant. */
  userStoresOf(tenant: string): readonly string[];
}

/** Groups of one response, which has no pages. */
const GROUPS_MAX = 1_000;

const vocabulary: Vocabulary<"name"> = {
  attributes: ["name"],
  names: ["name"],
  unknownAttribute: "filter.attribute",
  example: "name co drivers",
};

/**
 * The first 1,000 groups of a user store by name, or of those whose name contains a text. Three round trips. Throws
 * `application.invalid` and the filter's faults.
 */
export async function listDiscoverableGroups(
  { tenant, groups, userStoresOf }: GroupSource & { readonly tenant: string },
  { domain = PRIMARY, filter }: { readonly domain?: string | undefined; readonly filter?: string | undefined },
): Promise<z.input<typeof GroupShown>[]> {
  const userStore = domain.toUpperCase();
  if (!userStoresOf(tenant).includes(userStore)) {
    throw new Fault("application.invalid", `domain: the tenant has no user store '${domain.slice(0, 100)}'.`);
  }
  const part = filter?.trim() ? partOf(filter) : "";
  const forms = sigmaForms(part, { before: true, after: true }).map(foldName);
  const names = groups.names(tenant, userStore);
  const page = { offset: 0, limit: GROUPS_MAX };
  const { entries } = await (part === ""
    ? names.page(page)
    : names.search((name) => forms.some((form) => name.includes(form)), page));
  const found = await groups.findMany(
    tenant,
    entries.map(({ id }) => id),
  );
  return found.flatMap((group) => (group ? [{ id: group.id, name: group.displayName }] : []));
}

/** The text that names must contain. */
function partOf(filter: string): string {
  const parsed = parseFilter(filter, vocabulary);
  if (parsed.kind === "compare" && parsed.operator === "co") return parsed.value;
  throw new Fault("filter.operator", "filter: use name co and a text, such as name co drivers.");
}
