/**
 * How the templates of a tenant are kept: one item each, and an entry per name, which is the claim of the name and the row
 * of the list. An application inside a template is kept as JSON text: it holds numbers and names that a database would
 * have opinions about. Starter templates are not here: they are part of the code (starter.ts).
 */
import { keys } from "../../table/keys.ts";
import { stale, whileStale } from "../../table/stale.ts";
import { type Item, LAST, type Step, type Table } from "../../table/table.ts";
import type { Template, TemplateFields, TemplateSummary } from "./model.ts";
import { nameTaken, notFound, updating } from "./rules.ts";

/** Entries of one round trip. Past 1 MB DynamoDB ends the page by itself. */
const ENTRIES_PER_PAGE = 10_000;
/** Behind any name of 255 UTF-16 units, of which the greatest code point takes two. */
const BEHIND_ALL_NAMES = LAST.repeat(128);
const FIRST_VERSION = 1;

/** The templates of all tenants; every method takes the tenant that the credential named. */
export interface TemplateStore {
  /** One round trip. */
  find(tenant: string, id: string): Promise<Template | undefined>;
  /** The id of the template with that name. One round trip. */
  idOf(tenant: string, name: string): Promise<string | undefined>;
  /** All templates without their applications, in the order of their names' UTF-8 bytes. */
  summaries(tenant: string): Promise<TemplateSummary[]>;
  /** Keeps a new template. Throws `template.name_taken`. One round trip. */
  add(tenant: string, template: Template): Promise<void>;
  /** Replaces a template. Throws `template.not_found` and `template.name_taken`. Two round trips. */
  replace(tenant: string, id: string, fields: TemplateFields): Promise<void>;
  /** Removes a template and frees its name. Throws `template.not_found`. Two round trips. */
  remove(tenant: string, id: string): Promise<void>;
}

/** The items of a new template, for a loader into an empty table. */
export function templateItems(tenant: string, template: Template): Item[] {
  return [entryItem(tenant, template, FIRST_VERSION), itemOf(tenant, template, FIRST_VERSION)];
}

/** Opens the store on the table of one request. */
export function templateStore(table: Table): TemplateStore {
  return {
    async find(tenant, id) {
      const item = await table.get(keys.template(tenant, id));
      return item && toTemplate(item);
    },

    async idOf(tenant, name) {
      const entry = await table.get(keys.templateEntry(tenant, name));
      return entry?.id as string | undefined;
    },

    async summaries(tenant) {
      const range = { PK: keys.templateEntries(tenant), to: BEHIND_ALL_NAMES, limit: ENTRIES_PER_PAGE };
      const entries = await table.queryAll(range);
      // A range read that meets a rename half done may see both names of one template: the newer one counts.
      const newest = new Map<unknown, number>();
      for (const { id, ver } of entries) newest.set(id, Math.max(ver as number, newest.get(id) ?? 0));
      return entries.filter(({ id, ver }) => newest.get(id) === ver).map(toSummary);
    },

    add: (tenant, template) =>
      table.write(
        {
          put: entryItem(tenant, template, FIRST_VERSION),
          when: "absent",
          // The id is new, so an entry that has it already was written by this very call.
          otherwise: (found) => (found?.id === template.id ? "applied" : nameTaken(template.name)),
        },
        { put: itemOf(tenant, template, FIRST_VERSION), when: "absent", otherwise: stale },
      ),

    replace: (tenant, id, fields) =>
      whileStale(async () => {
        const found = await table.get(keys.template(tenant, id));
        if (!found) throw notFound(id, tenant);
        const before = { name: toSummary(found).name, ver: found.ver as number };
        const after = { ...fields, id };
        const put = entryItem(tenant, after, before.ver + 1);
        const itsOwn = { equal: { id, ver: before.ver } };
        const entrySteps: Step[] =
          after.name === before.name
            ? [{ put, when: itsOwn, otherwise: stale }]
            : [
                // Its own entry there is another rename of the same template.
                {
                  put,
                  when: "absent",
                  otherwise: (there) => (there?.id === id ? stale() : nameTaken(after.name, updating(id))),
                },
                { remove: keys.templateEntry(tenant, before.name), when: itsOwn, otherwise: stale },
              ];
        const when = { equal: { ver: before.ver } };
        await table.write(...entrySteps, { put: itemOf(tenant, after, before.ver + 1), when, otherwise: stale });
      }),

    remove: (tenant, id) =>
      whileStale(async () => {
        const found = await table.get(keys.template(tenant, id));
        if (!found) throw notFound(id, tenant);
        const ver = found.ver as number;
        const entry = keys.templateEntry(tenant, toSummary(found).name);
        await table.write(
          { remove: keys.template(tenant, id), when: { equal: { ver } }, otherwise: stale },
          { remove: entry, when: { equal: { id, ver } }, otherwise: stale },
        );
      }),
  };
}

function toTemplate(item: Item): Template {
  return {
    ...toSummary(item),
    application: JSON.parse(item.application as string) as Template["application"],
  };
}

function toSummary(item: Item): TemplateSummary {
  return item.summary as unknown as TemplateSummary;
}

function entryItem(tenant: string, template: Template, ver: number): Item {
  return {
    ...keys.templateEntry(tenant, template.name),
    id: template.id,
    ver,
    summary: summaryOf(template) as unknown as Item["summary"],
  };
}

function itemOf(tenant: string, template: Template, ver: number): Item {
  return {
    ...keys.template(tenant, template.id),
    ver,
    // Plain values; `undefined` members are not stored.
    summary: summaryOf(template) as unknown as Item["summary"],
    application: JSON.stringify(template.application),
  };
}

function summaryOf({ application: _, ...summary }: Template): TemplateSummary {
  return summary;
}
