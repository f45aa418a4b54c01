/** The limit of 2,048 groups: groups that do not exist do not count, whatever a crash left in the row of a user. */
import { beforeAll, expect, test } from "vitest";
import { ITEM_BYTES_MAX, itemBytes } from "#core/database/table/effects.ts";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Step, Table } from "#core/database/table/table.ts";
import { groupItem } from "#core/directory/groups/store.ts";
import { freshUser } from "#core/directory/users/model.ts";
import { USER_BYTES_MAX, userItem } from "#core/directory/users/store.ts";
import { newId } from "#core/kernel/ids.ts";
import { testTable } from "#tests/support/engine.ts";
import { type Directory, faultOf, foundDirectory } from "./support.ts";

const TENANT = "full";
const FULL = 2_048;
const otherwise: Step["otherwise"] = () => new Error("not as expected");

let table: Table;
let calm: Directory;
beforeAll(async () => {
  const made = await testTable();
  table = made.open(newMeter());
  ({ calm } = await foundDirectory(made, TENANT, 1));
});

/** A user whose row names 2,048 groups, of which some exist. */
const userInGroups = async (userName: string, existing: number): Promise<string> => {
  const userId = await calm.addUser(userName);
  const ids = Array.from({ length: FULL }, () => newId());
  const groups = ids.slice(0, existing).map((id): Step => {
    const group = { id, displayName: id, userStore: "PRIMARY", createdMs: 1, modifiedMs: 1, version: 1 };
    return {
      put: groupItem(TENANT, { ...group, memberCount: 0, memberSum: 0, roleIds: [] }),
      when: "absent",
      otherwise,
    };
  });
  for (let at = 0; at < groups.length; at += 100) await table.write(...groups.slice(at, at + 100));
  await table.write({ change: keys.user(TENANT, userId), add: { groups: new Set(ids) }, when: "present", otherwise });
  return userId;
};

test("a user can join a group where one of the 2,048 groups of the user is deleted", async () => {
  const userId = await userInGroups("nearly.full", FULL - 1);
  const groupId = await calm.addGroup("Joined", [userId]);
  expect(await calm.membersOf(groupId)).toEqual([userId]);
});

test("the largest profile, the most groups and a thousand roles are one row", () => {
  const photos = Array.from({ length: 2 }, () => ({ value: "x".repeat(USER_BYTES_MAX / 2 - 30) }));
  expect(Buffer.byteLength(JSON.stringify({ photos }))).toBeGreaterThan(USER_BYTES_MAX - 100);
  const [groupIds, roleIds] = [FULL, 1_000].map((length) => Array.from({ length }, () => newId()));
  const user = freshUser(newId(), "u".repeat(255), 1, { profile: { photos }, groupIds, roleIds });
  expect(itemBytes(userItem(TENANT, user))).toBeLessThan(ITEM_BYTES_MAX - 20_000);
});

test("a user in 2,048 groups cannot join another", async () => {
  const userId = await userInGroups("full", FULL);
  expect(await faultOf(calm.addGroup("Refused", [userId]))).toBe("request.invalid");
});
