/** Restores versions of application templates. */
import { type TemplateStores, templateHandlers } from "../applications/templates/handlers.ts";
import { isSettings, type Template } from "../applications/templates/model.ts";
import { notFound } from "../applications/templates/rules.ts";
import type { Subject } from "../history/history.ts";
import type { HistorySource } from "../history/source.ts";
import type { Handlers } from "../operation/operation.ts";
import { later } from "../platform/later.ts";
import type { templateUndoOperations } from "./contract-templates.ts";

/** The dependencies of these handlers. */
export interface TemplateUndoStores extends TemplateStores {
  readonly history: HistorySource<TemplateStores>;
}

const [storesAt] = later(() => import("../history/history.ts"), "storesAt");
const empty = { query: undefined, headers: undefined } as const;
/** Members that histories leave out (changes/documents.ts). */
const SECRET_NAME = /(?:secret|password|passphrase|privatekey|apikey|token)$/i;

export const templateUndoHandlers: Handlers<typeof templateUndoOperations, TemplateUndoStores> = {
  async restoreApplicationTemplateVersion({ params: { version, ...params } }, context) {
    const { tenant, templates, history } = context;
    const { templateId: id } = params;
    const subject: Subject = { tenant, type: "application-template", id };
    const past = await storesAt(history, subject, version, () =>
      templateHandlers.getApplicationTemplate({ params, ...empty, body: undefined }, context),
    );
    const [was, now] = await Promise.all([past.templates.find(tenant, id), templates.find(tenant, id)]);
    if (!was || !now) throw notFound(id, tenant);
    const { id: _, ...fields } = was;
    const application = withSecrets(fields.application, now.application) as Template["application"];
    return templateHandlers.updateApplicationTemplate({ params, ...empty, body: { ...fields, application } }, context);
  },
};

/** Settings with the secrets that they have now. */
function withSecrets(was: unknown, now: unknown): unknown {
  if (!isSettings(was) || !isSettings(now)) return was;
  const secrets = Object.entries(now).filter(([name, value]) => typeof value === "string" && SECRET_NAME.test(name));
  const members = Object.entries(was).map(([name, value]) => [name, withSecrets(value, now[name])]);
  return { ...Object.fromEntries(secrets), ...Object.fromEntries(members) };
}
