/**
 * Reads what lists show of applications, and remembers it in the container (decision 0139). A list knows by strongly
 * consistent reads which version each of its applications has: what is remembered of that version is not read again.
 */
import type { NamedItems, Versioned } from "../../database/table/named-items.ts";
import type { Table } from "../../database/table/table.ts";
import { type ApplicationEntry, applicationKind } from "./application-rows.ts";
import type { Application } from "./model.ts";

/** What lists can show of an application. It has no secrets, not even sealed ones. */
export interface ShownApplication
  extends Pick<
    Application,
    | "id"
    | "name"
    | "description"
    | "imageUrl"
    | "accessUrl"
    | "templateId"
    | "templateVersion"
    | "applicationEnabled"
    | "enhancedOrgAuthenticationEnabled"
    | "associatedRoles"
    | "advancedConfigurations"
  > {
  /** The key of Passive STS. */
  readonly realm?: string;
}

/** An application of a list. */
export interface Listed {
  readonly entry: ApplicationEntry;
  /** Set where finding it has read the application. */
  readonly shown?: ShownApplication | undefined;
}

/** An application of one version as lists show it. */
export type Shown = Required<Listed> & { readonly shown: ShownApplication };

/** What a list knows of its applications before it reads them. */
export interface ShownRead {
  readonly tenant: string;
  /** The oldest versions that may be shown. */
  readonly wanted: readonly Pick<ApplicationEntry, "id" | "version">[];
  /** False reads copies at half the price, and again where a copy is too old. */
  readonly isConsistent: boolean;
  /**
   * Absent where the versions are those that the applications have. Otherwise the versions are of changes since
   * `sinceMs`, which were read after `asOfMs`: what is older must have been the newest at that time, or after it.
   */
  readonly changes?: { readonly sinceMs: number; readonly asOfMs: number };
}

/**
 * Reads applications as lists show them, in the order of `wanted`; those that were removed are `undefined`. No round
 * trip where all are remembered, or one, or two where copies are old.
 */
export type ReadShown = (read: ShownRead) => Promise<readonly (Shown | undefined)[]>;

/** Some 1 KB each. */
const REMEMBERED_MOST = 4_000;

/** What lists show of an application. */
export function shownOf({ value, version }: Versioned<Application>): Shown {
  const { id, name, description, imageUrl, accessUrl, templateId, templateVersion, inbound } = value;
  const { applicationEnabled, enhancedOrgAuthenticationEnabled, associatedRoles, advancedConfigurations } = value;
  return {
    entry: applicationKind.entryOf(value, version),
    shown: {
      id,
      name,
      ...(description !== undefined && { description }),
      ...(imageUrl !== undefined && { imageUrl }),
      ...(accessUrl !== undefined && { accessUrl }),
      ...(templateId !== undefined && { templateId }),
      ...(templateVersion !== undefined && { templateVersion }),
      applicationEnabled,
      ...(enhancedOrgAuthenticationEnabled !== undefined && { enhancedOrgAuthenticationEnabled }),
      ...(associatedRoles && { associatedRoles }),
      advancedConfigurations,
      ...(inbound.passiveSts && { realm: inbound.passiveSts.realm }),
    },
  };
}

/** Remembers applications; those that were shown last stay. */
export class ShownMemory {
  readonly #known = new Map<string, { readonly one: Shown; readonly asOfMs: number }>();
  readonly #most: number;

  constructor(most = REMEMBERED_MOST) {
    this.#most = most;
  }

  /** An application in that version or a later one, if it was the newest at `sinceMs` or after it. */
  recall(tenant: string, id: string, version: number, sinceMs = 0): Shown | undefined {
    const known = this.#known.get(keyOf(tenant, id));
    return known && known.one.entry.version >= version && known.asOfMs >= sinceMs ? known.one : undefined;
  }

  /** `asOfMs`: a time at which it was the newest version, or 0 where none is known. */
  remember(tenant: string, one: Shown, asOfMs: number): void {
    const key = keyOf(tenant, one.entry.id);
    const known = this.#known.get(key);
    const newer = (known?.one.entry.version ?? 0) - one.entry.version;
    // A slow request does not replace what a later one has read.
    if (newer > 0) return;
    this.#known.delete(key);
    this.#known.set(key, { one, asOfMs: newer === 0 ? Math.max(asOfMs, known?.asOfMs ?? 0) : asOfMs });
    if (this.#known.size > this.#most) for (const oldest of this.#known.keys().take(1)) this.#known.delete(oldest);
  }
}

const ofContainer = new ShownMemory();

/** Opens the reading on the table of one request. */
export function shownReader(
  table: Table,
  items: NamedItems<Application, ApplicationEntry>,
  memory = ofContainer,
): ReadShown {
  // Where writes are kept back, what is read may never become true.
  const own = table.keeps ? new ShownMemory() : memory;
  return (read) => readShown(items, own, read);
}

async function readShown(
  items: NamedItems<Application, ApplicationEntry>,
  memory: ShownMemory,
  { tenant, wanted, isConsistent, changes }: ShownRead,
): Promise<readonly (Shown | undefined)[]> {
  const known = wanted.map(({ id, version }) => memory.recall(tenant, id, version, changes?.sinceMs));
  const unknown = wanted.filter((_, at) => !known[at]);
  const copies = await items.findMany(
    tenant,
    unknown.map(({ id }) => id),
    { consistent: isConsistent },
  );
  const read = new Map(unknown.map(({ id }, at) => [id, copies[at]]));
  return Promise.all(
    wanted.map(async ({ id, version }, at) => {
      const copy = read.get(id);
      // One by one: only the read of a single item cannot fall between the halves of a transaction.
      const newest = known[at] || (copy && copy.version >= version) ? copy : await items.find(tenant, id);
      const one = known[at] ?? (newest && shownOf(newest));
      if (one) memory.remember(tenant, one, changes?.asOfMs ?? 0);
      return one;
    }),
  );
}

function keyOf(tenant: string, id: string): string {
  return `${tenant}\u0000${id}`;
}
