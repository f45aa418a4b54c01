/**
 * The pages of the own account. The session of the browser opens them. It reads no password and no secret of one-time
 * codes: what needs those, the function of sign-in does.
 */
import { oidcScopeStore } from "#core/applications/oidc-scopes/store.ts";
import { applicationStore } from "#core/applications/registry/store.ts";
import { recordedTables } from "#core/database/changes/open.ts";
import { openTable } from "#core/database/table/dynamo.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { lambda } from "#core/http/lambda.ts";
import { later } from "#core/kernel/later.ts";
import { accountSection } from "#core/service/settings/account.ts";
import { changesSection } from "#core/service/settings/changes.ts";
import { emailSection } from "#core/service/settings/email.ts";
import { indexSection } from "#core/service/settings/indexes.ts";
import { oauthSection } from "#core/service/settings/oauth.ts";
import { passwordSection } from "#core/service/settings/password.ts";
import { scim2Section } from "#core/service/settings/scim2.ts";
import { sectionsFromFile } from "#core/service/settings/section.ts";
import { signInSection } from "#core/service/settings/sign-in.ts";
import { userStoreSection } from "#core/service/settings/user-stores.ts";
import type { AccountStores } from "#core/sign-in/account/context.ts";
import { accountOperations } from "#core/sign-in/account/contract.ts";
import { accountHandlers } from "#core/sign-in/account/handlers.ts";
import { baseUrl, deploymentFile, tableConfig } from "./env.ts";
import { sendsMails } from "./mails.ts";
import { openUserStores } from "./user-stores.ts";

const deployment = sectionsFromFile(deploymentFile(), [
  accountSection,
  changesSection,
  emailSection,
  indexSection,
  oauthSection,
  passwordSection,
  scim2Section,
  signInSection,
  userStoreSection,
]);
const recordedBy = recordedTables(deployment.changes);
const { userStoresOf, usersIn, groupsIn } = await openUserStores("account", deployment);
const { faultPage } = later(() => import("#core/sign-in/account/page.ts"), "faultPage");
const { deletedDays } = deployment.changes;

const tools: AccountStores["tools"] = {
  settings: deployment.signIn,
  limits: deployment.clients,
  canDelete: deployment.canDeleteAccount,
  deletedDays,
};

export const operations = accountOperations;

export const handler = lambda<typeof operations, AccountStores>({
  service: "account",
  operations,
  handlers: accountHandlers,
  faultPage,
  baseUrl: baseUrl(),
  table: openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 })),
  stores: (table, { event, caused }) => ({
    as: (principal) => {
      const recorded = recordedBy(table, { ...caused, caller: { ...caused.caller, principal, signIn: "password" } });
      return {
        table: recorded,
        users: usersIn(recorded),
        groups: groupsIn(recorded),
        roles: roleStore(recorded, deletedDays),
        tenants: tenantStore(recorded),
        userStores: userStoresOf(principal.tenant),
        passwords: deployment.passwords,
        sendsMail: sendsMails(deployment),
      };
    },
    table,
    tools,
    cookies: event.cookies ?? [],
    applications: applicationStore(table),
    oidcScopes: oidcScopeStore(table),
    tenants: tenantStore(table),
    users: usersIn(table),
    groups: groupsIn(table),
    roles: roleStore(table),
  }),
});
