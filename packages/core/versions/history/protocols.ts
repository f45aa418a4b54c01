/** The handlers of the histories of inbound protocols. */
import { type ProtocolStores, protocolHandlers } from "../../applications/inbound-protocols/handlers.ts";
import {
  CustomShown,
  OidcShown,
  PassiveStsShown,
  SamlShown,
  WsTrustShown,
} from "../../applications/protocols/shapes.ts";
import type { RequestContext } from "../../kernel/operation/context.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import type * as z from "../../kernel/zod.ts";
import type { protocolHistoryOperations } from "./contract-protocols.ts";
import type { Subject } from "./history.ts";
import { empty, readHistory, storesAt } from "./reading.ts";
import type { WithHistory } from "./source.ts";

/** The dependencies of these handlers. */
export type ProtocolHistoryStores = WithHistory<ProtocolStores>;

interface ProtocolPath {
  readonly applicationId: string;
  readonly inboundProtocolId: string;
}

type Read = (
  path: ProtocolPath,
  context: RequestContext & ProtocolStores & { scopes: ReadonlySet<string> },
) => Promise<unknown>;

/** The protocols that have paths of their own: their names in documents, and what reads them. */
const known: Readonly<Record<string, { readonly name: string; readonly shape: z.ZodType; readonly read: Read }>> = {
  oidc: {
    name: "oidc",
    shape: OidcShown,
    read: (params, context) => protocolHandlers.getOidcConfiguration({ params, ...empty }, context),
  },
  saml: {
    name: "saml",
    shape: SamlShown,
    read: (params, context) => protocolHandlers.getSamlConfiguration({ params, ...empty }, context),
  },
  "passive-sts": {
    name: "passiveSts",
    shape: PassiveStsShown,
    read: (params, context) => protocolHandlers.getPassiveStsConfiguration({ params, ...empty }, context),
  },
  "ws-trust": {
    name: "wsTrust",
    shape: WsTrustShown,
    read: (params, context) => protocolHandlers.getWsTrustConfiguration({ params, ...empty }, context),
  },
};

export const protocolHistoryHandlers: Handlers<typeof protocolHistoryOperations, ProtocolHistoryStores> = {
  listInboundProtocolHistory: ({ params, query }, context) => {
    const { applicationId } = params;
    const { customKinds } = context.protocols;
    return readHistory({ ...context, customKinds }, subject(context, params), query, () =>
      protocolHandlers.listInboundProtocols({ params: { applicationId }, ...empty }, context),
    );
  },

  async getInboundProtocolVersion({ params }, context) {
    const { version, ...path } = params;
    const { protocol: _, ...application } = subject(context, path);
    const stores = await storesAt(context.history, application, version, () =>
      protocolHandlers.listInboundProtocols({ params: { applicationId: path.applicationId }, ...empty }, context),
    );
    // Rows of versions have no secrets, so no caller may see any.
    const protocols = { ...stores.protocols, clientSecretsShownTo: "secret_viewers" } as const;
    const reading = { ...context, ...stores, protocols, scopes: new Set<string>() };
    const { shape, read } = kindOf(path.inboundProtocolId);
    return shape.parse(await read(path, reading)) as Record<string, unknown>;
  },
};

function kindOf(segment: string) {
  const custom: Read = (params, context) => protocolHandlers.getCustomConfiguration({ params, ...empty }, context);
  // Clients write a blank in a name as `+` in paths too.
  return Object.hasOwn(known, segment) && known[segment]
    ? known[segment]
    : { name: segment.replaceAll("+", " "), shape: CustomShown, read: custom };
}

function subject(
  { tenant }: { readonly tenant: string },
  { applicationId: id, inboundProtocolId }: ProtocolPath,
): Subject {
  return { tenant, type: "application", id, protocol: kindOf(inboundProtocolId).name };
}
