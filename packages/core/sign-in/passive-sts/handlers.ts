/** The handlers of WS-Federation. */
import type { Handlers } from "../../kernel/operation/operation.ts";
import { entityIdOf, type SamlStores } from "../saml/context.ts";
import { metadataPage } from "../saml/handlers.ts";
import { sendAnswer } from "./answer.ts";
import type { passiveStsOperations } from "./contract.ts";
import { metadataOf } from "./metadata.ts";
import { takeRequest } from "./take-request.ts";

export const passiveStsHandlers: Handlers<typeof passiveStsOperations, SamlStores> = {
  askPassiveSts: ({ query }, context) => takeRequest(query, false, context),
  askPassiveStsByForm: ({ body }, context) => takeRequest(body, true, context),
  sendPassiveStsToken: ({ query, headers }, context) => sendAnswer(query.answer ?? "", headers, context),
  getFederationMetadata: (_, context) =>
    metadataPage(context, (tenant, certificates) => {
      const entityId = entityIdOf(tenant, context);
      return metadataOf({ entityId, endpoint: `${entityId}/passivests`, certificates });
    }),
};
