/** Restores versions of inbound protocols. */
import { type ProtocolStores, protocolHandlers } from "../../applications/inbound-protocols/handlers.ts";
import { protocolKinds } from "../../applications/protocols/kinds.ts";
import { checkApplication, notFound } from "../../applications/registry/rules.ts";
import { later } from "../../kernel/later.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import type { Subject } from "../history/history.ts";
import { empty, storesAt } from "../history/reading.ts";
import type { WithHistory } from "../history/source.ts";
import type { protocolUndoOperations } from "./contract-protocols.ts";

/** The dependencies of these handlers. */
export type ProtocolUndoStores = WithHistory<ProtocolStores>;

const { protocolAgain } = later(() => import("./protocols-again.ts"), "protocolAgain");

export const protocolUndoHandlers: Handlers<typeof protocolUndoOperations, ProtocolUndoStores> = {
  async restoreInboundProtocolVersion({ params }, context) {
    const { version, applicationId: id, inboundProtocolId } = params;
    const { tenant, scopes, history, applications, protocols } = context;
    const subject: Subject = { tenant, type: "application", id };
    const past = await storesAt(history, subject, version, () =>
      protocolHandlers.listInboundProtocols({ params: { applicationId: id }, ...empty }, context),
    );
    const was = await past.applications.find(tenant, id);
    if (!was) throw notFound(id, tenant);
    const again = await protocolAgain(was.inbound, segmentOf(inboundProtocolId), tenant, id, protocols);
    await applications.update(tenant, id, scopes, (before) => {
      const after = { ...before, inbound: again(before.inbound) };
      checkApplication(after, tenant, `Error updating application with id: ${id}`);
      return after;
    });
    return undefined;
  },
};

function segmentOf(segment: string) {
  const kind = Object.values(protocolKinds).find((one) => one.segment === segment);
  // Clients write a blank in a name as `+` in paths too.
  return kind ? { member: kind.member } : { custom: segment.replaceAll("+", " ") };
}
