/** The operations on the inbound protocols of an application. */

import { withoutNulls } from "../../kernel/management-api.ts";
import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";
import {
  CustomBody,
  CustomShown,
  InboundProtocolRef,
  OidcBody,
  OidcShown,
  PassiveStsBody,
  PassiveStsShown,
  SamlBody,
  SamlShown,
  WsTrustBody,
  WsTrustShown,
} from "../protocols/shapes.ts";
import { applicationScopes } from "../registry/shapes.ts";

const params = z.object({ applicationId: z.string().min(1).max(255) });
const customParams = params.extend({ inboundProtocolId: z.string().min(1).max(255) });

const BASE = "/api/server/v1/applications/{applicationId}/inbound-protocols";
const at = endpointsOf("inbound-protocols", BASE, applicationScopes);

export const protocolOperations = {
  listInboundProtocols: operation({
    ...at("GET", "", "view", "AM-011"),
    does: ["read protocol list"],
    summary: "List the inbound protocols of an application",
    params,
    success: { status: 200, body: z.array(InboundProtocolRef), etag: "content" },
    failures: [400, 404],
  }),

  getSamlConfiguration: operation({
    does: ["read saml"],
    ...at("GET", "/saml", "view", "AM-012"),
    ...reading("SAML2", SamlShown),
  }),
  updateSamlConfiguration: operation({
    does: ["update saml"],
    ...at("PUT", "/saml", "update", "AM-038"),
    ...replacing("SAML2", SamlBody),
    target: "getSamlConfiguration",
    seesScopes: true,
  }),
  deleteSamlConfiguration: operation({
    does: ["delete saml"],
    ...at("DELETE", "/saml", "delete", "AM-013"),
    ...removing("SAML2"),
    target: "getSamlConfiguration",
  }),

  getOidcConfiguration: operation({
    does: ["read oidc"],
    reaches: ["read secret"],
    ...at("GET", "/oidc", "view", "AM-014"),
    ...reading("OIDC", OidcShown),
    seesScopes: true,
  }),
  updateOidcConfiguration: operation({
    does: ["update oidc"],
    ...at("PUT", "/oidc", "update", "AM-039"),
    ...replacing("OIDC", OidcBody),
    target: "getOidcConfiguration",
    seesScopes: true,
  }),
  deleteOidcConfiguration: operation({
    does: ["delete oidc"],
    ...at("DELETE", "/oidc", "delete", "AM-015"),
    ...removing("OIDC"),
    target: "getOidcConfiguration",
  }),
  regenerateClientSecret: operation({
    ...at("POST", "/oidc/regenerate-secret", "create", "AM-016"),
    seesScopes: true,
    does: ["create secret"],
    summary: "Generate a new client secret; a revoked client becomes active",
    params,
    target: "getOidcConfiguration",
    success: { status: 200, body: OidcShown, etag: "content" },
    failures: [400, 404],
  }),
  revokeClient: operation({
    ...at("POST", "/oidc/revoke", "create", "AM-017"),
    does: ["delete secret"],
    summary: "Revoke the client; it cannot be used until its secret is regenerated",
    params,
    target: "getOidcConfiguration",
    success: { status: 200 },
    failures: [400, 404],
  }),

  getPassiveStsConfiguration: operation({
    does: ["read passive-sts"],
    ...at("GET", "/passive-sts", "view", "AM-018"),
    ...reading("Passive STS", PassiveStsShown),
  }),
  updatePassiveStsConfiguration: operation({
    does: ["update passive-sts"],
    ...at("PUT", "/passive-sts", "update", "AM-040"),
    ...replacing("Passive STS", PassiveStsBody),
    target: "getPassiveStsConfiguration",
    seesScopes: true,
  }),
  deletePassiveStsConfiguration: operation({
    does: ["delete passive-sts"],
    ...at("DELETE", "/passive-sts", "delete", "AM-019"),
    ...removing("Passive STS"),
    target: "getPassiveStsConfiguration",
  }),

  getWsTrustConfiguration: operation({
    does: ["read ws-trust"],
    ...at("GET", "/ws-trust", "view", "AM-020"),
    ...reading("WS-Trust", WsTrustShown),
  }),
  updateWsTrustConfiguration: operation({
    does: ["update ws-trust"],
    ...at("PUT", "/ws-trust", "update", "AM-041"),
    ...replacing("WS-Trust", WsTrustBody),
    target: "getWsTrustConfiguration",
  }),
  deleteWsTrustConfiguration: operation({
    does: ["delete ws-trust"],
    ...at("DELETE", "/ws-trust", "delete", "AM-021"),
    ...removing("WS-Trust"),
    target: "getWsTrustConfiguration",
  }),

  getCustomConfiguration: operation({
    does: ["read custom"],
    ...at("GET", "/{inboundProtocolId}", "view", "AM-022"),
    ...reading("custom protocol", CustomShown),
    seesScopes: true,
    params: customParams,
  }),
  updateCustomConfiguration: operation({
    does: ["update custom"],
    ...at("PUT", "/{inboundProtocolId}", "update", "AM-042"),
    ...replacing("custom protocol", CustomBody),
    target: "getCustomConfiguration",
    params: customParams,
  }),
  deleteCustomConfiguration: operation({
    does: ["delete custom"],
    ...at("DELETE", "/{inboundProtocolId}", "delete", "AM-023"),
    ...removing("custom protocol"),
    target: "getCustomConfiguration",
    params: customParams,
  }),
} as const;

function reading<S extends z.ZodType>(protocol: string, body: S) {
  const summary = `Read the ${protocol} settings`;
  return { summary, params, success: { status: 200, body, etag: "content" }, failures: [400, 404] } as const;
}

function replacing<S extends z.ZodType>(protocol: string, body: S) {
  return {
    summary: `Create or replace the ${protocol} settings`,
    params,
    body: z.preprocess(withoutNulls, body),
    success: { status: 200 },
    failures: [400, 404, 409],
  } as const;
}

function removing(protocol: string) {
  const summary = `Remove the ${protocol} settings; idempotent`;
  return { summary, params, success: { status: 204 }, failures: [400] } as const;
}
