/** The index of applications held against the applications of a tenant. No writer may be active. */
import { type ApplicationEntry, applicationKind } from "#core/applications/registry/application-rows.ts";
import { recordOf } from "#core/applications/registry/index-rows.ts";
import { completing } from "#core/database/table/applications-index-rows.ts";
import { keys } from "#core/database/table/keys.ts";
import type { Item, Table } from "#core/database/table/table.ts";
import { recordText } from "#core/database/table/value-index/columns.ts";
import { inspectIndex } from "#core/database/table/value-index/inspect.ts";
import type { RunningService } from "#local/service.ts";
import { tableOf } from "./people.ts";
import { allItems } from "./protocols.ts";

/** Writes what a new tenant has for its applications: a complete index, and the count of names that roles show. */
export const foundIndex = (table: Table, tenant: string): Promise<void> =>
  table.write(completing(tenant, true), {
    put: { ...keys.shownNames(tenant), v: 0 },
    when: "any",
    otherwise: () => new Error("The row of a new tenant was not written."),
  });

/** What is wrong with the index of a tenant of a running service, in sentences. */
export const indexProblemsIn = async (service: RunningService, tenant = "carbon.super"): Promise<readonly string[]> => {
  const prefix = keys.application(tenant, "").PK;
  const items = await allItems(service);
  const rows = items.filter(({ PK, application }) => PK.startsWith(prefix) && application !== undefined);
  return applicationIndexProblems(tableOf(service), tenant, rows);
};

/** What is wrong with the index of a tenant, in sentences. `rows`: all rows of its applications. */
export const applicationIndexProblems = async (
  table: Table,
  tenant: string,
  rows: readonly Item[],
): Promise<readonly string[]> => {
  const problems: string[] = [];
  const held: string[] = [];
  for await (const { low, texts, problem } of inspectIndex(table, keys.applicationColumns(tenant))) {
    if (problem) problems.push(`the range at ${JSON.stringify(low)} ${problem}`);
    held.push(...texts);
  }
  const read = rows.map((row) => applicationKind.item.read(row));
  const entries = read.map(({ value, version }): ApplicationEntry => applicationKind.entryOf(value, version));
  const expected = new Set(entries.map((entry) => recordText(recordOf(entry))));
  return [
    ...problems,
    ...held.filter((text) => !expected.delete(text)).map((text) => `the index holds ${JSON.stringify(text)}`),
    ...[...expected].map((text) => `the index lacks ${JSON.stringify(text)}`),
  ];
};
