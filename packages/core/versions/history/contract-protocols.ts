/** The histories of inbound protocols. */
import { applicationScopes } from "../../applications/registry/shapes.ts";
import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation } from "../../kernel/operation/operation.ts";
import { readsProtocols } from "../../kernel/operation/reach.ts";
import * as z from "../../kernel/zod.ts";
import { listed, SOURCE, shownAs, versionPart } from "./contract-parts.ts";

const Id = z.string().min(1).max(255);
const parts = { applicationId: Id, inboundProtocolId: Id } as const;
const BASE = "/api/server/v1/applications/{applicationId}/inbound-protocols";
const at = endpointsOf("inbound-protocols", BASE, applicationScopes, SOURCE);

/** The settings of any protocol: the handler applies the shape of the kind. */
const ProtocolVersion = z
  .record(z.string(), z.unknown())
  .meta({ id: "InboundProtocolVersion", description: "What reading the protocol returned, without secrets" });

export const protocolHistoryOperations = {
  listInboundProtocolHistory: operation({
    ...at("GET", "/{inboundProtocolId}/history", "view"),
    staysClosed: true,
    does: ["read protocol list"],
    reaches: readsProtocols,
    summary: "List the changes of an inbound protocol, newest first",
    params: z.object(parts),
    ...listed,
  }),
  getInboundProtocolVersion: operation({
    ...at("GET", "/{inboundProtocolId}/history/{version}", "view"),
    staysClosed: true,
    does: ["read protocol list"],
    reaches: readsProtocols,
    summary: "Read an inbound protocol as it was after a change of it or of its application",
    params: z.object({ ...parts, ...versionPart }),
    ...shownAs(ProtocolVersion),
  }),
} as const;
