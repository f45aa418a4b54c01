/** Writers of users; their users join and leave a group and a role that all writers share. */
import { canonical, type Tracked, tracked } from "../ledger.ts";
import {
  type Actor,
  type Dice,
  diceOf,
  newCollection,
  type Owned,
  type Run,
  readAll,
  UNREADABLE,
} from "../run-of-seed.ts";

const USERS = "/scim2/Users";
const GROUPS = "/scim2/Groups";
const ROLES = "/scim2/v2/Roles";
const CONTESTED_NAMES = 5;

interface UserState {
  readonly userName: string;
  readonly givenName: string;
  readonly externalId: string | undefined;
}

/** The group and the role that the users of all writers join. */
export interface Shared {
  readonly groupId: string;
  readonly roleId: string;
  /** Memberships and assignments, by the id of the user. Each belongs to the writer of the user. */
  readonly inGroup: Map<string, Tracked<true>>;
  readonly inRole: Map<string, Tracked<true>>;
  /** Ids of users whose create under a contested name was acknowledged, by name. */
  readonly contested: Map<string, string[]>;
}

/** Creates what is shared. */
export const prepareShared = async ({ client, seed }: Run): Promise<Shared> => {
  const group = await client.send("POST", GROUPS, { body: { displayName: `shared-${seed}` } });
  const body = { displayName: `shared-${seed}`, permissions: [{ value: "internal_application_mgt_view" }] };
  const role = await client.send("POST", ROLES, { body });
  if (group.status !== 201 || role.status !== 201) throw new Error(`${group.text} ${role.text}`);
  return {
    groupId: group.body.id,
    roleId: role.body.id,
    inGroup: new Map(),
    inRole: new Map(),
    contested: new Map(Array.from({ length: CONTESTED_NAMES }, (_, at) => [`contested-${seed}-${at}`, []])),
  };
};

const lookAt = (run: Run) => async (id: string) => {
  const read = await readAll(run, `${USERS}/${id}`);
  if (read === UNREADABLE) return read;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back
  const [user] = read as any[];
  return (
    user && ({ userName: user.userName, givenName: user.name?.givenName, externalId: user.externalId } as UserState)
  );
};

/** The id of the user with a name. */
const findUser = async (run: Run, userName: string): Promise<string | undefined | typeof UNREADABLE> => {
  const { status, body } = await run.client.read(`${USERS}?filter=${encodeURIComponent(`userName eq "${userName}"`)}`);
  return status === 200 ? (body.Resources ?? [])[0]?.id : UNREADABLE;
};

/** A writer of users. */
export const usersActor = (run: Run, writer: number, shared: Shared): Actor => {
  const { client, ledger } = run;
  const dice: Dice = diceOf(run.seed, writer);
  const users = newCollection<UserState>(run, dice, lookAt(run));
  let made = 0;

  const bodyOf = ({ userName, givenName, externalId }: UserState) => ({ userName, name: { givenName }, externalId });
  const create = async () => {
    made += 1;
    const label = `u-${run.seed}-${writer}-${made}`;
    const state = { userName: label, givenName: "New", externalId: dice.chance(0.5) ? `x-${label}` : undefined };
    await users.create(label, USERS, bodyOf(state), state);
  };
  const patch = (user: Owned<UserState>, path: string, value: string, change: (before: UserState) => UserState) =>
    users.change(
      user,
      "PATCH",
      `${USERS}/${user.id}`,
      { Operations: [{ op: "replace", path, value }] },
      (before) => before && change(before),
    );
  const touch = async (user: Owned<UserState>) => {
    const value = `n${dice.upTo(9_999)}`;
    if (dice.chance(0.6)) return patch(user, "name.givenName", value, (before) => ({ ...before, givenName: value }));
    if (dice.chance(0.5)) return patch(user, "externalId", value, (before) => ({ ...before, externalId: value }));
    const before = user.state.possible()[0];
    if (!before) return;
    const after: UserState = { ...before, givenName: value, externalId: dice.chance(0.5) ? value : undefined };
    return users.change(user, "PUT", `${USERS}/${user.id}`, bodyOf(after), (state) => state && after);
  };
  const rename = (user: Owned<UserState>) => {
    made += 1;
    const userName = `u-${run.seed}-${writer}-${made}.renamed`;
    return patch(user, "userName", userName, (before) => ({ ...before, userName }));
  };
  const refuse = async (user: Owned<UserState>) => {
    const name = user.state.possible()[0]?.userName ?? "";
    if (dice.chance(0.5)) return users.refused(`again:${name}`, "POST", USERS, { userName: name.toUpperCase() });
    const Operations = [{ op: "replace", path: "userName", value: "admin" }];
    return users.refused(user.state.label, "PATCH", `${USERS}/${user.id}`, { Operations });
  };
  const contest = async () => {
    const name = dice.pick([...shared.contested.keys()]);
    const { reply, outcome } = await client.write(name, "POST", USERS, { body: { userName: name } });
    if (outcome === "acknowledged") shared.contested.get(name)?.push(reply.body.id);
  };
  const relate = async (user: Owned<UserState>) => {
    const isGroup = dice.chance(0.6);
    const relations = isGroup ? shared.inGroup : shared.inRole;
    const [path, attribute] = isGroup
      ? [`${GROUPS}/${shared.groupId}`, "members"]
      : [`${ROLES}/${shared.roleId}`, "users"];
    const label = `${isGroup ? "group" : "role"}+${user.state.label}`;
    const relation = relations.get(user.id) ?? tracked<true>(label, undefined);
    relations.set(user.id, relation);
    const joins = !relation.possible().includes(true);
    const Operations = joins
      ? [{ op: "add", path: attribute, value: [{ value: user.id }] }]
      : [{ op: "remove", path: `${attribute}[value eq "${user.id}"]` }];
    const { outcome, reply } = await client.write(label, "PATCH", path, { body: { Operations } });
    relation.wrote(outcome, () => (joins ? true : undefined));
    if (outcome === "refused" && !reply.headers.has("retry-after") && relation.possible().length === 1) {
      ledger.broken(label, `refused without a reason: ${reply.status} ${reply.text.slice(0, 200)}`);
    }
  };

  /** Compares the relations of this writer's users with what group, role and user show. */
  const verifyRelations = async () => {
    const [group, role] = [
      await client.read(`${GROUPS}/${shared.groupId}`),
      await client.read(`${ROLES}/${shared.roleId}`),
    ];
    const shown = [
      { of: shared.inGroup, body: group.body?.members, side: "groups", id: shared.groupId },
      // Users show their roles by name.
      { of: shared.inRole, body: role.body?.users, side: "roles", id: `shared-${run.seed}` },
    ];
    for (const user of users.list) {
      const read = await client.read(`${USERS}/${user.id}`);
      for (const { of, body, side, id } of shown) {
        const has = (list: { value: string }[] | undefined, value: string) =>
          (list ?? []).some((one) => one.value === value) || undefined;
        const [there, here] = [has(body, user.id), has(read.body?.[side], id)];
        const relation = of.get(user.id) ?? tracked<true>(`${side}+${user.state.label}`, undefined);
        if (there !== here) ledger.broken(relation.label, `one side shows ${there}, the user's ${side} show ${here}`);
        const isAllowed = read.status === 404 ? there === undefined : relation.allows(there);
        if (!isAllowed) {
          ledger.broken(relation.label, `is ${there}; it must be ${relation.possible().map(canonical).join(" or ")}`);
        }
      }
    }
  };

  return {
    async step() {
      const sure = users.sure();
      if (sure.length < 3 || dice.chance(0.2)) return create();
      if (dice.chance(0.08)) return contest();
      const user = dice.pick(sure);
      const roll = dice.upTo(99);
      if (roll < 35) await touch(user);
      else if (roll < 50) await rename(user);
      else if (roll < 80) await relate(user);
      else if (roll < 90) await refuse(user);
      else await users.change(user, "DELETE", `${USERS}/${user.id}`, undefined, () => undefined);
    },
    async verify() {
      await users.verify(({ userName }) => findUser(run, userName));
      await verifyRelations();
    },
  };
};

/** After a run: each contested name belongs to at most one user, and to the one that was acknowledged. */
export const verifyContested = async (run: Run, shared: Shared): Promise<void> => {
  for (const [name, ids] of shared.contested) {
    const found = await findUser(run, name);
    if (ids.length > 1) run.ledger.broken(name, `was given to ${ids.length} users`);
    if (ids[0] !== undefined && found !== ids[0]) run.ledger.broken(name, `belongs to ${found}, not to ${ids[0]}`);
  }
};
