/**
 * The OAuth endpoints. The only function that signs tokens and, with the authorizer, the only one that reads password
 * hashes.
 */
import { apiResourceStore } from "#core/applications/apis/store.ts";
import { oidcScopeStore } from "#core/applications/oidc-scopes/store.ts";
import { clientStore } from "#core/applications/registry/client-store.ts";
import { secretUseStore } from "#core/applications/registry/secret-use-store.ts";
import { applicationStore } from "#core/applications/registry/store.ts";
import { openTable } from "#core/database/table/dynamo.ts";
import { credentialStore } from "#core/directory/credentials/store.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { lambda } from "#core/http/lambda.ts";
import { newObserver } from "#core/http/observe.ts";
import { sentRequest } from "#core/http/request.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { systemScopes } from "#core/kernel/domain/system-apis.ts";
import { accessSection } from "#core/service/settings/access.ts";
import { oauthSection } from "#core/service/settings/oauth.ts";
import { passwordSection } from "#core/service/settings/password.ts";
import { scim2Section } from "#core/service/settings/scim2.ts";
import { sectionsFromFile } from "#core/service/settings/section.ts";
import { signInSection } from "#core/service/settings/sign-in.ts";
import { userStoreSection } from "#core/service/settings/user-stores.ts";
import { newAuthenticate } from "#core/sign-in/authentication/authenticate.ts";
import { newFreshCache } from "#core/sign-in/authentication/fresh.ts";
import { defaultLockoutPolicy, lockoutStore } from "#core/sign-in/authentication/lockout-store.ts";
import { refusalLog } from "#core/sign-in/authentication/refusals.ts";
import { newChangesOf } from "#core/sign-in/authentication/role-changes.ts";
import { newSignIn } from "#core/sign-in/authentication/sign-in.ts";
import { newTokenReader } from "#core/sign-in/authentication/token-reader.ts";
import { newRevocationCache } from "#core/sign-in/authentication/token-validity.ts";
import { newResolveUser } from "#core/sign-in/authentication/user-principal.ts";
import { answerOperations } from "#core/sign-in/flow/contract-answers.ts";
import { pushedOperations } from "#core/sign-in/flow/contract-pushed.ts";
import { type AnswerStores, answerHandlers } from "#core/sign-in/flow/front-answer.ts";
import { type PushedStores, pushedHandlers } from "#core/sign-in/flow/pushed-request.ts";
import { newClientAuthenticator } from "#core/sign-in/oauth/client-authentication.ts";
import { clientLockoutStore } from "#core/sign-in/oauth/client-lockout-store.ts";
import { newClientProofs } from "#core/sign-in/oauth/client-proofs.ts";
import type { OAuthTools } from "#core/sign-in/oauth/context.ts";
import { oauthOperations } from "#core/sign-in/oauth/contract.ts";
import { exchangeRecord } from "#core/sign-in/oauth/exchange.ts";
import { oauthHandlers } from "#core/sign-in/oauth/handlers.ts";
import { newPairwiseSubjects } from "#core/sign-in/openid/pairwise-store.ts";
import { faultPage } from "#core/sign-in/pages/fault-page.ts";
import { newIdTokenKeys } from "#core/tokens/id-token-keys.ts";
import { newSigningKeys } from "#core/tokens/key-cache.ts";
import { familyStore } from "#core/tokens/refresh-family-store.ts";
import { baseUrl, deploymentFile, mtlsUrl, sealingKeys, tableConfig } from "./env.ts";
import { openKeySets } from "./key-sets.ts";
import { openProofs } from "./proofs.ts";
import { logoutSealOf, seal as sealOf } from "./seals.ts";
import { openUserStores } from "./user-stores.ts";

const deployment = sectionsFromFile(deploymentFile(), [
  oauthSection,
  passwordSection,
  scim2Section,
  userStoreSection,
  accessSection,
  signInSection,
]);
const lockouts = { ...defaultLockoutPolicy, names: deployment.sourceNames };
const { userStoresOf, usersIn, groupsIn } = await openUserStores("oauth2", deployment);
const limits = deployment.clients;
const origin = baseUrl();
const seal = sealOf();
const observer = newObserver("oauth2");

const keySets = openKeySets();

const revocations = newRevocationCache(observer.damagedRow);

const signing = newSigningKeys(seal, { onRead: observer.signingKey, lifeSecondsMax: limits.accessTokenSecondsMax });

const tools: OAuthTools = {
  signIn: newSignIn(systemClock),
  identifiers: deployment.signIn.identifiers,
  authenticate: newAuthenticate(
    systemClock,
    systemScopes,
    newResolveUser(systemClock, systemScopes),
    newChangesOf(revocations, systemClock),
  ),
  clientAuthenticator: newClientAuthenticator(seal, newClientProofs(keySets, deployment.access.certificates)),
  notedUses: newFreshCache(systemClock),
  limits,
  mtlsUrl: mtlsUrl(),
  signing,
  idTokens: newIdTokenKeys(seal, signing),
  pairwise: newPairwiseSubjects(),
  encryptionKeySets: openKeySets("enc"),
  orders: logoutSealOf(sealingKeys()),
  reader: newTokenReader(userStoresOf, revocations),
  proofs: openProofs(),
  refusals: (attempt) => refusalLog(observer, attempt),
  onExchanged: (traceId, sourceIp, token) => observer.exchanged({ traceId, sourceIp, ...exchangeRecord(token) }),
};

export const operations = { ...oauthOperations, ...pushedOperations, ...answerOperations };

export const handler = lambda<typeof operations, PushedStores & AnswerStores>({
  service: "oauth2",
  operations,
  handlers: { ...oauthHandlers, ...pushedHandlers, ...answerHandlers },
  faultPage,
  baseUrl: origin,
  table: openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 })),
  stores: (table, { event }) => {
    return {
      table,
      tools,
      sent: sentRequest(event, origin),
      cookies: event.cookies ?? [],
      keySets,
      clients: clientStore(table),
      clientLockouts: clientLockoutStore(table),
      secretUses: secretUseStore(table),
      tenants: tenantStore(table),
      users: usersIn(table),
      roles: roleStore(table),
      groups: groupsIn(table),
      credentials: credentialStore(table),
      lockouts: lockoutStore(table, lockouts),
      apiResources: apiResourceStore(table),
      applications: applicationStore(table),
      oidcScopes: oidcScopeStore(table),
      families: familyStore(table),
    };
  },
});
