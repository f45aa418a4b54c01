/** The handlers of the identity provider of SAML 2.0. */

import { securityHeaders } from "../../http/security-headers.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Handlers, PageResult } from "../../kernel/operation/operation.ts";
import { LOGOUT_REQUEST_PATH } from "../../tokens/logout-model.ts";
import { openOrder } from "../../tokens/logout-token.ts";
import { sendAnswer } from "./answer.ts";
import { entityIdOf, type SamlContext, type SamlStores, tenantOf } from "./context.ts";
import type { samlOperations } from "./contract.ts";
import { continueLogout } from "./logout-chain.ts";
import { metadataOf } from "./metadata.ts";
import { answerQuery } from "./query.ts";
import { resolveArtifact } from "./resolve-artifact.ts";
import { newId } from "./send.ts";
import { soapLogoutRequest } from "./send-logout.ts";
import { takeMessage, takeSoap } from "./take-message.ts";

export const samlHandlers: Handlers<typeof samlOperations, SamlStores> = {
  signOnBySaml: ({ query, headers }, context) => takeMessage(query, "HTTP_REDIRECT", headers, context),
  signOnBySamlForm: ({ query, body: { soap, ...form }, headers }, context) =>
    soap === undefined
      ? takeMessage({ ...form, ...query }, "HTTP_POST", headers, context)
      : takeSoap(soap, query, context),
  resolveSamlArtifact: ({ query, body }, context) => resolveArtifact(body.soap, query, context),
  querySamlAssertions: ({ query, body }, context) => answerQuery(body.soap, query, context),
  continueSamlLogout: ({ query, headers }, context) => continueLogout(query.chain ?? "", headers, context),

  async signSamlLogoutRequest({ body }, context) {
    const { tools, now, applications } = context;
    const order = openOrder(tools.orders, LOGOUT_REQUEST_PATH, body.order, now);
    if (!order) throw new Fault("request.invalid", "This is no order that counts now.");
    const { tenant, applicationId, name, destination: to } = order;
    const application = await applications.find(tenant, applicationId);
    if (!application?.inbound.saml)
      throw new Fault("request.invalid", "The application is no service provider any more.");
    return { message: await soapLogoutRequest({ application, tenant, id: newId(), name, to }, context) };
  },
  sendSamlResponse: ({ query, headers }, context) => sendAnswer(query.answer ?? "", headers, context),

  getSamlMetadataOfProvider: (_, context) =>
    metadataPage(context, (tenant, certificates) =>
      metadataOf({ entityId: entityIdOf(tenant, context), certificates }),
    ),
};

/** A document with the certificates of the tenant. Throws `request.invalid` for one that is not there or not active. */
export async function metadataPage(
  context: SamlContext,
  describe: (tenant: string, certificates: readonly string[]) => string,
): Promise<PageResult> {
  const tenant = tenantOf(context);
  // Keys are made for tenants that exist.
  if (!(await context.tenants.find(tenant))?.active) {
    throw new Fault("request.invalid", "There is no such tenant, or it is not active.");
  }
  const certificates = await context.tools.keys.certificates(context.table, tenant, context.now);
  return {
    status: 200,
    headers: {
      ...securityHeaders,
      "content-type": "application/samlmetadata+xml",
      "cache-control": "public, max-age=3600",
    },
    html: describe(tenant, certificates),
  };
}
