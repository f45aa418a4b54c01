/** How roles are kept: one item each, an entry per name (its claim, and the row of the list), and an item for each holder. */

import { renamingStep } from "../groups/names.ts";
import { foldName } from "../platform/fold.ts";
import { keys } from "../table/keys.ts";
import { stale, whileStale } from "../table/stale.ts";
import type { Item, Step, Table } from "../table/table.ts";
import { revokingRole } from "../tokens/revocation.ts";
import {
  gainingRole,
  type Holder,
  type HolderKind,
  holdersAmong,
  losingRole,
  readHolders,
  rememberingRole,
} from "./holders.ts";
import { ADMIN_ROLE, type Audience, EVERYONE_ROLE, type Role } from "./model.ts";
import { nameTaken, notFound } from "./rules.ts";

export { ADMIN_ROLE, EVERYONE_ROLE, type Role } from "./model.ts";

/** Holders that gain or lose a role in one transaction: two steps each. */
const HOLDERS_AT_ONCE = 45;
/** How many transactions clear up behind a role that was deleted. What is left does no harm: the role is gone. */
const CLEARING_ROUNDS = 40;
const ROLES_PER_PAGE = 5_000;
const ID_BYTES_MAX = 255;

const toRole = (item: Item): Role => ({
  id: item.id as string,
  name: item.name as string,
  permissions: [...((item.permissions as ReadonlySet<string> | undefined) ?? [])].sort(),
  holdsEveryScope: item.every === true,
  audience: { type: item.audience as Audience["type"], value: item.audienceId as string },
  createdMs: item.created as number,
  modifiedMs: item.modified as number,
  version: item.ver as number,
});

const roleItem = (tenant: string, role: Role): Item => ({
  ...keys.role(tenant, role.id),
  id: role.id,
  name: role.name,
  ...(role.permissions.length > 0 && { permissions: new Set(role.permissions) }),
  ...(role.holdsEveryScope && { every: true }),
  audience: role.audience.type,
  audienceId: role.audience.value,
  created: role.createdMs,
  modified: role.modifiedMs,
  ver: role.version,
});

/** The name under which a role is listed: those for all applications first, then those of each one. */
const entryKey = (tenant: string, { name, audience }: Role) =>
  keys.roleName(
    tenant,
    audience.type === "organization" ? `#${foldName(name)}` : `${audience.value}#${foldName(name)}`,
  );

/** What a change makes of a role. */
export interface RoleChange {
  readonly after: Role;
  /** Who does not hold it yet. */
  readonly gaining: readonly Holder[];
  /** Who holds it. */
  readonly losing: readonly Holder[];
}

/** The roles of all tenants. */
export interface RoleStore {
  /** One round trip. */
  find(tenant: string, id: string): Promise<Role | undefined>;
  /** Several roles in one round trip; those that are gone are left out. */
  findMany(tenant: string, ids: readonly string[]): Promise<Role[]>;
  /** The id of the role that every user has without being given it. One round trip. */
  idOfEveryone(tenant: string): Promise<string | undefined>;
  /** The id of the role that holds every scope. One round trip. */
  idOfAdmin(tenant: string): Promise<string | undefined>;
  /** All roles of a tenant, those for all applications first, by name. Two round trips. */
  all(tenant: string): Promise<Role[]>;
  /** The names of several roles, as far as they exist. One round trip. */
  namesOf(tenant: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The ids of the users or groups that hold a role, up to `most`. */
  holders(tenant: string, id: string, kind: HolderKind, most: number): Promise<readonly string[]>;
  /** Which of some users and groups hold a role. One round trip. */
  holdersAmong(tenant: string, id: string, holders: readonly Holder[]): Promise<readonly Holder[]>;
  /** Keeps a new role with its first holders. Throws `scim.unique`. */
  add(tenant: string, role: Role, holders: readonly Holder[]): Promise<void>;
  /**
   * Changes a role: `change` is given what is there and answers what shall be, or `undefined` to leave it. It is called again
   * when another writer was faster. Up to 45 holders gain or lose it in the transaction that changes it, more in further
   * ones. Answers the role as it is then. Throws `scim.not_found`, `scim.unique`, and what `change` throws.
   */
  update(
    tenant: string,
    id: string,
    nowMs: number,
    change: (before: Role) => Promise<RoleChange | undefined>,
  ): Promise<Role>;
  /** Removes a role; nobody holds it from that moment on. Throws `scim.not_found`, and what `check` throws. */
  remove(tenant: string, id: string, check: (role: Role) => void): Promise<void>;
  /** The steps that keep a new role and claim its name. */
  adding(tenant: string, role: Role, otherwise: Step["otherwise"]): Step[];
  /** The steps that give a role to a user who is there. */
  giving(tenant: string, roleId: string, userId: string, otherwise: Step["otherwise"]): Step[];
  /** The role's side of giving it: the step for a user who is made in the same transaction, with the role's id. */
  holding(tenant: string, roleId: string, userId: string, otherwise: Step["otherwise"]): Step;
}

const chunks = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((one) => others.includes(one));

const isTooLong = (id: string): boolean => Buffer.byteLength(id, "utf8") > ID_BYTES_MAX;

const holding: RoleStore["holding"] = (tenant, roleId, userId, otherwise) => ({
  put: { ...keys.roleUser(tenant, roleId, userId) },
  when: "absent",
  otherwise,
});

const adding = (tenant: string, role: Role, otherwise: Step["otherwise"]): Step[] => [
  { put: { ...entryKey(tenant, role), id: role.id }, when: "absent", otherwise },
  { put: roleItem(tenant, role), when: "absent", otherwise },
];

/** The step that tells a role that who holds it has changed. */
const touching = (tenant: string, id: string, nowMs: number): Step => ({
  change: keys.role(tenant, id),
  add: { ver: 1 },
  set: { modified: nowMs },
  when: "present",
  otherwise: stale,
});

/** Opens the store on the table of one request. */
export const roleStore = (table: Table): RoleStore => {
  const find: RoleStore["find"] = async (tenant, id) => {
    if (isTooLong(id)) return undefined;
    const item = await table.get(keys.role(tenant, id));
    return item && toRole(item);
  };
  const findMany: RoleStore["findMany"] = async (tenant, ids) => {
    const known = ids.filter((id) => !isTooLong(id));
    if (known.length === 0) return [];
    const items = await table.getMany(known.map((id) => keys.role(tenant, id)));
    return items.flatMap((item) => (item ? [toRole(item)] : []));
  };

  const idOfBuiltIn = async (tenant: string, name: string): Promise<string | undefined> => {
    const entry = await table.get(keys.roleName(tenant, `#${name}`));
    return entry && String(entry.id);
  };

  /** Holders beyond those of the first transaction. Whoever was faster with one of them is let be. */
  const writeRest = async (
    tenant: string,
    id: string,
    nowMs: number,
    { gaining, losing }: Pick<RoleChange, "gaining" | "losing">,
  ) => {
    const changes = [
      ...losing.map((holder) => ({ holder, gains: false })),
      ...gaining.map((holder) => ({ holder, gains: true })),
    ];
    for (const some of chunks(changes, HOLDERS_AT_ONCE)) {
      await whileStale(async () => {
        const all = some.map(({ holder }) => holder);
        const hold = new Set(await holdersAmong(table, tenant, id, all));
        const open = some.filter(({ holder, gains }) => hold.has(holder) !== gains);
        if (open.length === 0) return;
        await table.write(
          ...open.flatMap(({ holder, gains }) =>
            gains ? gainingRole(tenant, id, holder) : losingRole(tenant, id, holder),
          ),
          ...(open.some(({ gains }) => !gains) ? revokingRole(tenant, id) : []),
          touching(tenant, id, nowMs),
        );
      });
    }
  };

  return {
    find,
    findMany,

    idOfEveryone: (tenant) => idOfBuiltIn(tenant, EVERYONE_ROLE),
    idOfAdmin: (tenant) => idOfBuiltIn(tenant, ADMIN_ROLE),

    async all(tenant) {
      const { PK } = keys.roleName(tenant, "-");
      const entries = await table.queryAll({ PK, limit: ROLES_PER_PAGE });
      return findMany(
        tenant,
        entries.map(({ id }) => String(id)),
      );
    },

    async namesOf(tenant, ids) {
      return new Map((await findMany(tenant, ids)).map(({ id, name }) => [id, name]));
    },

    holders: (tenant, id, kind, most) => readHolders(table, tenant, id, kind, most),
    holdersAmong: (tenant, id, holders) => holdersAmong(table, tenant, id, holders),

    async add(tenant, role, holders) {
      const [first = [], ...rest] = chunks(holders, HOLDERS_AT_ONCE);
      await table.write(
        ...adding(tenant, role, (found) => (found?.id === role.id ? "applied" : nameTaken(role.name))),
        ...first.flatMap((holder) => gainingRole(tenant, role.id, holder)),
      );
      await writeRest(tenant, role.id, role.createdMs, { gaining: rest.flat(), losing: [] });
    },

    update: (tenant, id, nowMs, change) =>
      whileStale(async () => {
        const before = await find(tenant, id);
        if (!before) throw notFound(id);
        const wished = await change(before);
        if (!wished) return before;
        const { gaining, losing } = wished;
        const after = { ...wished.after, version: before.version + 1, modifiedMs: nowMs };
        const [now, later] = [losing.slice(0, HOLDERS_AT_ONCE), losing.slice(HOLDERS_AT_ONCE)];
        const room = HOLDERS_AT_ONCE - now.length;
        const isRenamed = foldName(after.name) !== foldName(before.name);
        await table.write(
          { put: roleItem(tenant, after), when: { equal: { ver: before.version } }, otherwise: stale },
          ...(isRenamed
            ? [
                {
                  put: { ...entryKey(tenant, after), id },
                  when: "absent",
                  otherwise: (found: Item | undefined) => (found?.id === id ? stale() : nameTaken(after.name)),
                } as const,
                { remove: entryKey(tenant, before), when: { equal: { id } }, otherwise: stale } as const,
              ]
            : []),
          ...(after.name === before.name ? [] : [renamingStep(tenant)]),
          ...now.flatMap((holder) => losingRole(tenant, id, holder)),
          ...gaining.slice(0, room).flatMap((holder) => gainingRole(tenant, id, holder)),
          ...(losing.length > 0 || !isSame(before.permissions, after.permissions) ? revokingRole(tenant, id) : []),
        );
        await writeRest(tenant, id, nowMs, { gaining: gaining.slice(room), losing: later });
        return later.length + gaining.length > room ? ((await find(tenant, id)) ?? after) : after;
      }),

    async remove(tenant, id, check) {
      await whileStale(async () => {
        const role = await find(tenant, id);
        if (!role) throw notFound(id);
        check(role);
        await table.write(
          { remove: keys.role(tenant, id), when: { equal: { ver: role.version } }, otherwise: stale },
          { remove: entryKey(tenant, role), when: { equal: { id } }, otherwise: stale },
          renamingStep(tenant),
          ...revokingRole(tenant, id),
        );
      });
      for (const kind of ["user", "group"] as const) {
        for (let round = 0; round < CLEARING_ROUNDS; round += 1) {
          const ids = await readHolders(table, tenant, id, kind, HOLDERS_AT_ONCE);
          if (ids.length === 0) break;
          await whileStale(async () => {
            const hold = await holdersAmong(
              table,
              tenant,
              id,
              ids.map((holderId) => ({ kind, id: holderId })),
            );
            if (hold.length > 0) await table.write(...hold.flatMap((holder) => losingRole(tenant, id, holder)));
          });
        }
      }
    },

    adding,
    giving: (tenant, roleId, userId, otherwise) => [
      rememberingRole(tenant, { kind: "user", id: userId }, roleId, "gain", otherwise),
      holding(tenant, roleId, userId, otherwise),
    ],
    holding,
  };
};

/** The scopes of some roles. `everyScope` is what a role that holds them all stands for. */
export const scopesOf = (roles: readonly Role[], everyScope: ReadonlySet<string>): ReadonlySet<string> =>
  new Set(roles.flatMap((role) => (role.holdsEveryScope ? [...everyScope] : role.permissions)));
