/** A deployment with `deleted_days = 0` deletes for good. */
import { expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { TENANT } from "#tests/support/people.ts";
import { allItems } from "#tests/support/protocols.ts";
import { recoveryOf } from "#tests/support/recovery.ts";
import { scimOf } from "#tests/support/scim.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world({ deployment: "[changes]\ndeleted_days = 0\n" });
const scim = scimOf(api, "wso2");
const { remove, restore, list } = recoveryOf(api);

test("nothing is put aside, and the password is removed", async () => {
  const user = await scim.user({ password: "Right-pass-1" });
  const group = await scim.group({ members: [{ value: user.id }] });
  const application = await api.create({ name: "At once" });
  await remove(`/scim2/Users/${user.id}`);
  await remove(`/scim2/Groups/${group.id}`);
  await remove(`${APPLICATIONS}/${application}`);
  expect(await list()).toEqual([]);
  for (const id of [user.id, group.id, application]) expect((await restore(id)).status).toBe(404);
  const items = await allItems(api.service);
  expect(items.filter(({ PK }) => PK.includes("#ASIDE") || PK === keys.credential(TENANT, user.id).PK)).toEqual([]);
});
