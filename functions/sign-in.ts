/**
 * Where people sign in: the authorization endpoint, its pages, and claims about users. With the authorizer and the
 * token endpoint the only function that verifies passwords; the only one that reads sessions and secrets of one-time
 * codes. It signs nothing.
 */
import { apiResourceStore } from "#core/api-resources/store.ts";
import { clientStore } from "#core/applications/registry/client-store.ts";
import { applicationStore } from "#core/applications/registry/store.ts";
import { defaultLockoutPolicy, lockoutStore } from "#core/auth/lockout-store.ts";
import { refusalLog } from "#core/auth/refusals.ts";
import { newSignIn } from "#core/auth/sign-in.ts";
import { recordedTables } from "#core/changes/open.ts";
import { tenantStore } from "#core/domain/tenant-store.ts";
import { lambda } from "#core/http/lambda.ts";
import { newObserver } from "#core/http/observe.ts";
import { sentRequest } from "#core/http/request.ts";
import { credentialStore } from "#core/identities/credentials/store.ts";
import { roleStore } from "#core/identities/roles/store.ts";
import { oidcScopeStore } from "#core/oidc-scopes/store.ts";
import { newPairwiseSubjects } from "#core/openid/pairwise-store.ts";
import { systemClock } from "#core/platform/clock.ts";
import { changesSection } from "#core/settings/changes.ts";
import { indexSection } from "#core/settings/indexes.ts";
import { oauthSection } from "#core/settings/oauth.ts";
import { scim2Section } from "#core/settings/scim2.ts";
import { sectionsFromFile } from "#core/settings/section.ts";
import { signInSection } from "#core/settings/sign-in.ts";
import { userStoreSection } from "#core/settings/user-stores.ts";
import type { SignInTools } from "#core/sign-in/context.ts";
import { signInOperations } from "#core/sign-in/contract.ts";
import { signInHandlers } from "#core/sign-in/handlers.ts";
import { faultPage } from "#core/sign-in/pages/fault-page.ts";
import { readSector } from "#core/sign-in/sectors.ts";
import { openTable } from "#core/table/dynamo.ts";
import { newTokenReader } from "#core/tokens/reader.ts";
import { newRemoteDocuments } from "#core/tokens/remote-documents.ts";
import { newRevocationCache } from "#core/tokens/validity.ts";
import { baseUrl, deploymentFile, tableConfig } from "./env.ts";
import { openAddresses, openKeySets } from "./key-sets.ts";
import { openProofs } from "./proofs.ts";
import { factorSeal, formSeal } from "./seals.ts";
import { openUserStores } from "./user-stores.ts";

const open = openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 }));
const deployment = sectionsFromFile(deploymentFile(), [
  changesSection,
  indexSection,
  oauthSection,
  scim2Section,
  signInSection,
  userStoreSection,
]);
const openRecorded = recordedTables(open, deployment.changes);
const { userStoresOf, usersIn, groupsIn } = await openUserStores("sign-in", deployment, false);
const observer = newObserver("sign-in");
const origin = baseUrl();

const tools: SignInTools = {
  settings: deployment.signIn,
  limits: deployment.clients,
  signIn: newSignIn(systemClock),
  seal: formSeal(),
  factorSeal: factorSeal(),
  reader: newTokenReader(userStoresOf, newRevocationCache(observer.damagedRow)),
  pairwise: newPairwiseSubjects(),
  sectors: newRemoteDocuments(openAddresses(), systemClock, readSector),
  proofs: openProofs(),
  keySets: openKeySets(),
  refusals: (attempt) => refusalLog(observer, attempt),
};

export const operations = signInOperations;

export const handler = lambda({
  service: "sign-in",
  operations,
  handlers: signInHandlers,
  faultPage,
  baseUrl: origin,
  stores: ({ meter, event, caused }) => {
    const table = open(meter);
    return {
      identitiesAs: (principal) => {
        const caller = { ...caused.caller, principal, signIn: "password" } as const;
        const recorded = openRecorded({ meter, caused: { ...caused, caller } });
        return {
          users: usersIn(recorded),
          groups: groupsIn(recorded),
          roles: roleStore(recorded),
          tenants: tenantStore(recorded),
          userStores: userStoresOf(principal.tenant),
        };
      },
      table,
      tools,
      sent: sentRequest(event, origin),
      cookies: event.cookies ?? [],
      clients: clientStore(table),
      applications: applicationStore(table),
      oidcScopes: oidcScopeStore(table),
      apiResources: apiResourceStore(table),
      tenants: tenantStore(table),
      users: usersIn(table),
      groups: groupsIn(table),
      roles: roleStore(table),
      credentials: credentialStore(table),
      lockouts: lockoutStore(table, defaultLockoutPolicy),
    };
  },
});
