/** The handlers of the identity provider of SAML 2.0. */

import { securityHeaders } from "../../http/security-headers.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import { sendAnswer } from "./answer.ts";
import { endpointOf, entityIdOf, type SamlStores, tenantOf } from "./context.ts";
import type { samlOperations } from "./contract.ts";
import { metadataOf } from "./metadata.ts";
import { takeRequest } from "./take-request.ts";

export const samlHandlers: Handlers<typeof samlOperations, SamlStores> = {
  signOnBySaml: ({ query, headers }, context) => takeRequest(query, "HTTP_REDIRECT", headers, context),
  signOnBySamlForm: ({ query, body, headers }, context) =>
    takeRequest({ ...body, ...query }, "HTTP_POST", headers, context),
  sendSamlResponse: ({ query, headers }, context) => sendAnswer(query.answer ?? "", headers, context),

  async getSamlMetadataOfProvider(_, context) {
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
      html: metadataOf({ entityId: entityIdOf(tenant, context), endpoint: endpointOf(tenant, context), certificates }),
    };
  },
};
