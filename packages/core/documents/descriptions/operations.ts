/**
 * What each operation does, does not do and causes, for readers of the document. Only the generator of the document
 * imports it: functions do not carry these texts.
 */
import { administrationDescriptions } from "./administration.ts";
import { applicationDescriptions } from "./applications.ts";
import { historyDescriptions } from "./histories.ts";
import { peopleDescriptions } from "./people.ts";
import { serviceDescriptions } from "./service.ts";

/** The descriptions of all operations, by their ids. */
export const operationDescriptions: Readonly<Record<string, string>> = {
  ...applicationDescriptions,
  ...administrationDescriptions,
  ...peopleDescriptions,
  ...serviceDescriptions,
  ...historyDescriptions,
};
