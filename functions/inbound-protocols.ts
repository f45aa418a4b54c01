/** The inbound protocols of an application: SAML2, OIDC, Passive STS, WS-Trust and custom ones. */

import { protocolOperations } from "#core/applications/inbound-protocols/contract.ts";
import { protocolHandlers } from "#core/applications/inbound-protocols/handlers.ts";
import { applicationStore } from "#core/applications/registry/store.ts";
import { lambda } from "#core/http/lambda.ts";
import { apiSection } from "#core/settings/api.ts";
import { customProtocolSection } from "#core/settings/custom-protocols.ts";
import { oauthSection } from "#core/settings/oauth.ts";
import { sectionsFromFile } from "#core/settings/section.ts";
import { openTable } from "#core/table/dynamo.ts";
import { baseUrl, deploymentFile, protocolSupport, tableConfig } from "./env.ts";

const open = openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 }));
const deployment = sectionsFromFile(deploymentFile(), [apiSection, customProtocolSection, oauthSection]);
const protocols = protocolSupport(deployment);

export const operations = protocolOperations;

export const handler = lambda({
  service: "inbound-protocols",
  operations,
  handlers: protocolHandlers,
  baseUrl: baseUrl(),
  isStrict: deployment.api.isStrict,
  stores: (meter) => ({ applications: applicationStore(open(meter)), protocols }),
});
