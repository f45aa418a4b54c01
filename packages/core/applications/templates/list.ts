/** The list of templates: filter and page (AM-030, AM-059, AM-060; decision 0009). */
import type * as z from "zod";
import { type FilterRow, matches, parseFilter, type Vocabulary } from "../../kernel/filter/filter.ts";
import { LIMIT_DEFAULTS, type ListQuery, pageOf } from "../../kernel/management-api.ts";
import type { TemplateSummary } from "./model.ts";
import type { TemplateList } from "./shapes.ts";
import { starterTemplates } from "./starter.ts";
import type { TemplateStore } from "./store.ts";

/** `clientId` and `issuer` are accepted as in the list of applications; no template has one. */
const filterable = [
  "name",
  "description",
  "image",
  "category",
  "displayOrder",
  "authenticationProtocol",
  "templateGroup",
  "clientId",
  "issuer",
] as const;
type Filterable = (typeof filterable)[number];

const vocabulary: Vocabulary<Filterable> = {
  attributes: filterable,
  names: ["name"],
  unknownAttribute: "filter.template_attribute",
  example: "name sw Web or (category eq DEFAULT and authenticationProtocol eq 'oidc')",
};

/** The path of a template, with its tenant. */
export function selfOf(tenant: string, id: string): string {
  return `/t/${tenant}/api/server/v1/applications/templates/${id}`;
}

/** One page of the templates that a tenant can use. One round trip. Throws the filter's faults. */
export async function listTemplates(
  store: TemplateStore,
  tenant: string,
  query: ListQuery,
): Promise<z.input<typeof TemplateList>> {
  const filter = query.filter?.trim() ? parseFilter(query.filter, vocabulary) : undefined;
  const { limit, offset } = pageOf(query, LIMIT_DEFAULTS.applications);
  const all: readonly TemplateSummary[] = [...starterTemplates, ...(await store.summaries(tenant))];
  const found = filter ? all.filter((template) => matches(filter, rowOf(template))) : all;
  return {
    templates: found
      .slice(offset, offset + limit)
      .map((template) => ({ ...template, self: selfOf(tenant, template.id) })),
  };
}

function rowOf(template: TemplateSummary): FilterRow<Filterable> {
  const { name, description, image, category, displayOrder, authenticationProtocol, templateGroup } = template;
  return {
    name,
    description,
    image,
    category,
    displayOrder: displayOrder === undefined ? undefined : String(displayOrder),
    authenticationProtocol,
    templateGroup,
  };
}
