/** The operations on the secrets of a client (decision 0079). */
import { withoutNulls } from "../../kernel/management-api.ts";
import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";
import { EXPIRY, secretExpiry } from "../protocols/shapes.ts";

const DESCRIPTION_MAX = 255;

/** Body of a new secret. Without one, the secret never expires. */
const NewClientSecret = z
  .object({
    expiresAt: secretExpiry.optional().meta({ description: `When the secret expires, ${EXPIRY}` }),
    description: z
      .string()
      .max(DESCRIPTION_MAX)
      .regex(/^\P{Cc}*$/u, "must not contain control characters")
      .optional()
      .meta({ description: "What the secret is for; Identity Server has no such member" }),
  })
  .meta({ id: "NewClientSecret" });

/** A secret in a response. */
export const ClientSecretShown = z
  .object({
    secretId: z.string(),
    secretValue: z.string(),
    expiresAt: z.int().meta({ description: `When the secret expires, ${EXPIRY}` }),
    createdAt: z.int().meta({ description: "In seconds since 1970" }),
    status: z.enum(["ACTIVE", "EXPIRED"]),
    latest: z.boolean(),
    description: z.string().optional(),
    lastUsedAt: z.int().optional().meta({
      description: "The start of the day (UTC) of its last use, in seconds since 1970; absent if it was never used",
    }),
  })
  .meta({ id: "ClientSecret" });

const ClientSecretList = z
  .object({ count: z.int(), list: z.array(ClientSecretShown).meta({ description: "The newest first" }) })
  .meta({ id: "ClientSecretList" });

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
    staysClosed: true,
    does: ["read secret"],
    summary: "List the secrets of a client, the newest first",
    params,
    success: { status: 200, body: ClientSecretList, etag: "content" },
    failures: [400, 404],
  }),
  createClientSecret: operation({
    ...at("POST", "", "create"),
    seesScopes: true,
    staysClosed: true,
    does: ["create secret"],
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
    staysClosed: true,
    does: ["read secret"],
    summary: "Read one secret of a client",
    params: oneParams,
    success: { status: 200, body: ClientSecretShown, etag: "content" },
    failures: [400, 404],
  }),
  deleteClientSecret: operation({
    ...at("DELETE", "/{secretId}", "delete"),
    staysClosed: true,
    does: ["delete secret"],
    summary: "Delete a secret of a client, except the latest one while it is valid; tokens stay valid",
    params: oneParams,
    target: "getClientSecret",
    success: { status: 204 },
    failures: [400, 404, 409],
  }),
} as const;
