/** The handlers of the template operations. */

import { newId } from "../../kernel/ids.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import type { CustomProtocolKind } from "../protocols/custom-kind.ts";
import { withoutConfidential } from "./confidential.ts";
import type { templateOperations } from "./contract.ts";
import { listTemplates, selfOf } from "./list.ts";
import { checkTemplate, notFound, starterOf, updating } from "./rules.ts";
import type { TemplateStore } from "./store.ts";

/** The dependencies of these handlers. */
export interface TemplateStores {
  readonly templates: TemplateStore;
  readonly customKinds: readonly CustomProtocolKind[];
}

export const templateHandlers: Handlers<typeof templateOperations, TemplateStores> = {
  listApplicationTemplates: ({ query }, { tenant, templates }) => listTemplates(templates, tenant, query),

  async addApplicationTemplate({ body }, { tenant, templates, customKinds }) {
    const template = { ...withoutConfidential(body, customKinds), id: newId() };
    checkTemplate(template);
    await templates.add(tenant, template);
    return { location: selfOf(tenant, template.id) };
  },

  async getApplicationTemplate({ params: { templateId } }, { tenant, templates, customKinds }) {
    const template = starterOf(templateId) ?? (await templates.find(tenant, templateId));
    if (!template) throw notFound(templateId, tenant);
    // Stored before it was declared confidential, a value is there.
    return withoutConfidential(template, customKinds);
  },

  async updateApplicationTemplate({ params: { templateId }, body }, { tenant, templates, customKinds }) {
    const fields = withoutConfidential(body, customKinds);
    checkTemplate({ ...fields, id: templateId }, updating(templateId));
    await templates.replace(tenant, templateId, () => fields);
    return undefined;
  },

  async deleteApplicationTemplate({ params: { templateId } }, { tenant, templates }) {
    await templates.remove(tenant, templateId);
    return undefined;
  },
};
