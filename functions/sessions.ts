/** Sessions of users in browsers, what users have agreed to, and the applications that they can open. */
import { applicationStore } from "#core/applications/registry/store.ts";
import { recordedTables } from "#core/database/changes/open.ts";
import { openTable } from "#core/database/table/dynamo.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { changing } from "#core/http/changing.ts";
import { lambda } from "#core/http/lambda.ts";
import { apiSection } from "#core/service/settings/api.ts";
import { changesSection } from "#core/service/settings/changes.ts";
import { oauthSection } from "#core/service/settings/oauth.ts";
import { scim2Section } from "#core/service/settings/scim2.ts";
import { sectionsFromFile } from "#core/service/settings/section.ts";
import { signInSection } from "#core/service/settings/sign-in.ts";
import { userStoreSection } from "#core/service/settings/user-stores.ts";
import type { PortalStores } from "#core/sign-in/portal/applications.ts";
import { portalOperations } from "#core/sign-in/portal/contract.ts";
import { portalHandlers } from "#core/sign-in/portal/handlers.ts";
import { sessionOperations } from "#core/sign-in/sessions/contract.ts";
import { type SessionStores, sessionHandlers } from "#core/sign-in/sessions/handlers.ts";
import { baseUrl, deploymentFile, tableConfig } from "./env.ts";
import { openUserStores } from "./user-stores.ts";

const deployment = sectionsFromFile(deploymentFile(), [
  apiSection,
  changesSection,
  oauthSection,
  scim2Section,
  signInSection,
  userStoreSection,
]);
const recorded = recordedTables(deployment.changes);
const { usersIn, groupsIn } = await openUserStores("sessions", deployment);

export const operations = { ...sessionOperations, ...portalOperations };

export const handler = lambda<typeof operations, SessionStores & PortalStores>({
  service: "sessions",
  changing,
  operations,
  handlers: { ...sessionHandlers, ...portalHandlers },
  baseUrl: baseUrl(),
  ...deployment.api,
  table: openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 })),
  stores: (plain, served) => {
    const table = recorded(plain, served.caused);
    return {
      table,
      users: usersIn(table),
      groups: groupsIn(table),
      roles: roleStore(table),
      applications: applicationStore(table),
      sessionLimits: deployment.signIn.sessions,
      tokenLimits: deployment.clients,
    };
  },
});
