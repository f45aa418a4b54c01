/** The bootstrap function, as it is deployed. */
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { freshUser } from "#core/directory/users/model.ts";
import { userStore } from "#core/directory/users/store.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { newId } from "#core/kernel/ids.ts";
import { deployedFunctions } from "../support/deployed.ts";
import { testTable } from "../support/engine.ts";
import { directory } from "./directory.ts";

const deployed = deployedFunctions(directory);
let bootstrap: (event: unknown) => Promise<unknown>;
let table: Awaited<ReturnType<typeof testTable>>;
const state = keys.userIndexes("carbon.super", PRIMARY);

beforeAll(async () => {
  table = await testTable();
  // The name index exists before, so all concurrent deployments write the same items.
  await userStore(table.open(newMeter())).add("carbon.super", freshUser(newId(), "somebody", 0));
  // An index that the deployment does not declare: the administrator will not be in it.
  const put = { ...state, ready: new Set(["nickName", "active"]) };
  await table.open(newMeter()).write({ put, when: "absent", otherwise: () => new Error("the row exists") });
  const environment = {
    TABLE_NAME: table.tableName,
    DYNAMODB_ENDPOINT: table.endpoint,
    DEPLOYMENT_TOML: fileURLToPath(new URL("../../deployment.toml", import.meta.url)),
  };
  bootstrap = (await deployed.load("bootstrap", environment)) as unknown as typeof bootstrap;
});
afterAll(() => deployed.close());

const password = "a-password-for-the-test";

describe("bootstrap", () => {
  test("creates nothing for a name that another user has", async () => {
    expect(await bootstrap({ username: "somebody", password })).toEqual({ founded: false });
    expect(await table.open(newMeter()).get(keys.tenant("carbon.super"))).toBeUndefined();
  });
  test("creates the first tenant once, with any number of concurrent deployments", async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => bootstrap({ username: "admin", password })));
    expect(answers.filter((answer) => (answer as { founded: boolean }).founded)).toEqual([{ founded: true }]);
    expect((await table.open(newMeter()).get(state))?.ready).toEqual(new Set(["active"]));
  });
  test("changes nothing when it runs again, even with another password", async () => {
    const read = () => table.open(newMeter()).get(keys.tenant("carbon.super"));
    const before = await read();
    expect(before).toBeDefined();
    expect(await bootstrap({ username: "admin", password: "another-password" })).toEqual({ founded: false });
    expect(await read()).toEqual(before);
  });
  test.each([
    [{ username: "admin", password: "short" }, /^password: must have at least 12 characters/],
    [{ username: "admin", password: "administrator" }, /one of the most common/],
    [{ username: "OTHER/admin", password }, /^username: must not name a tenant or a user store/],
    [{ username: "admin@example.com", password }, /^username: must not name a tenant or a user store/],
    [{ username: "ad", password }, /userName must have 3 to 255 characters/],
    [{ username: "admin", password, tenant: "example.com" }, /tenant/],
    [undefined, /expected object/],
  ])("refuses %j and says why", async (event, sentence) => {
    await expect(bootstrap(event)).rejects.toThrow(sentence);
  });
});
