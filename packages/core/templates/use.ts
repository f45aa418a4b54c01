/** Creating an application from a template (spec, Add application: `template`; decision 0009). */
import type * as z from "zod";
import { NewApplication } from "../applications/shapes.ts";
import { Fault } from "../faults/faults.ts";
import { overTemplate, type Template } from "./model.ts";
import { starterOf } from "./rules.ts";
import { starterTemplates } from "./starter.ts";
import type { TemplateStore } from "./store.ts";

type Body = z.output<typeof NewApplication>;

const ISSUES_TOLD = 5;

/** The template that a caller means: an id before a name, and a name of the tenant's own before a starter template's. */
const templateOf = async (templates: TemplateStore, tenant: string, wished: string): Promise<Template | undefined> => {
  const starter = starterOf(wished);
  if (starter) return starter;
  const [byId, id] = await Promise.all([templates.find(tenant, wished), templates.idOf(tenant, wished)]);
  if (byId) return byId;
  const byName = id === undefined ? undefined : await templates.find(tenant, id);
  return byName ?? starterTemplates.find(({ name }) => name === wished);
};

/**
 * The body of a new application, laid over the template that the request names by id or name; the body itself where it
 * names none. Throws `application.template_unknown`, and `request.invalid` where the two together are no application.
 * At most two round trips.
 */
export const fromTemplate = async (
  templates: TemplateStore,
  tenant: string,
  wished: string | undefined,
  body: Body,
): Promise<Body> => {
  if (!wished?.trim()) return body;
  const template = await templateOf(templates, tenant, wished);
  if (!template) {
    throw new Fault(
      "application.template_unknown",
      `No application template has the id or the name '${wished}'. GET /api/server/v1/applications/templates lists them.`,
    );
  }
  const parsed = NewApplication.safeParse(overTemplate(template, body));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, ISSUES_TOLD).map(({ path, message }) => `${path.join(".")}: ${message}.`);
  throw new Fault(
    "request.invalid",
    `The body over the template '${template.name}' is no application. ${issues.join(" ")}`.slice(0, 1_000),
  );
};
