/** The deployed function that bootstraps the first tenant. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshUser } from "#core/identities/users/model.ts";
import { userStore } from "#core/identities/users/store.ts";
import { newId } from "#core/platform/ids.ts";
import { keys } from "#core/table/keys.ts";
import { newMeter } from "#core/table/meter.ts";
import { deployedFunctions } from "../support/deployed.ts";
import { testTable } from "../support/engine.ts";
import { directory } from "./directory.ts";

const deployed = deployedFunctions(directory);
let found: (event: unknown) => Promise<unknown>;
let table: Awaited<ReturnType<typeof testTable>>;

beforeAll(async () => {
  table = await testTable();
  // Creates the name index first, so that concurrent calls find the same state.
  await userStore(table.open(newMeter())).add("carbon.super", freshUser(newId(), "other.user", 0));
  const environment = { TABLE_NAME: table.tableName, DYNAMODB_ENDPOINT: table.endpoint };
  found = (await deployed.load("founding", environment)) as unknown as typeof found;
});
afterAll(() => deployed.close());

const password = "a-password-for-the-test";

describe("founding", () => {
  test("creates the first tenant once, with concurrent deployments", async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => found({ username: "admin", password })));
    expect(answers.filter((answer) => (answer as { founded: boolean }).founded)).toEqual([{ founded: true }]);
  });
  test("changes nothing when it runs again, even with another password", async () => {
    const read = () => table.open(newMeter()).get(keys.tenant("carbon.super"));
    const before = await read();
    expect(before).toBeDefined();
    expect(await found({ username: "admin", password: "another-password" })).toEqual({ founded: false });
    expect(await read()).toEqual(before);
  });
  test.each([
    [{ username: "admin", password: "short" }, /^password: at least 12 characters/],
    [{ username: "admin", password: "with a blank in it" }, /none of them a blank/],
    [{ username: "OTHER/admin", password }, /^username: it names another tenant or user store/],
    [{ username: "admin@example.com", password }, /^username: it names another tenant or user store/],
    [{ username: "ad", password }, /userName must have 3 to 255 characters/],
    [{ username: "admin", password, tenant: "example.com" }, /tenant/],
    [undefined, /expected object/],
  ])("refuses %j with the reason", async (event, sentence) => {
    await expect(found(event)).rejects.toThrow(sentence);
  });
});
