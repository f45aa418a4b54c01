/**
 * Delivers changes to webhooks and streams. The stream of the table calls it with new changes, a schedule with nothing
 * every minute, and the local service with `{ all: true }`; the gateway does not reach it.
 */
import { changeFeed } from "#core/changes/feed.ts";
import { tenantStore } from "#core/domain/tenant-store.ts";
import { newWorker } from "#core/events/worker.ts";
import { newDeliveryReport } from "#core/http/observe-delivery.ts";
import { systemClock } from "#core/platform/clock.ts";
import { openTable } from "#core/table/dynamo.ts";
import { webhookKind } from "#core/webhooks/kind.ts";
import { eventSealOfDelivery, fetchExempt, publicUrl, tableConfig } from "./env.ts";

const open = openTable(tableConfig({ callMs: 9_000, requestMs: 55_000 }));
const shared = { seal: eventSealOfDelivery(), origin: publicUrl(), exempt: fetchExempt(), clock: systemClock };

export const handler = newWorker({
  open,
  feedOf: changeFeed,
  kindsOf: (table) => ({
    webhook: webhookKind({
      ...shared,
      tenantIdOf: async (tenant) => (await tenantStore(table).find(tenant))?.id,
    }),
  }),
  report: newDeliveryReport("delivery"),
  clock: systemClock,
});
