/**
 * Pushed authorization requests (RFC 9126): a client authenticates, and its request is checked as the authorization
 * endpoint checks it. The function of the token endpoint serves this, because it alone can verify clients.
 */
import type { ApplicationStore } from "../../applications/registry/store.ts";
import { Fault, type FaultName } from "../../kernel/faults.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import { issuerAt } from "../../tokens/jwt.ts";
import type { RemoteKeySets } from "../../tokens/remote-documents.ts";
import type { OAuthStores } from "../oauth/context.ts";
import { possessionOf, readProof } from "../oauth/possession.ts";
import { authenticateClient, checkQuery, spendingAlways } from "../oauth/request.ts";
import { AuthorizationError } from "./authorization-error.ts";
import { readAuthorizationRequest } from "./authorization-request.ts";
import { AuthorizationParameters } from "./contract-parameters.ts";
import type { pushedOperations } from "./contract-pushed.ts";
import { one, type Parameters } from "./parameters.ts";
import { PUSHED_SECONDS, storingPushed } from "./pushed-store.ts";
import { parametersInObject } from "./request-object.ts";
import { modeOf } from "./response-types.ts";
import { returnAddressOf } from "./return-address.ts";

/** What pushed requests need besides the token endpoint's. */
export interface PushedStores extends OAuthStores {
  readonly applications: Pick<ApplicationStore, "find">;
  /** The keys of clients at addresses. */
  readonly keySets: RemoteKeySets;
}

export const pushedHandlers: Handlers<typeof pushedOperations, PushedStores> = {
  async pushAuthorizationRequest({ query, headers, body: form }, context) {
    checkQuery(query);
    const proof = headers.dpop === undefined ? undefined : await readProof(headers.dpop, context);
    const authenticated = await authenticateClient(
      { authorization: headers.authorization, form, ownAudience: "par" },
      context,
    );
    return spendingAlways(authenticated, context, async () => {
      const { client, proof: ofClient } = authenticated;
      const { tenant, clientId, applicationId } = client;
      const possession = proof && possessionOf(client, proof, context);
      const application = await context.applications.find(tenant, applicationId);
      if (!application?.inbound.oidc) throw new Fault("grant.unauthorized", "The application has no client any more.");
      const outside: Parameters = { ...AuthorizationParameters.parse(form), client_id: clientId };
      if (one(outside, "request_uri") !== undefined) {
        throw new Fault("request.invalid", "A pushed request cannot name another one: leave request_uri out.");
      }
      const isSigned = one(outside, "request") !== undefined;
      const sender = { clientId, application, issuer: issuerAt(context.origin).issuerOf(tenant), nowMs: context.now };
      const pushedAtSeconds = Math.floor(context.now / 1_000);
      const { requestUri, step } = await asFault(async () => {
        const inside = isSigned ? await parametersInObject(outside, sender, context.keySets) : outside;
        const parameters = withKey(inside, possession?.bound.cnf);
        const address = await returnAddressOf(parameters, application.inbound.oidc?.callbackURLs ?? []);
        const to = { ...address.to, mode: modeOf(parameters) };
        readAuthorizationRequest(parameters, {
          ...{ tenant, clientId, application, ...address, to, isSigned, pushed: "", origin: context.origin },
          // The function of tokens sends none, and the authorization endpoint reads the request again.
          sendsMail: true,
        });
        return storingPushed({ tenant, clientId, parameters: JSON.stringify(parameters), isSigned, pushedAtSeconds });
      });
      await context.table.write(step, ...ofClient, ...(possession?.steps ?? []));
      return { request_uri: requestUri, expires_in: PUSHED_SECONDS };
    });
  },
};

/** The parameters with the key of a DPoP proof, which is as good as its thumbprint (RFC 9449 section 10.1). */
function withKey(parameters: Parameters, cnf: { readonly jkt?: string } | object | undefined): Parameters {
  if (!cnf || !("jkt" in cnf) || cnf.jkt === undefined) return parameters;
  const named = one(parameters, "dpop_jkt");
  if (named === undefined || named === cnf.jkt) return { ...parameters, dpop_jkt: cnf.jkt };
  throw new AuthorizationError("invalid_request", "dpop_jkt is not the thumbprint of the key of the DPoP proof.");
}

/** The faults of errors that the authorization endpoint would send to the client (RFC 9126 section 2.3). */
const faults: Readonly<Record<string, FaultName>> = {
  invalid_request: "request.invalid",
  invalid_scope: "scope.invalid",
  invalid_target: "target.invalid",
  unauthorized_client: "grant.unauthorized",
  unsupported_response_type: "authorization.response_type",
  invalid_request_object: "authorization.object",
  request_not_supported: "authorization.object",
  unmet_authentication_requirements: "authorization.unmet",
};

async function asFault<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AuthorizationError) throw new Fault(faults[error.code] ?? "request.invalid", error.message);
    throw error;
  }
}
