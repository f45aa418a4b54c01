/** Users: one item each, an entry in the name index of their user store, and the roles they hold in their partition. */
import { Fault } from "../faults/faults.ts";
import { keys } from "../table/keys.ts";
import { nameIndex } from "../table/name-index/name-index.ts";
import { foldName, nameKey } from "../table/name-index/name-key.ts";
import { type Item, LAST, type Step, type Table } from "../table/table.ts";
import type { QualifiedName } from "./username.ts";

/** Roles of one user that are read in one round trip. */
const ROLES_PER_PAGE = 1_000;
const ROLE = "ROLE#";

/** One user. */
export interface User {
  readonly id: string;
  /** As it was written when the user was made. Unique in its store, whatever the case. */
  readonly userName: string;
  readonly userStore: string;
  readonly active: boolean;
}

/** A user, and the roles given to it directly. */
export interface UserWithRoles extends User {
  readonly roleIds: readonly string[];
}

const toUser = (item: Item): User => ({
  id: item.id as string,
  userName: item.userName as string,
  userStore: item.userStore as string,
  active: item.active === true,
});

const isTooLong = (id: string): boolean => Buffer.byteLength(id, "utf8") > 255;

/** The users of all tenants. */
export interface UserStore {
  /** One round trip. */
  find(tenant: string, id: string): Promise<User | undefined>;
  /** One round trip for the user and its roles. */
  findWithRoles(tenant: string, id: string): Promise<UserWithRoles | undefined>;
  /** The id behind a name. One round trip. */
  idOf(name: QualifiedName): Promise<string | undefined>;
  /** Keeps a new user together with further steps (its credential, its roles). Throws what `taken` makes when the name is in use. */
  add(tenant: string, user: User, steps: readonly Step[], taken: () => Error): Promise<void>;
}

/** Opens the store on the table of one request. */
export const userStore = (table: Table): UserStore => ({
  async find(tenant, id) {
    if (isTooLong(id)) return undefined;
    const item = await table.get(keys.user(tenant, id));
    return item && toUser(item);
  },

  async findWithRoles(tenant, id) {
    const main = keys.user(tenant, id);
    const [own, roles] = await Promise.all([
      table.get(main),
      table.queryAll({ PK: main.PK, from: ROLE, to: `${ROLE}${LAST}`, limit: ROLES_PER_PAGE }),
    ]);
    return own && { ...toUser(own), roleIds: roles.map(({ SK }) => SK.slice(ROLE.length)) };
  },

  async idOf({ tenant, userStore: store, name }) {
    const entry = await table.get(keys.userNames(tenant, store).entry(foldName(name)));
    return entry && String(entry.id);
  },

  async add(tenant, user, steps, taken) {
    const index = nameIndex(table, keys.userNames(tenant, user.userStore));
    const otherwise: Step["otherwise"] = () => new Fault("server.unexpected", "a fresh user id is in use");
    const { id, userName, userStore: store, active } = user;
    const item: Item = { ...keys.user(tenant, id), id, userName, userStore: store, active, ver: 1 };
    await index.create({
      key: nameKey(userName),
      entry: { id },
      steps: [{ put: item, when: "absent", otherwise }, ...steps],
      taken,
    });
  },
});
