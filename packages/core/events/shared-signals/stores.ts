/** The dependencies of the operations on streams. */
import type { ChangeFeed } from "../../database/changes/feed.ts";
import type { Table } from "../../database/table/table.ts";
import type { TenantStore } from "../../directory/tenant-store.ts";
import type { Exempt } from "../../kernel/public-fetch.ts";
import type { Seal } from "../../kernel/seal.ts";
import type { EventSigner } from "../../tokens/event-token.ts";
import type { DeliveryStore, SubscriberStore } from "../delivery/subscriber-store.ts";
import type { DataReads } from "./claims.ts";

/** What the operations on streams use. */
export interface SignalStores {
  /** Where the keys of events are. */
  readonly table: Table;
  readonly tenants: TenantStore;
  readonly subscribers: SubscriberStore;
  readonly deliveries: Pick<DeliveryStore, "save">;
  readonly feed: ChangeFeed;
  readonly signer: EventSigner;
  readonly seal: Seal;
  readonly exempt: Exempt;
  readonly representation: DataReads["representation"];
}
