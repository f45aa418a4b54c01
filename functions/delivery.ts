/**
 * Delivers changes to webhooks and streams, and tells clients that sessions have ended. The stream of the table calls
 * it with new changes, a schedule with nothing every minute, and the local service with `{ all: true }`; the gateway
 * does not reach it.
 */
import { clientStore } from "#core/applications/registry/client-store.ts";
import { applicationStore } from "#core/applications/registry/store.ts";
import { newOrdering } from "#core/back-channel/order.ts";
import { tellDue } from "#core/back-channel/tell.ts";
import { changeFeed } from "#core/changes/feed.ts";
import { tenantStore } from "#core/domain/tenant-store.ts";
import { newWorker } from "#core/events/worker.ts";
import { newDeliveryReport } from "#core/http/observe-delivery.ts";
import { groupStore } from "#core/identities/groups/store.ts";
import { roleStore } from "#core/identities/roles/store.ts";
import { userStore } from "#core/identities/users/store.ts";
import { systemClock } from "#core/platform/clock.ts";
import { postPublic } from "#core/platform/public-post.ts";
import { streamKind } from "#core/signals/push.ts";
import { newRepresentation } from "#core/signals/representation.ts";
import { openTable } from "#core/table/dynamo.ts";
import { newEventSigner } from "#core/tokens/event-token.ts";
import { webhookKind } from "#core/webhooks/kind.ts";
import { fetchExempt, publicUrl, tableConfig } from "./env.ts";
import { eventSealOfDelivery, eventSigningSeal } from "./seals.ts";

const open = openTable(tableConfig({ callMs: 9_000, requestMs: 55_000 }));
const shared = { seal: eventSealOfDelivery(), origin: publicUrl(), exempt: fetchExempt(), clock: systemClock };
const signer = newEventSigner(eventSigningSeal());
const sign = newOrdering({ seal: eventSigningSeal(), origin: shared.origin, clock: systemClock });
const report = newDeliveryReport("delivery");

export const handler = newWorker({
  open,
  feedOf: changeFeed,
  kindsOf: (table) => ({
    webhook: webhookKind({
      ...shared,
      tenantIdOf: async (tenant) => (await tenantStore(table).find(tenant))?.id,
    }),
    stream: streamKind({
      ...shared,
      table,
      signer,
      owners: {
        clients: clientStore(table),
        users: userStore(table),
        groups: groupStore(table),
        roles: roleStore(table),
      },
      representation: newRepresentation(table),
      post: postPublic,
    }),
  }),
  report,
  clock: systemClock,
  alsoDue: (table, untilMs) =>
    tellDue({
      ...shared,
      table,
      untilMs,
      sign,
      applications: applicationStore(table),
      post: postPublic,
      random: Math.random,
      report: (told) => report.told(told),
    }),
});
