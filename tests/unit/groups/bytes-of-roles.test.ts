/** Groups whose members and roles together are as long as a response may be. */
import { expect, test } from "vitest";
import type { Group } from "#core/directory/groups/model.ts";
import type { ScimCall } from "#core/directory/scim-api/resources/call.ts";
import { showGroups } from "#core/directory/scim-api/resources/show-groups.ts";
import { newId } from "#core/kernel/ids.ts";
import { projectionOf } from "#core/scim/protocol/projection.ts";
import { membersSchema } from "#core/scim/protocol/schema/group.ts";
import { groupType } from "#core/scim/protocol/schema/resource-types.ts";

const MEMBERS = 19_000;
const RESPONSE_BYTES_MAX = 5_000_000;
const members = Array.from({ length: MEMBERS }, (_, at) => ({
  userId: newId(),
  name: `member.${at}.of.the.group`.padEnd(58, "x"),
}));
const groupWith = (roles: number): Group =>
  ({
    ...{ id: newId(), userStore: "PRIMARY", displayName: "large", memberCount: MEMBERS, version: 1 },
    ...{ memberSum: 0, createdMs: 0, modifiedMs: 0, roleIds: Array.from({ length: roles }, newId) },
  }) satisfies Group;
const call = {
  tenant: "carbon.super",
  origin: "https://identity.example.com",
  base: "/scim2",
  stores: {
    roles: { namesOf: async (_: string, ids: readonly string[]) => new Map(ids.map((id) => [id, `role of ${id}`])) },
  },
} as unknown as ScimCall;

test.each([0, 1, 2_500, 4_000])("with %i roles", async (roles) => {
  const [shown] = await showGroups(call, [groupWith(roles)], projectionOf(groupType, {}), [members]);
  const isWhole = Array.isArray(shown?.members);
  expect(isWhole).toBe(roles < 2_500);
  expect(Object.hasOwn(shown ?? {}, membersSchema.id)).toBe(!isWhole);
  expect(JSON.stringify(shown).length).toBeLessThan(RESPONSE_BYTES_MAX);
});
