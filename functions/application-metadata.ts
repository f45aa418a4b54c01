/** Protocol metadata, adaptive authentication templates, and the 404 of unknown paths. Needs no database. */

import { metadataOperations } from "#core/applications/metadata/contract.ts";
import { metadataHandlers } from "#core/applications/metadata/handlers.ts";
import { lambda } from "#core/http/lambda.ts";
import { later } from "#core/kernel/later.ts";
import { customProtocolSection } from "#core/service/settings/custom-protocols.ts";
import { oauthSection } from "#core/service/settings/oauth.ts";
import { sectionsFromFile } from "#core/service/settings/section.ts";
import { baseUrl, deploymentFile } from "./env.ts";

const { faultPage } = later(() => import("#core/sign-in/pages/no-such-page.ts"), "faultPage");
const { customProtocols, clients: limits } = sectionsFromFile(deploymentFile(), [customProtocolSection, oauthSection]);

export const operations = metadataOperations;

export const handler = lambda({
  service: "application-metadata",
  operations,
  handlers: metadataHandlers,
  faultPage,
  baseUrl: baseUrl(),
  stores: () => ({ customProtocols, limits }),
});
