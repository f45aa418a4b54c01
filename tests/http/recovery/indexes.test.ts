/** Restoring a user keeps the indexes of attributes right. */
import { expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { TENANT, tableOf } from "#tests/support/people.ts";
import { recoveryOf } from "#tests/support/recovery.ts";
import { fresh, scimOf } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const scim = scimOf(api, "wso2");
const { remove, restored } = recoveryOf(api);

test("a restored user is found by its attributes again, and indexes that it is not in go out of use", async () => {
  const name = { familyName: fresh("Gone") };
  const user = await scim.user({ name, password: "Right-pass-1" });
  const filter = `name.familyName eq "${name.familyName}"`;
  expect((await scim.find(filter)).totalResults).toBe(1);
  await remove(`/scim2/Users/${user.id}`);
  expect((await scim.find(filter)).totalResults).toBe(0);
  const table = tableOf(api.service);
  const state = keys.userIndexes(TENANT, PRIMARY);
  const ready = (await table.get(state))?.ready as ReadonlySet<string>;
  // As a deployment leaves it that declared one attribute more.
  await table.write({
    change: state,
    set: { ready: new Set([...ready, "nickName"]) },
    when: "present",
    otherwise: () => new Error("no row"),
  });
  await restored(user.id);
  expect((await table.get(state))?.ready).toEqual(ready);
  expect((await scim.find(filter)).totalResults).toBe(1);
});
