/** Creates the first tenant with its administrator. A deployment invokes it; the gateway does not reach it. */
import { foundingTables } from "#core/changes/open.ts";
import { declaredIndexes } from "#core/identities/users/declared-indexes.ts";
import { changesSection } from "#core/settings/changes.ts";
import { indexSection } from "#core/settings/indexes.ts";
import { sectionsFromFile } from "#core/settings/section.ts";
import { openTable } from "#core/table/dynamo.ts";
import { newTenantBootstrapper } from "#core/tenants/bootstrapper.ts";
import { deploymentFile, tableConfig } from "./env.ts";

const { changes, indexes } = sectionsFromFile(deploymentFile(), [changesSection, indexSection]);
const open = openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 }));

export const handler = newTenantBootstrapper(foundingTables(open, changes), declaredIndexes(indexes));
