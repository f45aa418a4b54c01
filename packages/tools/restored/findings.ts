/**
 * What a restore would undo silently: compares a row as it was at the restored moment with the same row of the old
 * table, and says what has protected since then. Pure; carry.ts carries it over.
 */
import { isDeepStrictEqual } from "node:util";
import { DescribeTableCommand, DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { secretsOf } from "#core/applications/protocols/client-secrets.ts";
import type { OidcClient } from "#core/applications/protocols/model.ts";
import { applicationKind } from "#core/applications/registry/application-rows.ts";
import { tokenBindings } from "#core/applications/registry/client-model.ts";
import { authorizations } from "#core/applications/registry/client-store.ts";
import type { Application } from "#core/applications/registry/model.ts";
import { openTable, type TableConfig } from "#core/database/table/dynamo.ts";
import { type Place, placeOf } from "#core/database/table/key-kinds.ts";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { DamagedRow, json, list, misfit, number, optional, record, rowCodec, text } from "#core/database/table/row.ts";
import type { Item, Key, Table } from "#core/database/table/table.ts";
import { asideOf } from "#core/database/trash/aside-rows.ts";
import { groupOf } from "#core/directory/groups/rows.ts";
import { toRole } from "#core/directory/roles/rows.ts";
import { maySignIn, qualifiedName, type User } from "#core/directory/users/model.ts";
import { toUser } from "#core/directory/users/rows.ts";

/** The kinds of what protects, and what carrying over does. */
export const kinds = {
  "tenants-deactivated": "the tenant is deactivated",
  "users-deleted": "the user is deactivated, so that it can be kept or deleted",
  "users-blocked": "the user is inactive, locked or disabled as in the old table",
  passwords: "the password of the old table is valid",
  memberships: "the user leaves the group",
  "groups-deleted": "the group is deleted",
  assignments: "the role is taken from the user or group",
  "roles-deleted": "the role is deleted",
  permissions: "the role loses the permissions that it has not in the old table",
  "applications-deleted": "the application is disabled, so that it can be kept or deleted",
  "applications-disabled": "the application is disabled",
  "clients-ended": "the OAuth client is revoked",
  secrets: "the client secrets of the old table are valid, and no others",
  "client-keys": "the client authenticates by the method and key of the old table, and its tokens are bound as there",
  authorizations: "the application loses the scopes that it has not in the old table",
  "deleted-resources": "the deleted resource is removed for good, unless the old table has it unchanged",
  locks: "failed sign-ins are counted as in the old table",
  "apis-changed": "nothing: delete or change the API again",
  unreadable: "nothing: look at the row",
} as const;

export type Kind = keyof typeof kinds;

/** One thing that protects, and that the restored table does not have. */
export interface Finding {
  readonly kind: Kind;
  readonly place: Place;
  /** What it is about, for people. Never a secret. */
  readonly title: string;
  /** When it was changed, where the old table says. */
  readonly atMs?: number | undefined;
}

/** A row at the restored moment and in the old table. */
export interface Pair {
  readonly restored: Item;
  readonly old: Item | undefined;
  /** For a pair of a relation, a credential, and authorized APIs: whether both ends are still in the old table. */
  readonly hasEnds: boolean;
}

/** What protects in the old table alone. A row that cannot be read is a finding of its own. */
export function findingsOf(pair: Pair): readonly Finding[] {
  const place = placeOf(pair.restored);
  if (!place || isDeepStrictEqual(pair.restored, pair.old)) return [];
  try {
    return comparisons[place.kind]?.(pair, place).map((finding) => ({ place, ...finding })) ?? [];
  } catch (error) {
    if (!(error instanceof DamagedRow)) throw error;
    return [{ kind: "unreadable", place, title: `${place.kind} ${place.id}` }];
  }
}

/** A row of the old table that did not exist at the restored moment: what is lost, or a counter that protects. */
export function additionOf(old: Item): { readonly place: Place; readonly isLock: boolean } | undefined {
  const place = placeOf(old);
  return place?.kind === "deleted resource" ? undefined : place && { place, isLock: place.kind === "lock" };
}

type Comparison = (pair: Pair, place: Place) => readonly Omit<Finding, "place">[];

const comparisons: { readonly [K in Place["kind"]]?: Comparison } = {
  tenant: ({ restored, old }, { tenant }) =>
    restored.active === true && old?.active !== true ? [{ kind: "tenants-deactivated", title: tenant }] : [],
  user({ restored, old }) {
    const [was, now] = [toUser(restored), old && toUser(old)];
    const title = nameOf(was);
    if (!now) return maySignIn(was) ? [{ kind: "users-deleted", title }] : [];
    return maySignIn(was) && !maySignIn(now) ? [{ kind: "users-blocked", title, atMs: now.modifiedMs }] : [];
  },
  credential: ({ old, restored }, { id }) =>
    old && (old.hash !== restored.hash || old.version !== restored.version) ? [{ kind: "passwords", title: id }] : [],
  group({ restored, old }) {
    const was = groupOf(restored);
    return was && !old ? [{ kind: "groups-deleted", title: JSON.stringify(was.displayName) }] : [];
  },
  member: ({ old, hasEnds }, { id, member }) =>
    !old && hasEnds ? [{ kind: "memberships", title: `user ${member} of group ${id}` }] : [],
  role({ restored, old }) {
    const [was, now] = [toRole(restored), old && toRole(old)];
    const title = JSON.stringify(was.name);
    if (!now) return [{ kind: "roles-deleted", title }];
    const lost = was.permissions.filter((name) => !now.holdsEveryScope && !now.permissions.includes(name));
    const isLess = lost.length > 0 || (was.holdsEveryScope && !now.holdsEveryScope);
    return isLess ? [{ kind: "permissions", title, atMs: now.modifiedMs }] : [];
  },
  "role of user": ({ old, hasEnds }, { id, member }) =>
    !old && hasEnds ? [{ kind: "assignments", title: `role ${id} of user ${member}` }] : [],
  "role of group": ({ old, hasEnds }, { id, member }) =>
    !old && hasEnds ? [{ kind: "assignments", title: `role ${id} of group ${member}` }] : [],
  application: ({ restored, old }) =>
    applicationFindings(applicationKind.item.read(restored).value, old && applicationKind.item.read(old).value),
  "authorized APIs": ({ restored, old, hasEnds }, { id }) =>
    hasEnds && lostScopeIds(restored, old).length > 0 ? [{ kind: "authorizations", title: `application ${id}` }] : [],
  "API resource": ({ old }, { id }) => [
    { kind: "apis-changed", title: `API ${id} ${old ? "has changed" : "is deleted"}` },
  ],
  "deleted resource"({ restored }) {
    const { type, name, id } = asideOf(restored);
    return [{ kind: "deleted-resources", title: `${type} ${JSON.stringify(name)} (${id})` }];
  },
  lock: ({ restored, old }) =>
    old && !isDeepStrictEqual(restored, old) ? [{ kind: "locks", title: "a counter" }] : [],
};

function nameOf(user: User): string {
  return `${JSON.stringify(qualifiedName(user))} (${user.id})`;
}

function applicationFindings(was: Application, now: Application | undefined): readonly Omit<Finding, "place">[] {
  const title = `${JSON.stringify(was.name)} (${was.id})`;
  if (!now) return was.applicationEnabled ? [{ kind: "applications-deleted", title }] : [];
  const [client, current] = [was.inbound.oidc, now.inbound.oidc];
  const isSame = current?.clientId === client?.clientId;
  const kindsFound: readonly (Kind | false)[] = [
    was.applicationEnabled && !now.applicationEnabled && "applications-disabled",
    client?.state === "ACTIVE" && (!isSame || current?.state === "REVOKED") && "clients-ended",
    client !== undefined && isSame && secretsText(client) !== secretsText(current) && "secrets",
    client !== undefined && isSame && !isDeepStrictEqual(proofsOf(was), proofsOf(now)) && "client-keys",
  ];
  return kindsFound.flatMap((kind) => (kind ? [{ kind, title }] : []));
}

/** What a client can be authenticated with. */
function secretsText(client: OidcClient | undefined): string {
  const secrets = client ? secretsOf(client) : [];
  return JSON.stringify(secrets.map(({ sealedSecret, expiresAtSeconds }) => [sealedSecret, expiresAtSeconds]));
}

/** How a client proves what it is, besides its secrets, and what its tokens are bound to. */
function proofsOf({ inbound: { oidc }, advancedConfigurations: { certificate } }: Application) {
  const { clientAuthentication, accessToken } = oidc ?? {};
  const binding = tokenBindings.find((kind) => kind === accessToken?.bindingType);
  return { clientAuthentication, binding, certificate: clientAuthentication?.tokenEndpointAuthMethod && certificate };
}

/** The scopes that an application had and has no longer in the old table, as `API scope` pairs. */
export function lostScopeIds(restored: Item, old: Item | undefined): readonly string[] {
  const kept = new Set(pairsOf(old));
  return pairsOf(restored).filter((pair) => !kept.has(pair));
}

/** The pairs of API and scope that an application is authorized for, by its row. An API without scopes counts too. */
function pairsOf(item: Item | undefined): readonly string[] {
  const apis = authorizations.parse(item?.apis ?? []);
  if (apis === misfit) return [];
  return apis.flatMap(({ apiId, scopeIds }) => [apiId, ...scopeIds.map((scope) => `${apiId} ${scope}`)]);
}

/** What a run counts, by name. */
type Counts = Readonly<Record<string, number>>;

/** How far the command is. */
export interface Progress {
  /** The moment that the table was restored to. */
  readonly restoredToMs: number;
  readonly startedMs: number;
  /** The phases that are complete. */
  readonly done: readonly string[];
  /** Where the present phase continues. */
  readonly after?: Key | undefined;
  readonly counts: Counts;
  /** The old table, where there is one, and the kinds that are not carried over. */
  readonly from?: string | undefined;
  readonly leaving: readonly string[];
}

const counts = json<Counts>("counts", (parsed): parsed is Counts =>
  typeof parsed === "object" && parsed !== null ? Object.values(parsed).every(Number.isFinite) : false,
);

const rows = rowCodec<Progress>("restoration", {
  restoredToMs: number,
  startedMs: number,
  done: list(text),
  after: optional(record<Key>({ PK: text, SK: text })),
  counts,
  from: optional(text),
  leaving: list(text),
});

/**
 * The progress in this table; `undefined` where the command has not begun. A row from before the restored moment came
 * with the backup: it is about an earlier restore.
 */
export async function readProgress(table: Table, restoredToMs: number): Promise<Progress | undefined> {
  const item = await table.get(keys.restoration());
  const found = item && rows.read(item);
  return found && found.startedMs > restoredToMs ? found : undefined;
}

/** Stores the progress. */
export function storeProgress(table: Table, progress: Progress): Promise<void> {
  const put = { ...keys.restoration(), ...rows.write(progress) };
  return table.write({ put, when: "any", otherwise: () => new Error("a step without a condition failed") });
}

/** So many rows of a page are compared and changed before the progress is stored. */
const ROWS_PER_PAGE = 500;
const ATTEMPTS = 10;

/** Rows in the order of the table. */
interface RowPage {
  readonly items: readonly Item[];
  /** The key to continue after; absent at the end. */
  readonly next?: Key;
}

/** What AWS says of a table that a backup was restored into. */
export interface Origin {
  readonly restoredToMs: number;
  readonly isInProgress: boolean;
}

/** A whole table. */
export interface WholeTable {
  readonly name: string;
  readonly table: Table;
  /** The rows after a key, as they are now. */
  page(after: Key | undefined): Promise<RowPage>;
  /** Where it was restored from; `undefined` for a table that was created otherwise. Throws where there is none. */
  origin(): Promise<Origin | undefined>;
  close(): void;
}

/** Opens a table. */
export function wholeTable(config: TableConfig, rowsPerPage = ROWS_PER_PAGE): WholeTable {
  const { tableName: TableName } = config;
  const client = new DynamoDBClient({ maxAttempts: ATTEMPTS, ...config.client });
  return {
    name: TableName,
    table: openTable(config)(newMeter()),
    async page(after) {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new ScanCommand({
          TableName,
          ConsistentRead: true,
          Limit: rowsPerPage,
          ...(after && { ExclusiveStartKey: marshall({ PK: after.PK, SK: after.SK }) }),
        }),
      );
      return {
        items: Items.map((item) => unmarshall(item) as Item),
        ...(LastEvaluatedKey && { next: unmarshall(LastEvaluatedKey) as Item }),
      };
    },
    async origin() {
      const { Table: found } = await client.send(new DescribeTableCommand({ TableName }));
      const { RestoreDateTime, RestoreInProgress = false } = found?.RestoreSummary ?? {};
      return RestoreDateTime && { restoredToMs: RestoreDateTime.getTime(), isInProgress: RestoreInProgress };
    },
    close: () => client.destroy(),
  };
}
