/**
 * How subscribers are stored. A subscriber has two rows: what its owner decides, and its progress, which the delivery
 * function writes too. All subscribers of a tenant are in two partitions, so that they are read together. A list over
 * all tenants names those that have subscribers.
 */
import type { Json } from "../../database/changes/model.ts";
import { keys } from "../../database/table/keys.ts";
import { bool, json, list, number, oneOf, optional, record, rowCodec, text } from "../../database/table/row.ts";
import { isStale, stale, whileStale } from "../../database/table/stale.ts";
import { type Item, LAST, type Step, type Table } from "../../database/table/table.ts";
import { newId } from "../../kernel/ids.ts";
import { claiming, releasing, slotClaim } from "./claim-rows.ts";
import { type HeldResource, type Progress, type Subscriber, type SubscriberState, subscriberKinds } from "./model.ts";
import { freeSlot, type SlotGroup } from "./slots.ts";

const PER_PAGE = 1_000;
/** Attempts to read two rows that agree: about a second. Then they count as they are, and the next write mends them. */
const READS_MAX = 8;

/** What an update changes. Members that are absent stay as they are. */
export interface SubscriberChange {
  readonly subscriber?: Subscriber;
  readonly progress?: Progress;
}

/** What a new subscriber must not exceed. */
export interface Adding {
  readonly group: SlotGroup;
  readonly taken: () => Error;
}

/** The subscribers of tenants, for the operations of their owners. */
export type SubscriberStore = ReturnType<typeof subscriberStore>;

/** A tenant in the list of those that have subscribers. */
export interface SubscribedTenant {
  readonly tenant: string;
  /** When something is due for one of them. Changes since then are announced by the stream of the table. */
  readonly dueMs: number;
  /** Tells whether another worker has written it since. */
  readonly mark: string;
}

/** What the delivery function does with them. */
export type DeliveryStore = ReturnType<typeof deliveryStore>;

type Versions = SubscriberState["versions"];
type StoredSubscriber = Omit<Subscriber, "id"> & { readonly version: number };
type StoredProgress = Progress & {
  readonly version: number;
  /** The version of the other row that this one belongs to. */
  readonly subscriberVersion: number;
  readonly writer: string;
};

const subscribers = rowCodec<StoredSubscriber>("subscriber", {
  kind: oneOf(...subscriberKinds),
  isActive: bool,
  settings: json<Readonly<Record<string, Json>>>("an object", isObject),
  claim: optional(text),
  slot: optional(text),
  createdAtMs: number,
  updatedAtMs: number,
  version: number,
});

const progresses = rowCodec<StoredProgress>("progress of a subscriber", {
  cursor: text,
  delivered: list(text),
  received: optional(list(text)),
  asides: list(text),
  held: list(record<HeldResource>({ resource: text, failures: number, firstFailureMs: number, nextAttemptMs: number })),
  pause: optional(record<{ reason: string; atMs: number }>({ reason: text, atMs: number })),
  failures: number,
  firstFailureMs: number,
  nextAttemptMs: number,
  lastFailure: optional(text),
  lastDeliveryMs: number,
  lost: optional(list(text)),
  leasedUntilMs: number,
  version: number,
  subscriberVersion: number,
  writer: text,
});

const tenants = rowCodec<Omit<SubscribedTenant, "tenant">>("tenant with subscribers", { dueMs: number, mark: text });

const firstVersions: Versions = { subscriber: 1, progress: 1 };

/** Begins the sort keys of subscribers, which share a partition with their claims. */
const ID = keys.subscriber("", "").SK;

/** Opens the store on the table of one request. */
export function subscriberStore(table: Table) {
  const find = (tenant: string, id: string) =>
    whileStale(async (attempts) => {
      const both = [keys.subscriber(tenant, id), keys.subscriberProgress(tenant, id)];
      const [subscriber, progress] = await table.getMany(both);
      return subscriber && progress && stateOf(tenant, subscriber, progress, attempts);
    });
  return {
    /** One round trip. */
    find,
    /** In the order of their creation. One round trip. */
    list: (tenant: string): Promise<SubscriberState[]> => listed(table, tenant),

    /**
     * Stores a new subscriber, in a free slot of `group`. Throws the error of `taken` where its claim is in use, and
     * that of the group where it has no free slot. Two round trips; two more where another one took the slot meanwhile.
     */
    add: (tenant: string, subscriber: Subscriber, progress: Progress, { group, taken }: Adding): Promise<void> =>
      whileStale(async () => {
        const others = (await listed(table, tenant)).map((state) => state.subscriber);
        const slot = freeSlot(group, others);
        await table.write(
          ...claiming(tenant, subscriber.id, subscriber.claim, taken, applied),
          ...claiming(tenant, subscriber.id, slotClaim(slot), stale, applied),
          { put: subscriberRow(tenant, { ...subscriber, slot }, firstVersions), when: "absent", otherwise: applied },
          { put: progressRow(tenant, subscriber.id, progress, firstVersions), when: "absent", otherwise: applied },
          announcing(tenant),
        );
      }),

    /**
     * Changes a subscriber, and ends what a worker delivers to it at the moment: it goes on by the new state. Calls
     * `change` again after each conflict. Returns the new state; `undefined` where there is no such subscriber. Two
     * round trips.
     */
    update: (
      tenant: string,
      id: string,
      change: (before: SubscriberState) => SubscriberChange | Promise<SubscriberChange>,
      taken: () => Error,
    ): Promise<SubscriberState | undefined> =>
      whileStale(async () => {
        const before = await find(tenant, id);
        if (!before) return undefined;
        const { subscriber: changed = before.subscriber, progress = before.progress } = await change(before);
        const { slot, claim } = before.subscriber;
        const subscriber = { ...changed, ...(slot !== undefined && { slot }) };
        const after: SubscriberState = {
          tenant,
          subscriber,
          // The worker that delivers at the moment stops, because its next write meets another version.
          progress: { ...progress, leasedUntilMs: 0 },
          versions: { subscriber: before.versions.subscriber + 1, progress: before.versions.progress + 1 },
        };
        const isMoved = subscriber.claim !== claim;
        await table.write(
          // A concurrent change may have claimed and released the same: this one is decided again then.
          ...(isMoved
            ? [...claiming(tenant, id, subscriber.claim, taken, stale), ...releasing(tenant, id, claim)]
            : []),
          {
            put: subscriberRow(tenant, subscriber, after.versions),
            when: { equal: { version: before.versions.subscriber } },
            otherwise: stale,
          },
          {
            put: progressRow(tenant, id, after.progress, after.versions),
            when: { equal: { version: before.versions.progress } },
            otherwise: stale,
          },
          announcing(tenant),
        );
        return after;
      }),

    /**
     * Removes a subscriber that `check` lets pass. Calls it again after each conflict. False where there is none. Two
     * round trips.
     */
    remove: (tenant: string, id: string, check?: (before: SubscriberState) => void): Promise<boolean> =>
      whileStale(async () => {
        const before = await find(tenant, id);
        if (!before) return false;
        check?.(before);
        const { subscriber: version } = before.versions;
        const { claim, slot } = before.subscriber;
        await table.write(
          { remove: keys.subscriber(tenant, id), when: { equal: { version } }, otherwise: staleUnlessGone },
          { remove: keys.subscriberProgress(tenant, id), when: "any", otherwise: stale },
          ...releasing(tenant, id, claim),
          ...releasing(tenant, id, slot === undefined ? undefined : slotClaim(slot)),
        );
        return true;
      }),
  };
}

/** Opens what the delivery function does with subscribers. It needs no right to write what owners decide. */
export function deliveryStore(table: Table) {
  return {
    list: (tenant: string) => listed(table, tenant),

    /** All tenants that have subscribers. One round trip. */
    async tenants(): Promise<SubscribedTenant[]> {
      const items = await table.queryAll({ PK: keys.subscribedTenant("").PK, to: LAST, limit: PER_PAGE });
      return items.map((item) => ({ ...tenants.read(item), tenant: item.SK }));
    },

    /** Sets the time when something is due. False where another worker has written it since: its time stays. */
    setDue: (entry: SubscribedTenant, dueMs: number): Promise<boolean> =>
      unlessWritten(() =>
        table.write({
          put: { ...keys.subscribedTenant(entry.tenant), ...tenants.write({ dueMs, mark: newId() }) },
          when: { equal: { mark: entry.mark } },
          otherwise: stale,
        }),
      ),

    /** Takes a tenant without subscribers off the list. False where it was written since. */
    drop: (entry: SubscribedTenant): Promise<boolean> =>
      unlessWritten(() =>
        table.write({
          remove: keys.subscribedTenant(entry.tenant),
          when: { equal: { mark: entry.mark } },
          otherwise: staleUnlessGone,
        }),
      ),

    /**
     * Stores the progress of a subscriber, unless it was written since it was read. Returns the new state; `undefined`
     * where another worker or its owner was first. One round trip.
     */
    async save(state: SubscriberState, progress: Progress): Promise<SubscriberState | undefined> {
      const { tenant, subscriber, versions: before } = state;
      const versions = { ...before, progress: before.progress + 1 };
      const put = progressRow(tenant, subscriber.id, progress, versions);
      const isSaved = await unlessWritten(() =>
        table.write({
          put,
          when: { equal: { version: before.progress } },
          // The random text of this very write shows that its response was lost.
          otherwise: (found) => (found?.writer === put.writer ? "applied" : stale()),
        }),
      );
      return isSaved ? { ...state, progress, versions } : undefined;
    },
  };
}

function listed(table: Table, tenant: string): Promise<SubscriberState[]> {
  return whileStale(async (attempts) => {
    const [rows, progressRows] = await Promise.all([
      table.queryAll({ PK: keys.subscriber(tenant, "").PK, from: ID, to: `${ID}${LAST}`, limit: PER_PAGE }),
      table.queryAll({ PK: keys.subscriberProgress(tenant, "").PK, to: LAST, limit: PER_PAGE }),
    ]);
    const progressOf = new Map(progressRows.map((item) => [item.SK, item]));
    return rows.flatMap((item) => {
      // Both are written together; one of two reads may have missed it.
      const progress = progressOf.get(item.SK.slice(ID.length));
      return progress ? [stateOf(tenant, item, progress, attempts)] : [];
    });
  });
}

/**
 * The state of two rows. Throws `stale` where the reads met them before and after a change of the owner: a worker would
 * take the lease of the changed subscriber, and deliver to the endpoint that it had before.
 */
function stateOf(tenant: string, subscriberItem: Item, progressItem: Item, attempts: number): SubscriberState {
  const { version, ...subscriber } = subscribers.read(subscriberItem);
  const { version: own, subscriberVersion, writer: _, ...progress } = progresses.read(progressItem);
  if (subscriberVersion !== version && attempts < READS_MAX) throw stale();
  const versions = { subscriber: version, progress: own };
  return { tenant, subscriber: { id: progressItem.SK, ...subscriber }, progress, versions };
}

function subscriberRow(tenant: string, { id, ...subscriber }: Subscriber, { subscriber: version }: Versions): Item {
  return { ...keys.subscriber(tenant, id), ...subscribers.write({ ...subscriber, version }) };
}

function progressRow(tenant: string, id: string, progress: Progress, versions: Versions): Item {
  const { progress: version, subscriber: subscriberVersion } = versions;
  const stored = { ...progress, version, subscriberVersion, writer: newId() };
  return { ...keys.subscriberProgress(tenant, id), ...progresses.write(stored) };
}

/** Puts the tenant on the list of those that have subscribers, with something due at once. */
function announcing(tenant: string): Step {
  const put = { ...keys.subscribedTenant(tenant), ...tenants.write({ dueMs: 0, mark: newId() }) };
  return { put, when: "any", otherwise: stale };
}

/** The id is new: a row that has it was written by an earlier attempt of this call. */
function applied(): "applied" {
  return "applied";
}

function staleUnlessGone(found: Item | undefined): Error | "applied" {
  return found ? stale() : "applied";
}

/** False where another worker has written the row since it was read. */
async function unlessWritten(write: () => Promise<void>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (isStale(error)) return false;
    throw error;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
