/**
 * Protocol metadata, adaptive authentication templates, the API document, and the 404 of unknown paths. Needs no
 * database.
 */

import { metadataOperations } from "#core/applications/metadata/contract.ts";
import { metadataHandlers } from "#core/applications/metadata/handlers.ts";
import { documentOperations } from "#core/documents/contract.ts";
import { documentHandlers } from "#core/documents/handlers.ts";
import { documentFile } from "#core/documents/store.ts";
import { lambda } from "#core/http/lambda.ts";
import { customProtocolSection } from "#core/settings/custom-protocols.ts";
import { oauthSection } from "#core/settings/oauth.ts";
import { sectionsFromFile } from "#core/settings/section.ts";
import { baseUrl, deploymentFile, openApiFile } from "./env.ts";

const openApi = documentFile(openApiFile());
const { customProtocols, clients: limits } = sectionsFromFile(deploymentFile(), [customProtocolSection, oauthSection]);

export const operations = { ...documentOperations, ...metadataOperations };

export const handler = lambda({
  service: "application-metadata",
  operations,
  handlers: { ...documentHandlers, ...metadataHandlers },
  baseUrl: baseUrl(),
  stores: () => ({ openApi, customProtocols, limits }),
});
