/** Streams of security events: their management, and delivery to receivers that poll. */
import { changeFeed } from "#core/changes/feed.ts";
import { recordedTables } from "#core/changes/open.ts";
import { tenantStore } from "#core/domain/tenant-store.ts";
import { deliveryStore, subscriberStore } from "#core/events/subscriber-store.ts";
import { changing } from "#core/http/changing.ts";
import { lambda } from "#core/http/lambda.ts";
import { apiSection } from "#core/settings/api.ts";
import { changesSection } from "#core/settings/changes.ts";
import { sectionsFromFile } from "#core/settings/section.ts";
import { signalOperations } from "#core/signals/contract.ts";
import { type SignalStores, signalHandlers } from "#core/signals/handlers.ts";
import { newRepresentation } from "#core/signals/representation.ts";
import { openTable } from "#core/table/dynamo.ts";
import { newEventSigner } from "#core/tokens/event-token.ts";
import { answerKeys, baseUrl, deploymentFile, fetchExempt, tableConfig } from "./env.ts";
import { eventSealOfDelivery, eventSigningSeal } from "./seals.ts";

const open = openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 }));
const { api, changes } = sectionsFromFile(deploymentFile(), [apiSection, changesSection]);
const recorded = recordedTables(open, changes);
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
  stores: (served) => {
    const table = recorded(served);
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
