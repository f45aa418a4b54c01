/** Creates the first tenant with its administrator. A deployment invokes it; the gateway does not reach it. */
import { foundingTables } from "#core/database/changes/open.ts";
import { openTable } from "#core/database/table/dynamo.ts";
import { newTenantBootstrapper } from "#core/directory/tenants/bootstrapper.ts";
import { declaredIndexes } from "#core/directory/users/declared-indexes.ts";
import { changesSection } from "#core/service/settings/changes.ts";
import { indexSection } from "#core/service/settings/indexes.ts";
import { passwordSection } from "#core/service/settings/password.ts";
import { sectionsFromFile } from "#core/service/settings/section.ts";
import { userNameSection } from "#core/service/settings/user-names.ts";
import { deploymentFile, tableConfig } from "./env.ts";

const { changes, indexes, nameRules, passwords } = sectionsFromFile(deploymentFile(), [
  changesSection,
  indexSection,
  passwordSection,
  userNameSection,
]);
const open = openTable(tableConfig({ callMs: 9_000, requestMs: 25_000, throttling: "awaited" }));

export const handler = newTenantBootstrapper(
  foundingTables(open, changes),
  passwords,
  declaredIndexes(indexes),
  nameRules,
);
