/** Writers of groups and of roles, whose members and assignees are users that stay for the whole run. */
import { type Actor, diceOf, newCollection, type Owned, type Run, readAll, UNREADABLE } from "../run-of-seed.ts";

const GROUPS = "/scim2/Groups";
const ROLES = "/scim2/v2/Roles";
/** More than one transaction holds. */
const LARGE = 48;
const SMALL_MOST = 6;
const permissions = ["internal_user_mgt_list", "internal_user_mgt_view", "internal_application_mgt_view"];

interface GroupState {
  readonly displayName: string;
  readonly members: readonly string[];
}
interface RoleState {
  readonly displayName: string;
  readonly permissions: readonly string[];
  readonly users: readonly string[];
}

/** Creates users that stay, and returns their ids. */
export const preparePeople = async ({ client, seed, hasLarge }: Run): Promise<readonly string[]> => {
  const names = Array.from({ length: hasLarge ? LARGE : SMALL_MOST * 2 }, (_, at) => `p-${seed}-${at}`);
  const replies = await Promise.all(
    names.map((userName) => client.send("POST", "/scim2/Users", { body: { userName } })),
  );
  return replies.map(({ status, body, text }) => {
    if (status !== 201) throw new Error(text);
    return String(body.id);
  });
};

const sorted = (list: Iterable<string>): readonly string[] => [...new Set(list)].sort();
const values = (list: readonly string[]) => list.map((value) => ({ value }));
const valuesIn = (list: readonly { value: string }[] | undefined) => sorted((list ?? []).map(({ value }) => value));

/** The id of what has a name. */
const finder = (run: Run, path: string) => async (displayName: string) => {
  const { status, body } = await run.client.read(
    `${path}?filter=${encodeURIComponent(`displayName eq "${displayName}"`)}`,
  );
  return status === 200 ? ((body.Resources ?? [])[0]?.id as string | undefined) : UNREADABLE;
};

/** A writer of groups. */
export const groupsActor = (run: Run, writer: number, people: readonly string[]): Actor => {
  const dice = diceOf(run.seed, writer);
  const groups = newCollection<GroupState>(run, dice, async (id) => {
    const read = await readAll(run, `${GROUPS}/${id}`);
    if (read === UNREADABLE) return read;
    // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back
    const [group] = read as any[];
    return group && { displayName: group.displayName, members: valuesIn(group.members) };
  });
  let made = 0;
  const some = (most: number) => sorted(Array.from({ length: dice.upTo(most) }, () => dice.pick(people)));
  const members = () => (run.hasLarge && dice.chance(0.15) ? sorted(people.slice(0, LARGE)) : some(SMALL_MOST));
  const newName = () => {
    made += 1;
    return `g-${run.seed}-${writer}-${made}`;
  };
  const patch = (group: Owned<GroupState>, Operations: unknown[], change: (before: GroupState) => GroupState) =>
    groups.change(group, "PATCH", `${GROUPS}/${group.id}`, { Operations }, (before) => before && change(before));

  return {
    async step() {
      const sure = groups.sure();
      if (sure.length < 2 || dice.chance(0.15)) {
        const state = { displayName: newName(), members: members() };
        await groups.create(state.displayName, GROUPS, { ...state, members: values(state.members) }, state);
        return;
      }
      const group = dice.pick(sure);
      const has = group.state.possible()[0]?.members ?? [];
      const roll = dice.upTo(99);
      if (roll < 30) {
        const more = members();
        if (more.length === 0) return;
        const add = [{ op: "add", path: "members", value: values(more) }];
        await patch(group, add, (before) => ({ ...before, members: sorted([...before.members, ...more]) }));
      } else if (roll < 50 && has.length > 0) {
        const gone = dice.pick(has);
        const remove = [{ op: "remove", path: `members[value eq "${gone}"]` }];
        await patch(group, remove, (before) => ({ ...before, members: before.members.filter((id) => id !== gone) }));
      } else if (roll < 65) {
        const after = { displayName: newName(), members: members() };
        const body = { displayName: after.displayName, members: values(after.members) };
        await groups.change(group, "PUT", `${GROUPS}/${group.id}`, body, (before) => before && after);
      } else if (roll < 80) {
        const displayName = newName();
        const rename = [{ op: "replace", path: "displayName", value: displayName }];
        await patch(group, rename, (before) => ({ ...before, displayName }));
      } else if (roll < 88) {
        const name = group.state.possible()[0]?.displayName;
        await groups.refused(`again:${name}`, "POST", GROUPS, { displayName: name, members: values(some(3)) });
      } else {
        // The members of a large group are removed in several transactions.
        if (!run.hasLarge && has.length > 40) return;
        await groups.change(group, "DELETE", `${GROUPS}/${group.id}`, undefined, () => undefined);
      }
    },
    verify: () => groups.verify(({ displayName }) => finder(run, GROUPS)(displayName)),
  };
};

/** A writer of roles. */
export const rolesActor = (run: Run, writer: number, people: readonly string[]): Actor => {
  const dice = diceOf(run.seed, writer);
  const roles = newCollection<RoleState>(run, dice, async (id) => {
    const read = await readAll(run, `${ROLES}/${id}`);
    if (read === UNREADABLE) return read;
    // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back
    const [role] = read as any[];
    return (
      role && {
        displayName: role.displayName,
        permissions: valuesIn(role.permissions),
        users: valuesIn(role.users),
      }
    );
  });
  let made = 0;
  const some = (list: readonly string[], most: number) =>
    sorted(Array.from({ length: dice.upTo(most) }, () => dice.pick(list)));
  const newName = () => {
    made += 1;
    return `r-${run.seed}-${writer}-${made}`;
  };
  const patch = (role: Owned<RoleState>, Operations: unknown[], change: (before: RoleState) => RoleState) =>
    roles.change(role, "PATCH", `${ROLES}/${role.id}`, { Operations }, (before) => before && change(before));

  return {
    async step() {
      const sure = roles.sure();
      if (sure.length < 2 || dice.chance(0.15)) {
        const displayName = newName();
        const state = { displayName, permissions: some(permissions, 2), users: some(people, 3) };
        const body = { displayName, permissions: values(state.permissions), users: values(state.users) };
        await roles.create(displayName, ROLES, body, state);
        return;
      }
      const role = dice.pick(sure);
      const has = role.state.possible()[0]?.users ?? [];
      const roll = dice.upTo(99);
      if (roll < 35) {
        const user = dice.pick(people);
        const add = [{ op: "add", path: "users", value: values([user]) }];
        await patch(role, add, (before) => ({ ...before, users: sorted([...before.users, user]) }));
      } else if (roll < 55 && has.length > 0) {
        const gone = dice.pick(has);
        const remove = [{ op: "remove", path: `users[value eq "${gone}"]` }];
        await patch(role, remove, (before) => ({ ...before, users: before.users.filter((id) => id !== gone) }));
      } else if (roll < 70) {
        const wanted = some(permissions, 3);
        const replace = [{ op: "replace", path: "permissions", value: values(wanted) }];
        if (wanted.length > 0) await patch(role, replace, (before) => ({ ...before, permissions: wanted }));
      } else if (roll < 85) {
        const displayName = newName();
        const rename = [{ op: "replace", path: "displayName", value: displayName }];
        await patch(role, rename, (before) => ({ ...before, displayName }));
      } else if (roll < 92) {
        const name = role.state.possible()[0]?.displayName;
        await roles.refused(`again:${name}`, "POST", ROLES, { displayName: name });
      } else if (run.hasLarge) {
        // A role is removed first and its assignments after it.
        await roles.change(role, "DELETE", `${ROLES}/${role.id}`, undefined, () => undefined);
      }
    },
    verify: () => roles.verify(({ displayName }) => finder(run, ROLES)(displayName)),
  };
};
