/** Sessions of users in browsers, and what users have agreed to. */
import { applicationStore } from "#core/applications/registry/store.ts";
import { recordedTables } from "#core/changes/open.ts";
import { changing } from "#core/http/changing.ts";
import { lambda } from "#core/http/lambda.ts";
import { sessionOperations } from "#core/sessions/contract.ts";
import { type SessionStores, sessionHandlers } from "#core/sessions/handlers.ts";
import { apiSection } from "#core/settings/api.ts";
import { changesSection } from "#core/settings/changes.ts";
import { oauthSection } from "#core/settings/oauth.ts";
import { scim2Section } from "#core/settings/scim2.ts";
import { sectionsFromFile } from "#core/settings/section.ts";
import { signInSection } from "#core/settings/sign-in.ts";
import { userStoreSection } from "#core/settings/user-stores.ts";
import { openTable } from "#core/table/dynamo.ts";
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
const open = recordedTables(openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 })), deployment.changes);
const { usersIn } = await openUserStores("sessions", deployment);

export const operations = sessionOperations;

export const handler = lambda<typeof operations, SessionStores>({
  service: "sessions",
  changing,
  operations,
  handlers: sessionHandlers,
  baseUrl: baseUrl(),
  ...deployment.api,
  stores: (served) => {
    const table = open(served);
    return {
      table,
      users: usersIn(table),
      applications: applicationStore(table),
      sessionLimits: deployment.signIn.sessions,
      tokenLimits: deployment.clients,
    };
  },
});
