/** The groups of the user stores that the deployment declares; those of others are not there. */
import { type Group, shownName } from "./model.ts";
import { notFound } from "./rules.ts";
import type { GroupStore } from "./store.ts";

/** Narrows a store of groups to the declared user stores. */
export const declaredGroups = (groups: GroupStore, userStores: readonly string[]): GroupStore => {
  const isDeclared = ({ userStore }: Group): boolean => userStores.includes(userStore);
  const onlyDeclared = (group: Group | undefined): Group | undefined =>
    group && isDeclared(group) ? group : undefined;
  const findMany: GroupStore["findMany"] = async (tenant, ids, options) =>
    (await groups.findMany(tenant, ids, options)).map(onlyDeclared);
  return {
    ...groups,

    find: async (tenant, id) => onlyDeclared(await groups.find(tenant, id)),

    findMany,

    namesOf: async (tenant, ids) =>
      new Map((await findMany(tenant, ids)).flatMap((group) => (group ? [[group.id, shownName(group)]] : []))),

    update: (tenant, id, nowMs, edit) =>
      groups.update(tenant, id, nowMs, {
        ...edit,
        change(before, prepared) {
          if (!isDeclared(before)) throw notFound(id);
          return edit.change(before, prepared);
        },
      }),

    remove: (tenant, id, check) =>
      groups.remove(tenant, id, (group) => {
        if (!isDeclared(group)) throw notFound(id);
        check(group);
      }),
  };
};
