/**
 * Single sign-on by SAML 2.0, WS-Federation and CAS: reads requests of applications, signs assertions, and issues and
 * validates tickets. It asks no person: the function of sign-in does, and sends the browser back. It reads no password,
 * and its keys sign no token.
 */
import { applicationStore } from "#core/applications/registry/store.ts";
import { openTable } from "#core/database/table/dynamo.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { lambda } from "#core/http/lambda.ts";
import { later } from "#core/kernel/later.ts";
import { customProtocolSection } from "#core/service/settings/custom-protocols.ts";
import { emailSection } from "#core/service/settings/email.ts";
import { oauthSection } from "#core/service/settings/oauth.ts";
import { scim2Section } from "#core/service/settings/scim2.ts";
import { sectionsFromFile } from "#core/service/settings/section.ts";
import { signInSection } from "#core/service/settings/sign-in.ts";
import { userStoreSection } from "#core/service/settings/user-stores.ts";
import type { CasStores } from "#core/sign-in/cas/context.ts";
import { casOperations } from "#core/sign-in/cas/contract.ts";
import { casHandlers } from "#core/sign-in/cas/handlers.ts";
import { newPairwiseSubjects } from "#core/sign-in/openid/pairwise-store.ts";
import { passiveStsOperations } from "#core/sign-in/passive-sts/contract.ts";
import { passiveStsHandlers } from "#core/sign-in/passive-sts/handlers.ts";
import type { SamlStores } from "#core/sign-in/saml/context.ts";
import { samlOperations } from "#core/sign-in/saml/contract.ts";
import { samlHandlers } from "#core/sign-in/saml/handlers.ts";
import { newSamlKeys } from "#core/tokens/saml-keys.ts";
import { baseUrl, deploymentFile, fetchExempt, tableConfig } from "./env.ts";
import { sendsMails } from "./mails.ts";
import { formSeal, logoutSeal, samlSeal } from "./seals.ts";
import { openUserStores } from "./user-stores.ts";

const deployment = sectionsFromFile(deploymentFile(), [
  customProtocolSection,
  emailSection,
  oauthSection,
  scim2Section,
  signInSection,
  userStoreSection,
]);
const exempt = fetchExempt();
const { usersIn, groupsIn } = await openUserStores("sso", deployment);
const { callApplication } = later(() => import("#core/sign-in/cas/call.ts"), "callApplication");
const { faultPage } = later(() => import("#core/sign-in/pages/fault-page.ts"), "faultPage");

const tools: SamlStores["tools"] & CasStores["tools"] = {
  seal: formSeal(),
  orders: logoutSeal(),
  settings: deployment.signIn,
  limits: deployment.clients,
  keys: newSamlKeys(samlSeal()),
  pairwise: newPairwiseSubjects(),
  casKind: deployment.customProtocols.find(({ engine }) => engine === "cas")?.name,
  call: (address) => callApplication(address, exempt),
};

export const operations = { ...samlOperations, ...passiveStsOperations, ...casOperations };

export const handler = lambda<typeof operations, SamlStores & CasStores>({
  service: "sso",
  operations,
  handlers: { ...samlHandlers, ...passiveStsHandlers, ...casHandlers },
  faultPage,
  baseUrl: baseUrl(),
  table: openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 })),
  stores: (table, { event }) => ({
    table,
    tools,
    sendsMail: sendsMails(deployment),
    cookies: event.cookies ?? [],
    rawQuery: event.rawQueryString ?? "",
    applications: applicationStore(table),
    tenants: tenantStore(table),
    users: usersIn(table),
    groups: groupsIn(table),
    roles: roleStore(table),
  }),
});
