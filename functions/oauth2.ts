/**
 * The OAuth endpoints. The only function that signs tokens and, with the authorizer, the only one that reads password
 * hashes.
 */
import { apiResourceStore } from "#core/api-resources/store.ts";
import { clientStore } from "#core/applications/registry/client-store.ts";
import { secretUseStore } from "#core/applications/registry/secret-use-store.ts";
import { applicationStore } from "#core/applications/registry/store.ts";
import { newAuthenticate } from "#core/auth/authenticate.ts";
import { newFreshCache } from "#core/auth/fresh.ts";
import { defaultLockoutPolicy, lockoutStore } from "#core/auth/lockout-store.ts";
import { refusalLog } from "#core/auth/refusals.ts";
import { newChangesOf } from "#core/auth/role-changes.ts";
import { newSignIn } from "#core/auth/sign-in.ts";
import { newResolveUser } from "#core/auth/user-principal.ts";
import { systemScopes } from "#core/domain/system-apis.ts";
import { tenantStore } from "#core/domain/tenant-store.ts";
import { lambda } from "#core/http/lambda.ts";
import { newObserver } from "#core/http/observe.ts";
import { sentRequest } from "#core/http/request.ts";
import { credentialStore } from "#core/identities/credentials/store.ts";
import { roleStore } from "#core/identities/roles/store.ts";
import { newClientAuthenticator } from "#core/oauth/client-authentication.ts";
import { clientLockoutStore } from "#core/oauth/client-lockout-store.ts";
import { newClientProofs } from "#core/oauth/client-proofs.ts";
import type { OAuthTools } from "#core/oauth/context.ts";
import { oauthOperations } from "#core/oauth/contract.ts";
import { exchangeRecord } from "#core/oauth/exchange.ts";
import { oauthHandlers } from "#core/oauth/handlers.ts";
import { oidcScopeStore } from "#core/oidc-scopes/store.ts";
import { newPairwiseSubjects } from "#core/openid/pairwise-store.ts";
import { systemClock } from "#core/platform/clock.ts";
import { accessSection } from "#core/settings/access.ts";
import { oauthSection } from "#core/settings/oauth.ts";
import { scim2Section } from "#core/settings/scim2.ts";
import { sectionsFromFile } from "#core/settings/section.ts";
import { userStoreSection } from "#core/settings/user-stores.ts";
import { answerOperations } from "#core/sign-in/contract-answers.ts";
import { pushedOperations } from "#core/sign-in/contract-pushed.ts";
import { type AnswerStores, answerHandlers } from "#core/sign-in/front-answer.ts";
import { faultPage } from "#core/sign-in/pages/fault-page.ts";
import { type PushedStores, pushedHandlers } from "#core/sign-in/pushed-request.ts";
import { openTable } from "#core/table/dynamo.ts";
import { newIdTokenKeys } from "#core/tokens/id-token-keys.ts";
import { newSigningKeys } from "#core/tokens/key-cache.ts";
import { newTokenReader } from "#core/tokens/reader.ts";
import { familyStore } from "#core/tokens/refresh-family-store.ts";
import { newRevocationCache } from "#core/tokens/validity.ts";
import { baseUrl, deploymentFile, mtlsUrl, sealingKeys, tableConfig } from "./env.ts";
import { openKeySets } from "./key-sets.ts";
import { openProofs } from "./proofs.ts";
import { eventSigningSealOf, seal as sealOf } from "./seals.ts";
import { openUserStores } from "./user-stores.ts";

const open = openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 }));
const deployment = sectionsFromFile(deploymentFile(), [oauthSection, scim2Section, userStoreSection, accessSection]);
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
  orders: eventSigningSealOf(sealingKeys()),
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
  stores: ({ meter, event }) => {
    const table = open(meter);
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
      lockouts: lockoutStore(table, defaultLockoutPolicy),
      apiResources: apiResourceStore(table),
      applications: applicationStore(table),
      oidcScopes: oidcScopeStore(table),
      families: familyStore(table),
    };
  },
});
