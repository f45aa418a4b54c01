/** Undo: inbound protocols as they were after a change. */
import { applicationScopes } from "../applications/registry/shapes.ts";
import { versionPart } from "../history/contract-parts.ts";
import { endpointsOf } from "../operation/endpoints.ts";
import { operation } from "../operation/operation.ts";
import * as z from "../platform/zod.ts";
import { SOURCE } from "./source.ts";

const Id = z.string().min(1).max(255);
const BASE = "/api/server/v1/applications/{applicationId}/inbound-protocols";
const at = endpointsOf("inbound-protocols", BASE, applicationScopes, SOURCE);

export const protocolUndoOperations = {
  restoreInboundProtocolVersion: operation({
    ...at("POST", "/{inboundProtocolId}/history/{version}/restore", "update"),
    seesScopes: true,
    summary: "Make an inbound protocol as it was after a change of it or of its application; its secrets stay",
    params: z.object({ applicationId: Id, inboundProtocolId: Id, ...versionPart }),
    success: { status: 200 },
    failures: [400, 403, 404, 409],
  }),
} as const;
