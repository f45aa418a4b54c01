/** The inbound protocols of an application: SAML2, OIDC with its client secrets, Passive STS, WS-Trust, custom ones. */

import { clientSecretOperations } from "#core/applications/client-secrets/contract.ts";
import { type ClientSecretStores, clientSecretHandlers } from "#core/applications/client-secrets/handlers.ts";
import { protocolOperations } from "#core/applications/inbound-protocols/contract.ts";
import { type ProtocolStores, protocolHandlers } from "#core/applications/inbound-protocols/handlers.ts";
import { secretUseStore } from "#core/applications/registry/secret-use-store.ts";
import { applicationStore } from "#core/applications/registry/store.ts";
import { recordedTables } from "#core/database/changes/open.ts";
import { openTable } from "#core/database/table/dynamo.ts";
import { changing } from "#core/http/changing.ts";
import { lambda } from "#core/http/lambda.ts";
import { apiSection } from "#core/service/settings/api.ts";
import { changesSection } from "#core/service/settings/changes.ts";
import { customProtocolSection } from "#core/service/settings/custom-protocols.ts";
import { oauthSection } from "#core/service/settings/oauth.ts";
import { sectionsFromFile } from "#core/service/settings/section.ts";
import { protocolHistoryOperations } from "#core/versions/history/contract-protocols.ts";
import { type ProtocolHistoryStores, protocolHistoryHandlers } from "#core/versions/history/protocols.ts";
import { withHistory } from "#core/versions/history/source.ts";
import { protocolUndoOperations } from "#core/versions/undo/contract-protocols.ts";
import { type ProtocolUndoStores, protocolUndoHandlers } from "#core/versions/undo/protocols.ts";
import { answerKeys, baseUrl, deploymentFile, tableConfig } from "./env.ts";
import { protocolSupport } from "./seals.ts";

const deployment = sectionsFromFile(deploymentFile(), [
  changesSection,
  apiSection,
  customProtocolSection,
  oauthSection,
]);
const recorded = recordedTables(deployment.changes);
const protocols = protocolSupport(deployment);

export const operations = {
  ...protocolOperations,
  ...clientSecretOperations,
  ...protocolHistoryOperations,
  ...protocolUndoOperations,
};

type Stores = ClientSecretStores & ProtocolStores;

export const handler = lambda<typeof operations, Stores & ProtocolHistoryStores & ProtocolUndoStores>({
  service: "inbound-protocols",
  changing,
  operations,
  handlers: { ...protocolHandlers, ...clientSecretHandlers, ...protocolHistoryHandlers, ...protocolUndoHandlers },
  baseUrl: baseUrl(),
  answerKeys: answerKeys(),
  ...deployment.api,
  table: openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 })),
  stores: (plain, served) =>
    withHistory<Stores>(recorded(plain, served.caused), (table) => ({
      applications: applicationStore(table),
      secretUses: secretUseStore(table),
      protocols,
    })),
});
