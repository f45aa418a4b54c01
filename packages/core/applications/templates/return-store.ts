/** Restores deleted application templates (decision 0084). */
import { type Aside, itemOf, takingBack } from "../../aside/aside-rows.ts";
import { namedItems } from "../../table/named-items.ts";
import type { Table } from "../../table/table.ts";
import { checkTemplate, nameTaken } from "./rules.ts";
import { templateKind } from "./store.ts";

/** How a template is restored. */
interface Again {
  readonly tenant: string;
  readonly aside: Aside;
  /** Another name than it had. */
  readonly name: string | undefined;
  readonly absent: () => Error;
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
