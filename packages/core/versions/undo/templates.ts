/** Restores versions of application templates. */
import { withoutConfidential } from "../../applications/templates/confidential.ts";
import { type TemplateStores, templateHandlers } from "../../applications/templates/handlers.ts";
import { isSettings, type Template } from "../../applications/templates/model.ts";
import { checkTemplate, notFound, updating } from "../../applications/templates/rules.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import type { Subject } from "../history/history.ts";
import { empty, storesAt } from "../history/reading.ts";
import type { WithHistory } from "../history/source.ts";
import type { templateUndoOperations } from "./contract-templates.ts";

/** The dependencies of these handlers. */
export type TemplateUndoStores = WithHistory<TemplateStores>;

/** Members that histories leave out (changes/documents.ts). */
const SECRET_NAME = /(?:secret|password|passphrase|privatekey|apikey|token)$/i;

export const templateUndoHandlers: Handlers<typeof templateUndoOperations, TemplateUndoStores> = {
  async restoreApplicationTemplateVersion({ params: { version, ...params } }, context) {
    const { tenant, templates, history, customKinds } = context;
    const { templateId: id } = params;
    const subject: Subject = { tenant, type: "application-template", id };
    const past = await storesAt(history, subject, version, () =>
      templateHandlers.getApplicationTemplate({ params, ...empty }, context),
    );
    const was = await past.templates.find(tenant, id);
    if (!was) throw notFound(id, tenant);
    // The secrets are those that the write replaces: a secret that is set meanwhile stays.
    await templates.replace(tenant, id, (now) => {
      const application = withSecrets(was.application, now.application) as Template["application"];
      const after = withoutConfidential({ ...was, application }, customKinds);
      checkTemplate(after, updating(id));
      return after;
    });
    return undefined;
  },
};

/** Settings with the secrets that they have now. */
function withSecrets(was: unknown, now: unknown): unknown {
  if (!isSettings(was) || !isSettings(now)) return was;
  const secrets = Object.entries(now).filter(([name, value]) => typeof value === "string" && SECRET_NAME.test(name));
  const members = Object.entries(was).map(([name, value]) => [name, withSecrets(value, now[name])]);
  return { ...Object.fromEntries(secrets), ...Object.fromEntries(members) };
}
