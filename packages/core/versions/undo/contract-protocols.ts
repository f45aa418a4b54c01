/** Undo: inbound protocols as they were after a change. */
import { applicationScopes } from "../../applications/registry/shapes.ts";
import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation } from "../../kernel/operation/operation.ts";
import { updatesProtocols } from "../../kernel/operation/reach.ts";
import * as z from "../../kernel/zod.ts";
import { versionPart } from "../history/contract-parts.ts";
import { SOURCE } from "./source.ts";

const Id = z.string().min(1).max(255);
const BASE = "/api/server/v1/applications/{applicationId}/inbound-protocols";
const at = endpointsOf("inbound-protocols", BASE, applicationScopes, SOURCE);

export const protocolUndoOperations = {
  restoreInboundProtocolVersion: operation({
    ...at("POST", "/{inboundProtocolId}/history/{version}/restore", "update"),
    seesScopes: true,
    staysClosed: true,
    does: [],
    reaches: updatesProtocols,
    summary: "Make an inbound protocol as it was after a change of it or of its application; its secrets stay",
    params: z.object({ applicationId: Id, inboundProtocolId: Id, ...versionPart }),
    success: { status: 200 },
    failures: [400, 403, 404, 409],
  }),
} as const;
