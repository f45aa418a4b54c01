/** Creates the body of an application from a template (AM-056, decision 0009). */
import type * as z from "zod";
import { Fault } from "../../kernel/faults.ts";
import { trimName } from "../../kernel/fold.ts";
import { parsePart } from "../../kernel/parse.ts";
import { NewApplication, type NewApplicationBody } from "../registry/shapes.ts";
import { overTemplate, type Template } from "./model.ts";
import { starterOf } from "./rules.ts";
import { starterTemplates } from "./starter.ts";
import type { TemplateStore } from "./store.ts";

type Body = z.output<typeof NewApplicationBody>;
type Complete = z.output<typeof NewApplication>;

/**
 * Merges the body of a new application into the template that the request names by id or name, if any, and validates
 * the result. Throws `application.template_unknown`, `request.malformed` and `request.invalid`. At most two round
 * trips.
 */
export async function fromTemplate(
  templates: TemplateStore,
  tenant: string,
  idOrName: string | undefined,
  body: Body,
): Promise<Complete> {
  if (!idOrName?.trim()) return parsePart("body", NewApplication, body);
  const template = await templateOf(templates, tenant, trimName(idOrName));
  if (!template) {
    throw new Fault(
      "application.template_unknown",
      `No application template has the id or the name '${idOrName}'. GET /api/server/v1/applications/templates lists them.`,
    );
  }
  return parsePart("body", NewApplication, overTemplate(template, body));
}

/** Ids come before names, and names of the tenant's templates before those of starter templates. */
async function templateOf(templates: TemplateStore, tenant: string, idOrName: string): Promise<Template | undefined> {
  const starter = starterOf(idOrName);
  if (starter) return starter;
  const [byId, id] = await Promise.all([templates.find(tenant, idOrName), templates.idOf(tenant, idOrName)]);
  if (byId) return byId;
  const byName = id === undefined ? undefined : await templates.find(tenant, id);
  return byName ?? starterTemplates.find(({ name }) => name === idOrName);
}
