/** Rules for templates. Pure; faults have the codes of WSO2 Identity Server. */
import { Fault } from "../../kernel/faults.ts";
import type { Template } from "./model.ts";
import { starterTemplates } from "./starter.ts";

/** Bytes of a template as JSON. A row holds 400 KB. */
const TEMPLATE_BYTES_MAX = 300_000;
const ADDING = "Error while adding the new application template.";

/** The message of a failed change. */
export function updating(id: string): string {
  return `Error while updating the application template with id ${id}.`;
}

/** The fault for a name that another template of the tenant has. */
export function nameTaken(name: string, message = ADDING): Fault {
  return new Fault("template.name_taken", `Template with the name: ${name} already exists.`, { message });
}

/** The starter template with that id. */
export function starterOf(id: string): Template | undefined {
  return starterTemplates.find((template) => template.id === id);
}

/** The fault for an id that no template of the tenant has. Starter templates cannot be changed. */
export function notFound(id: string, tenant: string): Fault {
  return new Fault(
    "template.not_found",
    starterOf(id)
      ? `${id} is a starter template: it cannot be changed or deleted. Add a template of your own.`
      : `No application template of tenant ${tenant} has the id ${id}.`,
  );
}

/** Throws `template.name_blank` and `request.invalid`. */
export function checkTemplate(template: Template, message = ADDING): void {
  if (template.name.trim() === "") throw new Fault("template.name_blank", "A template needs a name.", { message });
  const bytes = Buffer.byteLength(JSON.stringify(template), "utf8");
  if (bytes > TEMPLATE_BYTES_MAX) {
    throw new Fault("request.invalid", `The template takes ${bytes} bytes; at most ${TEMPLATE_BYTES_MAX} are allowed.`);
  }
}
