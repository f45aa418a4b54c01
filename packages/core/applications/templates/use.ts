/** Creating an application from a template (spec, Add application: `template`; decision 0009). */
import type * as z from "zod";
import { Fault } from "../../platform/faults.ts";
import { parsePart } from "../../platform/parse.ts";
import { NewApplication, type NewApplicationBody } from "../registry/shapes.ts";
import { overTemplate, type Template } from "./model.ts";
import { starterOf } from "./rules.ts";
import { starterTemplates } from "./starter.ts";
import type { TemplateStore } from "./store.ts";

type Body = z.output<typeof NewApplicationBody>;
type Complete = z.output<typeof NewApplication>;

/**
 * The body of a new application, laid over the template that the request names by id or name, if it names one, and judged
 * as a whole. Throws `application.template_unknown`, `request.malformed` and `request.invalid`. At most two round trips.
 */
export async function fromTemplate(
  templates: TemplateStore,
  tenant: string,
  wished: string | undefined,
  body: Body,
): Promise<Complete> {
  if (!wished?.trim()) return parsePart("body", NewApplication, body);
  const template = await templateOf(templates, tenant, wished);
  if (!template) {
    throw new Fault(
      "application.template_unknown",
      `No application template has the id or the name '${wished}'. GET /api/server/v1/applications/templates lists them.`,
    );
  }
  return parsePart("body", NewApplication, overTemplate(template, body));
}

/** The template that a caller means: an id before a name, and a name of the tenant's own before a starter template's. */
async function templateOf(templates: TemplateStore, tenant: string, wished: string): Promise<Template | undefined> {
  const starter = starterOf(wished);
  if (starter) return starter;
  const [byId, id] = await Promise.all([templates.find(tenant, wished), templates.idOf(tenant, wished)]);
  if (byId) return byId;
  const byName = id === undefined ? undefined : await templates.find(tenant, id);
  return byName ?? starterTemplates.find(({ name }) => name === wished);
}
