/** Forgotten passwords and user names. It sets passwords and reads none, and sends no mail itself: it queues them. */
import { recordedTables } from "#core/database/changes/open.ts";
import { openTable } from "#core/database/table/dynamo.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { changing } from "#core/http/changing.ts";
import { lambda } from "#core/http/lambda.ts";
import { later } from "#core/kernel/later.ts";
import { apiSection } from "#core/service/settings/api.ts";
import { changesSection } from "#core/service/settings/changes.ts";
import { emailSection } from "#core/service/settings/email.ts";
import { indexSection } from "#core/service/settings/indexes.ts";
import { passwordSection } from "#core/service/settings/password.ts";
import { registrationSection } from "#core/service/settings/registration.ts";
import { scim2Section } from "#core/service/settings/scim2.ts";
import { sectionsFromFile } from "#core/service/settings/section.ts";
import { signInSection } from "#core/service/settings/sign-in.ts";
import { userNameSection } from "#core/service/settings/user-names.ts";
import { userStoreSection } from "#core/service/settings/user-stores.ts";
import type { RecoveryStores, RecoveryTools } from "#core/sign-in/recovery/context.ts";
import { accountRecoveryOperations } from "#core/sign-in/recovery/contract.ts";
import { accountRecoveryHandlers } from "#core/sign-in/recovery/handlers.ts";
import { baseUrl, deploymentFile, tableConfig } from "./env.ts";
import { sendsMails } from "./mails.ts";
import { formSeal } from "./seals.ts";
import { openUserStores } from "./user-stores.ts";

const deployment = sectionsFromFile(deploymentFile(), [
  apiSection,
  changesSection,
  emailSection,
  indexSection,
  passwordSection,
  registrationSection,
  scim2Section,
  signInSection,
  userNameSection,
  userStoreSection,
]);
const recordedBy = recordedTables(deployment.changes);
// Passwords of directories are recovered there. Who registers an address must not be one of their users.
const userStores = deployment.userStores.filter(({ directory }) => directory === undefined);
const ofTable = { ...deployment, userStores };
const { userStoresOf, usersIn, groupsIn } = await openUserStores("account-recovery", ofTable, false);
const all = await openUserStores("account-recovery", deployment, false);

const tools: RecoveryTools = {
  sendsMail: sendsMails(deployment),
  limits: deployment.mail.limits,
  passwords: deployment.passwords,
  brandOf: deployment.signIn.brandOf,
  registrationOf: deployment.registrationOf,
  seal: formSeal(),
};
const { faultPage } = later(() => import("#core/sign-in/pages/fault-page.ts"), "faultPage");

export const operations = accountRecoveryOperations;

export const handler = lambda<typeof operations, RecoveryStores>({
  service: "account-recovery",
  changing,
  operations,
  handlers: accountRecoveryHandlers,
  faultPage,
  baseUrl: baseUrl(),
  ...deployment.api,
  table: openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 })),
  stores: (table, { caused }) => ({
    table,
    tools,
    users: { ...usersIn(table), elsewhere: all.usersIn(table).elsewhere },
    tenants: tenantStore(table),
    identitiesAs: (principal) => {
      const recorded = recordedBy(table, { ...caused, caller: { ...caused.caller, principal } });
      return {
        users: usersIn(recorded),
        groups: groupsIn(recorded),
        roles: roleStore(recorded),
        tenants: tenantStore(recorded),
        userStores: userStoresOf(principal.tenant),
        nameRules: deployment.nameRules,
        passwords: deployment.passwords,
        sendsMail: sendsMails(deployment),
      };
    },
  }),
});
