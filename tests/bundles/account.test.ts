/** What the function of the own account does once in a while, with the rights that it has on AWS. */
import { DynamoDBClient, GetItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { clientFor } from "#local/database.ts";
import { PERSON, signInOf } from "../support/sign-in.ts";
import { world } from "../support/world.ts";

/** Each 64th change of a container moves the entries of the indexes of times on (decision 0130). */
const CHANGES = 64;
/** More than one transaction removes a user from. */
const GROUPS = 40;
const ROLES = 60;
/** More than a record holds in its own row. */
const PHOTO = `data:image/png;base64,${"A".repeat(100_000)}`;

const api = world({ deployment: "[account]\ncan_delete = true\n" });
const { enter, browser } = signInOf(api);

test("changes of the profile end indexes that are no longer declared and move entries on; a deletion clears groups", async () => {
  const { endpoint, tableName: TableName } = api.service;
  const database = new DynamoDBClient(clientFor(endpoint));
  const { body: user } = await api.ask("POST", "/scim2/Users", {
    body: { userName: PERSON.username, password: PERSON.password, photos: [{ value: PHOTO }] },
  });
  const members = [{ value: user.id }];
  for (let at = 0; at < GROUPS; at += 1) {
    await api.ask("POST", "/scim2/Groups", { body: { displayName: `group-${at}`, members } });
  }
  for (let at = 0; at < ROLES; at += 1) {
    await api.ask("POST", "/scim2/v2/Roles", { body: { displayName: `role-${at}`, users: members } });
  }
  const { PK, SK } = keys.userIndexes("carbon.super", "PRIMARY");
  const state = { TableName, Key: { PK: { S: PK }, SK: { S: SK } } };
  const ready = async () => (await database.send(new GetItemCommand(state))).Item?.ready?.SS ?? [];
  await database.send(
    new UpdateItemCommand({
      ...state,
      UpdateExpression: "ADD ready :former",
      ExpressionAttributeValues: { ":former": { SS: ["nickName"] } },
    }),
  );
  const page = browser();
  await page.open("/account");
  await enter(page);
  for (let at = 0; at < CHANGES; at += 1) {
    await page.open("/account/profile");
    const { action, fields } = page.form("Save");
    const saved = await page.post(action, { ...fields, nickName: `name ${at}` });
    expect(saved.html).toContain("Your profile is saved.");
    if (at === 0) expect(await ready()).not.toContain("nickName");
  }
  await page.open("/account/deletion");
  const { action, fields } = page.form("Delete the account");
  expect((await page.post(action, { ...fields, sure: "yes" })).title).toBe("Your account is deleted");
}, 300_000);
