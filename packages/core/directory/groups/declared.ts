/** The groups of the user stores that the deployment declares. Groups of other stores count as not found. */
import { type Group, shownName } from "./model.ts";
import { notFound } from "./rules.ts";
import type { GroupStore } from "./store.ts";

/** Restricts a store of groups to the declared user stores. */
export function declaredGroups(groups: GroupStore, userStoresOf: (tenant: string) => readonly string[]): GroupStore {
  const isDeclared = (tenant: string, { userStore }: Group): boolean => userStoresOf(tenant).includes(userStore);
  const onlyDeclared = (tenant: string, group: Group | undefined): Group | undefined =>
    group && isDeclared(tenant, group) ? group : undefined;
  const findMany: GroupStore["findMany"] = async (tenant, ids, options) =>
    (await groups.findMany(tenant, ids, options)).map((group) => onlyDeclared(tenant, group));
  return {
    ...groups,

    find: async (tenant, id) => onlyDeclared(tenant, await groups.find(tenant, id)),

    findMany,

    namesOf: async (tenant, ids) =>
      new Map((await findMany(tenant, ids)).flatMap((group) => (group ? [[group.id, shownName(group)]] : []))),

    update: (tenant, id, nowMs, edit) =>
      groups.update(tenant, id, nowMs, {
        ...edit,
        change(before, prepared) {
          if (!isDeclared(tenant, before)) throw notFound(id);
          return edit.change(before, prepared);
        },
      }),

    remove: (tenant, id, check) =>
      groups.remove(tenant, id, (group) => {
        if (!isDeclared(tenant, group)) throw notFound(id);
        check(group);
      }),
  };
}
