/**
 * How the templates of a tenant are stored: as named items (table/named-items.ts). The application inside a template is
 * stored as JSON text, because it has numbers and member names that the database would change or refuse. Starter
 * templates are part of the code (starter.ts).
 */
import { keys } from "../../database/table/keys.ts";
import {
  type NamedEntry,
  type NamedKind,
  namedItems,
  namedRows,
  type Versioned,
  version,
} from "../../database/table/named-items.ts";
import { type Field, json, list, number, oneOf, optional, record, rowCodec, text } from "../../database/table/row.ts";
import { whileStale } from "../../database/table/stale.ts";
import type { Item, Table } from "../../database/table/table.ts";
import { type Aside, itemOf, type Kept, puttingAside, takingBack } from "../../database/trash/aside-rows.ts";
import { systemClock } from "../../kernel/clock.ts";
import { isSettings, type Template, type TemplateFields, type TemplateSummary } from "./model.ts";
import { checkTemplate, nameTaken, notFound, updating } from "./rules.ts";

/** How a template is restored. */
interface Again {
  readonly tenant: string;
  readonly aside: Aside;
  /** Another name than it had. */
  readonly name: string | undefined;
  readonly absent: () => Error;
}

/** The templates of all tenants; every method takes the tenant that the credential named. */
export type TemplateStore = ReturnType<typeof templateStore>;

interface TemplateEntry extends NamedEntry {
  readonly summary: TemplateSummary;
}

const summary = record<TemplateSummary>({
  id: text,
  name: text,
  description: optional(text),
  image: optional(text),
  authenticationProtocol: optional(text),
  types: optional(list(text) as Field<string[]>),
  category: optional(oneOf("DEFAULT", "VENDOR")),
  templateGroup: optional(text),
  displayOrder: optional(number),
});

const row = rowCodec<{ version: number; summary: TemplateSummary; application: Template["application"] }>("template", {
  version,
  summary,
  application: json("an application with a name", isApplication),
});

/** How templates are stored as named items. */
export const templateKind: NamedKind<Template, TemplateEntry> = {
  item: {
    read(item): Versioned<Template> {
      const { version, summary, application } = row.read(item);
      return { version, value: { ...summary, application } };
    },
    write: ({ version, value: { application, ...summary } }) => row.write({ version, summary, application }),
  },
  entry: rowCodec<TemplateEntry>("template entry", { id: text, version, summary }),
  itemKey: keys.template,
  entryKey: keys.templateEntry,
  entries: keys.templateEntries,
  nameOf: ({ name }) => name,
  entryOf: ({ application: _, ...summary }, version) => ({ id: summary.id, version, summary }),
  owner: (id) => ({ id }),
};

/** The rows of a new template, for a loader into an empty table. */
export function templateItems(tenant: string, template: Template): Item[] {
  return namedRows(templateKind, tenant, template);
}

/** Opens the store on the table of one request. Deleted templates are put aside for `deletedDays`. */
export function templateStore(table: Table, deletedDays = 0) {
  const items = namedItems(table, templateKind);
  return {
    /** One round trip. */
    find: async (tenant: string, id: string) => (await items.find(tenant, id))?.value,

    /** The id of the template with that name. One round trip. */
    idOf: async (tenant: string, name: string) => (await items.entry(tenant, name))?.id,

    /** All templates without their applications, in the order of their names' UTF-8 bytes. */
    summaries: async (tenant: string) => (await items.entries(tenant)).map((entry) => entry.summary),

    /** Stores a new template. Throws `template.name_taken`. One round trip. */
    add: (tenant: string, template: Template): Promise<void> =>
      items.add(tenant, template, () => nameTaken(template.name)),

    /**
     * Replaces a template by what `fieldsOf` makes of the current one: called again after each conflict. Throws
     * `template.not_found`, `template.name_taken`, and what `fieldsOf` throws. Two round trips.
     */
    replace: (tenant: string, id: string, fieldsOf: (now: Template) => TemplateFields): Promise<void> =>
      items.update(tenant, id, {
        change: (now) => ({ ...fieldsOf(now), id }),
        absent: () => notFound(id, tenant),
        taken: ({ name }) => nameTaken(name, updating(id)),
      }),

    /** Removes a template and frees its name. Throws `template.not_found`. Two round trips. */
    remove: (tenant: string, id: string): Promise<void> =>
      whileStale(async () => {
        const before = await items.find(tenant, id);
        if (!before) throw notFound(id, tenant);
        const kept: Kept = {
          type: "application-template",
          id,
          name: before.value.name,
          item: templateKind.item.write(before),
        };
        await table.write(
          ...items.removing(tenant, id, before),
          ...puttingAside(tenant, kept, systemClock.now(), deletedDays),
        );
      }),
  };
}

/**
 * Restores a deleted template, and returns its name. Throws `template.name_taken`, what `checkTemplate` throws, and the
 * error of `absent` where it is restored already. One round trip.
 */
export async function returnTemplate(table: Table, { tenant, aside, name, absent }: Again): Promise<string> {
  const { value, version } = templateKind.item.read(itemOf(aside, aside.item));
  const template = { ...value, ...(name !== undefined && { name }) };
  checkTemplate(template);
  const taken = () => nameTaken(template.name);
  await table.write(
    ...takingBack(tenant, aside, undefined, absent),
    ...namedItems(table, templateKind).returning(tenant, { value: template, version }, taken),
  );
  return template.name;
}

function isApplication(parsed: unknown): parsed is Template["application"] {
  return isSettings(parsed) && typeof parsed.name === "string";
}
