/** The functions behind the template operations. */
import type { Handlers } from "../catalogue/operation.ts";
import { newId } from "../platform/ids.ts";
import type { templateOperations } from "./contract.ts";
import { listTemplates, selfOf } from "./list.ts";
import { checkTemplate, notFound, starterOf, updating } from "./rules.ts";
import type { TemplateStore } from "./store.ts";

/** What these handlers use. */
export interface TemplateStores {
  readonly templates: TemplateStore;
}

export const templateHandlers: Handlers<typeof templateOperations, TemplateStores> = {
  listApplicationTemplates: ({ query }, { tenant, templates }) => listTemplates(templates, tenant, query),

  async addApplicationTemplate({ body }, { tenant, templates }) {
    const template = { ...body, id: newId() };
    checkTemplate(template);
    await templates.add(tenant, template);
    return { location: selfOf(tenant, template.id) };
  },

  async getApplicationTemplate({ params: { templateId } }, { tenant, templates }) {
    const template = starterOf(templateId) ?? (await templates.find(tenant, templateId));
    if (!template) throw notFound(templateId, tenant);
    return template;
  },

  async updateApplicationTemplate({ params: { templateId }, body }, { tenant, templates }) {
    checkTemplate({ ...body, id: templateId }, updating(templateId));
    await templates.replace(tenant, templateId, body);
    return undefined;
  },

  async deleteApplicationTemplate({ params: { templateId } }, { tenant, templates }) {
    await templates.remove(tenant, templateId);
    return undefined;
  },
};
