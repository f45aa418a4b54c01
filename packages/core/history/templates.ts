/** The handlers of the histories of application templates. */
import { type TemplateStores, templateHandlers } from "../applications/templates/handlers.ts";
import type { Handlers } from "../operation/operation.ts";
import { later } from "../platform/later.ts";
import type { templateHistoryOperations } from "./contract-templates.ts";
import type { Subject } from "./history.ts";
import type { HistorySource } from "./source.ts";

/** The dependencies of these handlers. */
export interface TemplateHistoryStores extends TemplateStores {
  readonly history: HistorySource<TemplateStores>;
}

const [readHistory, storesAt] = later(() => import("./history.ts"), "readHistory", "storesAt");
const empty = { query: undefined, headers: undefined, body: undefined } as const;

export const templateHistoryHandlers: Handlers<typeof templateHistoryOperations, TemplateHistoryStores> = {
  listApplicationTemplateHistory: ({ params, query }, context) =>
    readHistory(context, subject(context.tenant, params.templateId), query, () =>
      templateHandlers.getApplicationTemplate({ params, ...empty }, context),
    ),

  async getApplicationTemplateVersion({ params: { version, ...params } }, context) {
    const read = (stores: TemplateStores) =>
      templateHandlers.getApplicationTemplate({ params, ...empty }, { ...context, ...stores });
    const place = subject(context.tenant, params.templateId);
    return read(await storesAt(context.history, place, version, () => read(context)));
  },
};

function subject(tenant: string, id: string): Subject {
  return { tenant, type: "application-template", id };
}
