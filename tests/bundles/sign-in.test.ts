/** What the function of sign-in does to the indexes of users once in a while, with the rights that it has on AWS. */
import { DynamoDBClient, GetItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { clientFor } from "#local/database.ts";
import { PERSON, signInOf } from "../support/sign-in.ts";
import { world } from "../support/world.ts";

const SYSTEM = "urn:scim:wso2:schema";
const PATCH_OP = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const PASSWORDS = [PERSON.password, "another-good-Password-2"] as const;
/** Each 64th change of a container moves the entries of the indexes of times on (decision 0130). */
const CHANGES = 64;

const api = world();
const { newApplication, requestOf, enter, browser } = signInOf(api);

test("new passwords end indexes that are no longer declared, and move entries of the indexes of times on", async () => {
  const { endpoint, tableName: TableName } = api.service;
  const database = new DynamoDBClient(clientFor(endpoint));
  const client = await newApplication();
  const { body: user } = await api.ask("POST", "/scim2/Users", {
    body: { userName: "kim", password: PASSWORDS[0] },
  });
  const { PK, SK } = keys.userIndexes("carbon.super", "PRIMARY");
  const state = { TableName, Key: { PK: { S: PK }, SK: { S: SK } } };
  const ready = async () => (await database.send(new GetItemCommand(state))).Item?.ready?.SS ?? [];
  const changePassword = async (password: string, next: string) => {
    const Operations = [{ op: "replace", value: { [SYSTEM]: { forcePasswordReset: true } } }];
    const required = await api.ask("PATCH", `/scim2/Users/${user.id}`, { body: { schemas: [PATCH_OP], Operations } });
    expect(required.status).toBe(200);
    const page = browser();
    await page.open(requestOf(client));
    expect((await enter(page, { username: "kim", password })).title).toBe("Choose a new password");
    expect((await page.submit({ password: next, repeated: next })).status).toBe(303);
  };
  await database.send(
    new UpdateItemCommand({
      ...state,
      UpdateExpression: "ADD ready :former",
      ExpressionAttributeValues: { ":former": { SS: ["nickName"] } },
    }),
  );
  expect(await ready()).toContain("nickName");
  for (let at = 0; at < CHANGES; at += 1) {
    const [password, next] = at % 2 === 0 ? PASSWORDS : ([PASSWORDS[1], PASSWORDS[0]] as const);
    await changePassword(password, next);
    if (at === 0) expect(await ready()).not.toContain("nickName");
  }
}, 300_000);
