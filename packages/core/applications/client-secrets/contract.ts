/** The operations on the secrets of a client (decision 0079). */

import { endpointsOf } from "../../operation/endpoints.ts";
import { operation } from "../../operation/operation.ts";
import { withoutNulls } from "../../platform/management-api.ts";
import * as z from "../../platform/zod.ts";
import { ClientSecretList, ClientSecretShown, NewClientSecret } from "./shapes.ts";

const params = z.object({ applicationId: z.string().min(1).max(255) });
const oneParams = params.extend({ secretId: z.string().min(1).max(255) });

const BASE = "/api/server/v1/applications/{applicationId}/inbound-protocols/oidc/secrets";
const scopes = {
  create: "internal_application_mgt_client_secret_create",
  view: "internal_application_mgt_client_secret_view",
  delete: "internal_application_mgt_client_secret_delete",
} as const;
const at = endpointsOf("inbound-protocols", BASE, scopes, "decision 0079");

export const clientSecretOperations = {
  listClientSecrets: operation({
    ...at("GET", "", "view"),
    summary: "List the secrets of a client, the newest first",
    params,
    success: { status: 200, body: ClientSecretList, etag: "content" },
    failures: [400, 404],
  }),
  createClientSecret: operation({
    ...at("POST", "", "create"),
    seesScopes: true,
    summary: "Create a further secret of a client; all that have not expired stay valid",
    params,
    body: z.preprocess(withoutNulls, NewClientSecret.optional()),
    bodyOptional: true,
    target: "listClientSecrets",
    success: { status: 201, body: ClientSecretShown, location: true, etag: "content" },
    failures: [400, 404, 409],
  }),
  getClientSecret: operation({
    ...at("GET", "/{secretId}", "view"),
    summary: "Read one secret of a client",
    params: oneParams,
    success: { status: 200, body: ClientSecretShown, etag: "content" },
    failures: [400, 404],
  }),
  deleteClientSecret: operation({
    ...at("DELETE", "/{secretId}", "delete"),
    summary: "Delete a secret of a client, except the latest one; tokens stay valid",
    params: oneParams,
    target: "getClientSecret",
    success: { status: 204 },
    failures: [400, 404, 409],
  }),
} as const;
