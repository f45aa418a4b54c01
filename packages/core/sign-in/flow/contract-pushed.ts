/** The operation by which clients push authorization requests (RFC 9126). The function of the token endpoint has it. */

import { operation, PUBLIC } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";
import { AnyQuery, clientParameters, ProvenCredential } from "../oauth/shapes.ts";
import { AuthorizationParameters } from "./contract-parameters.ts";

/** Bytes of a request: it is stored. */
const BYTES_MAX = 16_384;

const PushedForm = AuthorizationParameters.extend(clientParameters).meta({ id: "PushedAuthorizationRequest" });

const Pushed = z
  .object({
    request_uri: z.string().meta({ description: "Names the request at the authorization endpoint, once" }),
    expires_in: z.int().meta({ description: "The seconds within which the authorization endpoint must be called" }),
  })
  .meta({ id: "PushedAuthorizationResponse" });

export const pushedOperations = {
  pushAuthorizationRequest: operation({
    service: "oauth2",
    method: "POST",
    path: "/oauth2/par",
    scripts: "client",
    scope: PUBLIC,
    clientAuthentication: "client",
    summary: "Push the parameters of an authorization request, and get a name for it",
    source: "RFC 9126; decision 0119",
    media: "form",
    limits: { bytes: BYTES_MAX },
    query: AnyQuery,
    headers: ProvenCredential,
    body: PushedForm,
    repeated: ["resource"],
    success: { status: 201, body: Pushed },
    failures: [400, 401],
  }),
} as const;
