/**
 * Delivers changes to webhooks and streams, and tells clients that sessions have ended. The stream of the table calls
 * it with new changes, a schedule with nothing every minute, and the local service with `{ all: true }`; the gateway
 * does not reach it.
 */
import { clientStore } from "#core/applications/registry/client-store.ts";
import { applicationStore } from "#core/applications/registry/store.ts";
import { changeFeed, DELIVERY_SHOWN_MAX } from "#core/database/changes/feed.ts";
import { openDocumentClient } from "#core/database/table/client/document-client.ts";
import { openTable } from "#core/database/table/dynamo.ts";
import type { Table } from "#core/database/table/table.ts";
import { groupStore } from "#core/directory/groups/store.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { userStore } from "#core/directory/users/store.ts";
import { newWorker } from "#core/events/delivery/worker.ts";
import { streamKind } from "#core/events/shared-signals/push.ts";
import { newRepresentation } from "#core/events/shared-signals/representation.ts";
import { webhookKind } from "#core/events/webhooks/kind.ts";
import { newDeliveryReport } from "#core/http/observe-delivery.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { SUPER_TENANT } from "#core/kernel/domain/tenant.ts";
import { postPublic } from "#core/kernel/public-post.ts";
import { newOwnerScopes } from "#core/sign-in/authentication/owner-scopes.ts";
import { newOrdering } from "#core/sign-in/logout/order.ts";
import { tellDue } from "#core/sign-in/logout/tell.ts";
import { newEventSigner } from "#core/tokens/event-token.ts";
import { noteMails } from "#core/tokens/mail-store.ts";
import { fetchExempt, publicUrl, tableConfig } from "./env.ts";
import { eventSealOfDelivery, eventSigningSeal, logoutSeal } from "./seals.ts";

const open = openTable({ ...tableConfig({ callMs: 9_000, requestMs: 55_000 }), openClient: openDocumentClient });
const shared = { seal: eventSealOfDelivery(), origin: publicUrl(), exempt: fetchExempt(), clock: systemClock };
const signer = newEventSigner(eventSigningSeal());
const order = newOrdering({ seal: logoutSeal(), origin: shared.origin, clock: systemClock });
const report = newDeliveryReport("delivery");

export const handler = newWorker({
  open,
  feedOf: (table) => changeFeed(table, DELIVERY_SHOWN_MAX),
  kindsOf: (table) => ({
    webhook: webhookKind({
      ...shared,
      scopesOf: newOwnerScopes(ownersOn(table), systemClock),
      tenantIdOf: async (tenant) => (await tenantStore(table).find(tenant))?.id,
    }),
    stream: streamKind({
      ...shared,
      table,
      signer,
      owners: ownersOn(table),
      representation: newRepresentation(table),
      post: postPublic,
    }),
  }),
  report,
  clock: systemClock,
  alsoDue: async (table, untilMs, only) => {
    const deps = {
      ...shared,
      table,
      untilMs,
      order,
      applications: applicationStore(table),
      post: postPublic,
      random: Math.random,
      report: report.told,
    };
    await tellDue(deps, only === "all" ? [SUPER_TENANT, ...(await tenantStore(table).domains())] : only);
  },
  noteMails: (table, tenants) => noteMails(table, tenants, systemClock.now()),
});

/** Where what owners of webhooks and streams may do is read. */
function ownersOn(table: Table) {
  return {
    clients: clientStore(table),
    users: userStore(table),
    groups: groupStore(table),
    roles: roleStore(table),
  };
}
