/** The histories of application templates. */
import { templateOperations } from "../../applications/templates/contract.ts";
import { historyOf } from "./contract-parts.ts";

const template = historyOf(templateOperations.getApplicationTemplate, {
  list: "List the changes of an application template, newest first",
  at: "Read an application template as it was after a change",
});

export const templateHistoryOperations = {
  listApplicationTemplateHistory: template.list,
  getApplicationTemplateVersion: template.at,
} as const;
