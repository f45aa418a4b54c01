/** The handlers of the histories of application templates. */
import { type TemplateStores, templateHandlers } from "../../applications/templates/handlers.ts";
import type { RequestContext } from "../../kernel/operation/context.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import type { templateHistoryOperations } from "./contract-templates.ts";
import { empty, historyHandlers } from "./reading.ts";
import type { WithHistory } from "./source.ts";

/** The dependencies of these handlers. */
export type TemplateHistoryStores = WithHistory<TemplateStores>;

const template = historyHandlers(
  "application-template",
  ({ templateId }) => templateId,
  (params: { readonly templateId: string }, context: RequestContext & TemplateStores) =>
    templateHandlers.getApplicationTemplate({ params, ...empty }, context),
);

export const templateHistoryHandlers: Handlers<typeof templateHistoryOperations, TemplateHistoryStores> = {
  listApplicationTemplateHistory: template.list,
  getApplicationTemplateVersion: template.at,
};
