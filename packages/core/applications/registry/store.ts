/**
 * How applications are kept: one item each, an entry per name (the claim of the name and the row of the list), and the
 * resident application of the tenant. Entries hold no more than lists are filtered and ordered by, so that all of a
 * tenant's are one cheap range (decision 0004).
 */

import { keys } from "../../table/keys.ts";
import { stale, whileStale } from "../../table/stale.ts";
import type { Item, Step, Table } from "../../table/table.ts";
import { type InboundKey, keysOf, protocolKinds, samlKey } from "../protocols/kinds.ts";
import type { Authorization } from "./authorization-model.ts";
import { linkingClient, removingAuthorizedApis, toAuthorizations } from "./authorization-store.ts";
import { type ClientRecord, clientOf } from "./client-model.ts";
import { changingClient, clientItem, releasingClient } from "./client-store.ts";
import { type Application, freshApplication, noProvisioning, type ProvisioningSettings } from "./model.ts";
import { nameTaken, notFound, renameTaken } from "./rules.ts";

/** Entries that are read strongly; those behind them at half the price (decision 0004). */
const ENTRIES_READ_STRONGLY = 2_000;
/** Entries of one round trip. Past 1 MB DynamoDB ends the page by itself. */
const ENTRIES_PER_PAGE = 10_000;

/** What lists are filtered and ordered by. */
export interface ApplicationEntry {
  readonly id: string;
  readonly name: string;
  /** The version of the application when the entry was written: tells a stale copy of the item. */
  readonly version: number;
  readonly clientId?: string;
  readonly issuer?: string;
}

interface Versioned {
  readonly application: Application;
  readonly version: number;
}

/** Judges that an application with these authorizations gets another credential. */
export type OnCredential = (authorizations: readonly Authorization[]) => void;

/** The applications of all tenants; every method takes the tenant that the credential named. */
export interface ApplicationStore {
  /** One round trip. */
  find(tenant: string, id: string): Promise<Application | undefined>;
  /** Keeps a new application. Throws `application.name_taken`. One round trip. */
  add(tenant: string, application: Application): Promise<void>;
  /**
   * Changes an application: `change` is given what is there and answers what shall be, and is called again when another
   * writer was faster. Answering what it was given changes nothing and writes nothing. `onCredential` is told what the
   * application is authorized for where it gets another client or secret, and may throw. Throws `application.not_found`,
   * `application.name_taken`, and what `change` and `onCredential` throw. Two round trips; three with another client or secret.
   */
  update(
    tenant: string,
    id: string,
    change: (before: Application) => Application,
    onCredential?: OnCredential,
  ): Promise<void>;
  /** Removes an application with its authorized APIs and frees its name. Nothing happens when it is not there. Two round trips. */
  remove(tenant: string, id: string): Promise<void>;
  /** The entries of all applications, newest first. */
  entries(tenant: string): Promise<ApplicationEntry[]>;
  /** The entry of one name. */
  entry(tenant: string, name: string): Promise<ApplicationEntry | undefined>;
  /** The applications of some entries, in their order; what was removed in between is left out. */
  readMany(tenant: string, entries: readonly ApplicationEntry[]): Promise<Application[]>;
  /** The provisioning settings of the resident application. */
  resident(tenant: string): Promise<ProvisioningSettings>;
  /** Changes them, as `update` does. Answers what they are then. */
  updateResident(
    tenant: string,
    change: (before: ProvisioningSettings) => ProvisioningSettings,
  ): Promise<ProvisioningSettings>;
}

const FIRST_VERSION = 1;

/** The items of a new application, for a loader into an empty table. */
export function applicationItems(tenant: string, application: Application): Item[] {
  return [
    ...newClientItems(tenant, application),
    ...plainKeysOf(application).map((key) => keyItem(tenant, key, application.id)),
    entryItem(tenant, application, FIRST_VERSION),
    itemOf(tenant, application, FIRST_VERSION),
  ];
}

/** Opens the store on the table of one request. */
export function applicationStore(table: Table): ApplicationStore {
  const read = async (tenant: string, id: string): Promise<Versioned | undefined> => {
    const item = await table.get(keys.application(tenant, id));
    return item && toVersioned(item);
  };

  /** The steps on the client between two states of an application. One round trip where it comes or goes, or its secret is judged. */
  const clientSteps = async (
    tenant: string,
    before: Application,
    after: Application,
    onCredential: OnCredential | undefined,
  ): Promise<readonly Step[]> => {
    const [old, wished] = [namedClientOf(before), namedClientOf(after)];
    const owner = { tenant, applicationId: after.id };
    if (old && wished && old.clientId === wished.clientId) {
      if (onCredential && old.client.sealedSecret !== wished.client.sealedSecret) {
        onCredential(toAuthorizations(await table.get(keys.authorizedApis(tenant, after.id))));
      }
      return changingClient(old.clientId, owner, old.client, wished.client);
    }
    if (!old && !wished) return [];
    const authorized = await table.get(keys.authorizedApis(tenant, after.id));
    if (wished) onCredential?.(toAuthorizations(authorized));
    return [
      linkingClient(tenant, after.id, authorized, wished?.clientId),
      ...(old ? releasingClient(old.clientId, owner) : []),
      ...(wished
        ? [
            claimingClient(
              tenant,
              after,
              clientItem(wished.clientId, owner, wished.client, toAuthorizations(authorized)),
            ),
          ]
        : []),
    ];
  };

  return {
    find: async (tenant, id) => (await read(tenant, id))?.application,

    add: (tenant, application) =>
      table.write(
        {
          put: entryItem(tenant, application, FIRST_VERSION),
          when: "absent",
          // The id is new, so an entry that has it already was written by this very call.
          otherwise: (found) => (belongsTo(found, application.id) ? "applied" : nameTaken(application, tenant)),
        },
        ...newClientItems(tenant, application).map((item) => claimingClient(tenant, application, item)),
        ...keySteps(tenant, undefined, application),
        { put: itemOf(tenant, application, FIRST_VERSION), when: "absent", otherwise: stale },
      ),

    update: (tenant, id, change, onCredential) =>
      whileStale(async () => {
        const before = await read(tenant, id);
        if (!before) throw notFound(id, tenant);
        const after = change(before.application);
        if (after === before.application) return;
        const version = before.version + 1;
        const i = packId(id);
        const oldEntry = keys.applicationEntry(tenant, before.application.name);
        const entrySteps: Step[] =
          after.name === before.application.name
            ? [{ put: entryItem(tenant, after, version), when: { equal: { i } }, otherwise: stale }]
            : [
                {
                  put: entryItem(tenant, after, version),
                  when: "absent",
                  // Its own entry there is another rename of the same application, which may have changed other things.
                  otherwise: (found) => (belongsTo(found, id) ? stale() : renameTaken(id, after.name)),
                },
                { remove: oldEntry, when: { equal: { i } }, otherwise: stale },
              ];
        await table.write(
          ...entrySteps,
          ...(await clientSteps(tenant, before.application, after, onCredential)),
          ...keySteps(tenant, before.application, after),
          { put: itemOf(tenant, after, version), when: { equal: { ver: before.version } }, otherwise: stale },
        );
      }),

    remove: (tenant, id) =>
      whileStale(async () => {
        const [before, authorized] = await Promise.all([read(tenant, id), table.get(keys.authorizedApis(tenant, id))]);
        if (!before) return;
        const client = namedClientOf(before.application);
        await table.write(
          removingAuthorizedApis(tenant, id, authorized),
          {
            remove: keys.application(tenant, id),
            when: { equal: { ver: before.version } },
            otherwise: stale,
          },
          {
            remove: keys.applicationEntry(tenant, before.application.name),
            when: { equal: { i: packId(id) } },
            otherwise: stale,
          },
          ...(client ? releasingClient(client.clientId, { tenant, applicationId: id }) : []),
          ...keySteps(tenant, before.application, undefined),
        );
      }),

    async entries(tenant) {
      const range = { PK: keys.applicationEntries(tenant), limit: ENTRIES_READ_STRONGLY };
      const first = await table.query(range);
      const rest = first.next
        ? await table.queryAll({ ...range, limit: ENTRIES_PER_PAGE, after: first.next, consistent: false })
        : [];
      const items = [...first.items, ...rest];
      // A range read that meets a rename half done may see both names of one application: the newer one counts.
      const newest = new Map<string, ApplicationEntry>();
      for (const entry of items.map(toEntry)) {
        if (entry.version >= (newest.get(entry.id)?.version ?? 0)) newest.set(entry.id, entry);
      }
      // Ids are UUIDs of version 7, so their order is the order of creation.
      return [...newest.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
    },

    async entry(tenant, name) {
      const found = await table.get(keys.applicationEntry(tenant, name));
      return found && toEntry(found);
    },

    async readMany(tenant, entries) {
      const keyOf = ({ id }: ApplicationEntry) => keys.application(tenant, id);
      // Half the price; the entries, read strongly, show which copies are not the newest.
      const items = await table.getMany(entries.map(keyOf), { consistent: false });
      const isOld = (index: number) =>
        ((items[index]?.ver as number | undefined) ?? 0) < (entries[index]?.version ?? 0);
      const old = entries.filter((_, index) => isOld(index));
      // One by one: only a read of a single item cannot fall between the halves of a transaction.
      const fresh = await Promise.all(old.map((entry) => table.get(keyOf(entry))));
      const freshById = new Map(old.map(({ id }, index) => [id, fresh[index]]));
      return entries.flatMap(({ id }, index) => {
        const found = freshById.has(id) ? freshById.get(id) : items[index];
        return found ? [toVersioned(found).application] : [];
      });
    },

    async resident(tenant) {
      const found = await table.get(keys.residentApplication(tenant));
      return (found?.settings as unknown as ProvisioningSettings | undefined) ?? noProvisioning;
    },

    updateResident: (tenant, change) =>
      whileStale(async () => {
        const key = keys.residentApplication(tenant);
        const found = await table.get(key);
        const after = change((found?.settings as unknown as ProvisioningSettings | undefined) ?? noProvisioning);
        const ver = (found?.ver as number | undefined) ?? 0;
        await table.write({
          put: { ...key, ver: ver + 1, settings: after as unknown as Item["settings"] },
          when: found ? { equal: { ver } } : "absent",
          otherwise: stale,
        });
        return after;
      }),
  };
}

/** A part that was added to applications after this one was kept has the value of a fresh one. */
function toVersioned(item: Item): Versioned {
  const kept = item.application as unknown as Partial<Application> & Pick<Application, "id" | "name">;
  return { application: { ...freshApplication(kept.id, kept.name, "", false), ...kept }, version: item.ver as number };
}

/** The step that claims the client id of an application, given the item of the client. */
function claimingClient(tenant: string, { id, inbound }: Application, put: Item): Step {
  return {
    put,
    when: "absent",
    otherwise(found) {
      if (found?.application === id && found.tenant === tenant) return stale();
      return inbound.oidc ? protocolKinds.oidc.keyOf(inbound.oidc).taken(tenant) : stale();
    },
  };
}

function belongsTo(entry: Item | undefined, id: string): boolean {
  return entry?.i instanceof Uint8Array && unpackId(entry.i) === id;
}

/** The steps on those keys between two states of an application. */
function keySteps(tenant: string, before: Application | undefined, after: Application | undefined): Step[] {
  const id = after?.id ?? before?.id ?? "";
  const [old, wished] = [plainKeysOf(before), plainKeysOf(after)];
  const isIn = (list: readonly InboundKey[]) => (key: InboundKey) =>
    list.some(({ kind, value }) => kind === key.kind && value === key.value);
  return [
    ...old.filter((key) => !isIn(wished)(key)).map((key) => releasing(tenant, key, id)),
    ...wished.filter((key) => !isIn(old)(key)).map((key) => claiming(tenant, key, id)),
  ];
}

function releasing(tenant: string, { kind, value }: InboundKey, id: string): Step {
  return {
    remove: keys.inboundKey(tenant, kind, value),
    when: { equal: { application: id, tenant } },
    otherwise: stale,
  };
}

function claiming(tenant: string, key: InboundKey, id: string): Step {
  return {
    put: keyItem(tenant, key, id),
    when: "absent",
    // Its own claim there is another change of the same application, which may have changed other things.
    otherwise: (found) => (found?.application === id && found.tenant === tenant ? stale() : key.taken(tenant)),
  };
}

function toEntry(item: Item): ApplicationEntry {
  return {
    id: unpackId(item.i as Uint8Array),
    name: item.SK,
    version: item.v as number,
    ...(typeof item.c === "string" && { clientId: item.c }),
    ...(typeof item.s === "string" && { issuer: item.s }),
  };
}

function unpackId(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** The item of the client of a new application, if it has one. */
function newClientItems(tenant: string, application: Application): Item[] {
  const named = namedClientOf(application);
  return named ? [clientItem(named.clientId, { tenant, applicationId: application.id }, named.client, [])] : [];
}

/** The keys that an application claims, but for its client id, of which clients/store.ts takes care. */
function plainKeysOf(application: Application | undefined): readonly InboundKey[] {
  const { oidc: _, ...inbound } = application?.inbound ?? {};
  return keysOf(inbound);
}

/** The items by which a key belongs to an application. */
function keyItem(tenant: string, { kind, value }: InboundKey, id: string): Item {
  return {
    ...keys.inboundKey(tenant, kind, value),
    tenant,
    application: id,
  };
}

function entryItem(tenant: string, { id, name, inbound }: Application, version: number): Item {
  return {
    ...keys.applicationEntry(tenant, name),
    i: packId(id),
    v: version,
    c: inbound.oidc?.clientId,
    s: inbound.saml && samlKey(inbound.saml),
  };
}

function itemOf(tenant: string, application: Application, ver: number): Item {
  return {
    ...keys.application(tenant, application.id),
    ver,
    // Stored as it is; `undefined` members are not stored.
    application: application as unknown as Item["application"],
  };
}

/** The client of an application with its id, if it has one. */
function namedClientOf(
  application: Application,
): { readonly clientId: string; readonly client: ClientRecord } | undefined {
  const [client, clientId] = [clientOf(application), application.inbound.oidc?.clientId];
  return client && clientId !== undefined ? { clientId, client } : undefined;
}

/** Ids are UUIDs; as 16 bytes they keep the entries small. */
function packId(id: string): Uint8Array {
  return Buffer.from(id.replaceAll("-", ""), "hex");
}
