/** Streams of security events: their management, and delivery to receivers that poll. */
import { changeFeed } from "#core/database/changes/feed.ts";
import { recordedTables } from "#core/database/changes/open.ts";
import { openTable } from "#core/database/table/dynamo.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { deliveryStore, subscriberStore } from "#core/events/delivery/subscriber-store.ts";
import { signalOperations } from "#core/events/shared-signals/contract.ts";
import { signalHandlers } from "#core/events/shared-signals/handlers.ts";
import { newRepresentation } from "#core/events/shared-signals/representation.ts";
import type { SignalStores } from "#core/events/shared-signals/stores.ts";
import { changing } from "#core/http/changing.ts";
import { lambda } from "#core/http/lambda.ts";
import { apiSection } from "#core/service/settings/api.ts";
import { changesSection } from "#core/service/settings/changes.ts";
import { sectionsFromFile } from "#core/service/settings/section.ts";
import { newEventSigner } from "#core/tokens/event-token.ts";
import { answerKeys, baseUrl, deploymentFile, fetchExempt, tableConfig } from "./env.ts";
import { eventSealOfDelivery, eventSigningSeal } from "./seals.ts";

const open = openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 }));
const { api, changes } = sectionsFromFile(deploymentFile(), [apiSection, changesSection]);
const recorded = recordedTables(changes);
const seal = eventSealOfDelivery();
const signer = newEventSigner(eventSigningSeal());
const exempt = fetchExempt();

export const operations = signalOperations;

export const handler = lambda<typeof operations, SignalStores>({
  service: "signals",
  changing,
  operations,
  handlers: signalHandlers,
  baseUrl: baseUrl(),
  answerKeys: answerKeys(),
  isStrict: api.isStrict,
  table: open,
  stores: (plain, served) => {
    const table = recorded(plain, served.caused);
    return {
      // A key that is not stored must not sign, so that it is not held back. A rehearsal stores none.
      table: table.keeps === "for good" ? table : open(served.meter),
      tenants: tenantStore(table),
      subscribers: subscriberStore(table),
      deliveries: deliveryStore(table),
      feed: changeFeed(table),
      signer,
      seal,
      exempt,
      representation: newRepresentation(table),
    };
  },
});
