/** The operations on the inbound protocols of an application. */
import * as z from "zod";
import { type Method, operation } from "../../operation/operation.ts";
import { withoutNulls } from "../../platform/management-api.ts";
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

const VIEW = "internal_application_mgt_view";
const CREATE = "internal_application_mgt_create";
const UPDATE = "internal_application_mgt_update";
const DELETE = "internal_application_mgt_delete";

const Path = z.object({ applicationId: z.string().min(1).max(255) });
const CustomPath = Path.extend({ inboundProtocolId: z.string().min(1).max(255) });

const BASE = "/api/server/v1/applications/{applicationId}/inbound-protocols";

export const protocolOperations = {
  listInboundProtocols: operation({
    ...at("GET", ""),
    scope: VIEW,
    summary: "List the inbound protocols of an application",
    source: row(11),
    success: { status: 200, body: z.array(InboundProtocolRef) },
    failures: [400, 404],
  }),

  getSamlConfiguration: operation({ ...at("GET", "/saml"), ...reading(SamlShown, "SAML2 settings", row(12)) }),
  updateSamlConfiguration: operation({
    ...at("PUT", "/saml"),
    ...replacing(SamlBody, "SAML2 settings", row(38)),
  }),
  deleteSamlConfiguration: operation({ ...at("DELETE", "/saml"), ...removing("SAML2 settings", row(13)) }),

  getOidcConfiguration: operation({ ...at("GET", "/oidc"), ...reading(OidcShown, "OIDC settings", row(14)) }),
  updateOidcConfiguration: operation({
    ...at("PUT", "/oidc"),
    seesScopes: true,
    ...replacing(OidcBody, "OIDC settings", row(39)),
  }),
  deleteOidcConfiguration: operation({ ...at("DELETE", "/oidc"), ...removing("OIDC settings", row(15)) }),
  regenerateClientSecret: operation({
    ...at("POST", "/oidc/regenerate-secret"),
    scope: CREATE,
    seesScopes: true,
    summary: "Generate a new client secret; a revoked client becomes active",
    source: row(16),
    success: { status: 200, body: OidcShown },
    failures: [400, 404],
  }),
  revokeClient: operation({
    ...at("POST", "/oidc/revoke"),
    scope: CREATE,
    summary: "Revoke the client; it cannot be used until its secret is regenerated",
    source: row(17),
    success: { status: 200 },
    failures: [400, 404],
  }),

  getPassiveStsConfiguration: operation({
    ...at("GET", "/passive-sts"),
    ...reading(PassiveStsShown, "Passive STS settings", row(18)),
  }),
  updatePassiveStsConfiguration: operation({
    ...at("PUT", "/passive-sts"),
    ...replacing(PassiveStsBody, "Passive STS settings", row(40)),
  }),
  deletePassiveStsConfiguration: operation({
    ...at("DELETE", "/passive-sts"),
    ...removing("Passive STS settings", row(19)),
  }),

  getWsTrustConfiguration: operation({
    ...at("GET", "/ws-trust"),
    ...reading(WsTrustShown, "WS-Trust settings", row(20)),
  }),
  updateWsTrustConfiguration: operation({
    ...at("PUT", "/ws-trust"),
    ...replacing(WsTrustBody, "WS-Trust settings", row(41)),
  }),
  deleteWsTrustConfiguration: operation({ ...at("DELETE", "/ws-trust"), ...removing("WS-Trust settings", row(21)) }),

  getCustomConfiguration: operation({
    ...at("GET", "/{inboundProtocolId}"),
    params: CustomPath,
    ...reading(CustomShown, "settings of a custom protocol", row(22)),
  }),
  updateCustomConfiguration: operation({
    ...at("PUT", "/{inboundProtocolId}"),
    params: CustomPath,
    ...replacing(CustomBody, "settings of a custom protocol", row(42)),
  }),
  deleteCustomConfiguration: operation({
    ...at("DELETE", "/{inboundProtocolId}"),
    params: CustomPath,
    ...removing("settings of a custom protocol", row(23)),
  }),
} as const;

function at<M extends Method, P extends string>(method: M, below: P) {
  return { service: "inbound-protocols", method, path: `${BASE}${below}`, params: Path } as const;
}

/** A row of docs/requirements.md. */
function row(number: number): string {
  return `application API, AM-0${number}`;
}

function reading<S extends z.ZodType>(body: S, what: string, source: string) {
  return {
    scope: VIEW,
    summary: `Read the ${what}`,
    source,
    success: { status: 200, body },
    failures: [400, 404],
  } as const;
}

function replacing<S extends z.ZodType>(body: S, what: string, source: string) {
  return {
    scope: UPDATE,
    summary: `Create or replace the ${what}`,
    source,
    body: z.preprocess(withoutNulls, body),
    success: { status: 200 },
    failures: [400, 404, 409],
  } as const;
}

function removing(what: string, source: string) {
  return {
    scope: DELETE,
    summary: `Remove the ${what}; idempotent`,
    source,
    success: { status: 204 },
    failures: [400],
  } as const;
}
