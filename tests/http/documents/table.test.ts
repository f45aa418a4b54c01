/** docs/table.md knows every row that a service stores while its API is used. */
import { readFileSync } from "node:fs";
import { DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";
import { beforeAll, describe, expect, test } from "vitest";
import { clientFor } from "#local/database.ts";
import { TABLE_NAME } from "#local/service.ts";
import { everything, sender } from "#tests/releases/everything.ts";
import { kinds, kindsOf, type Shown } from "#tests/support/table-page.ts";
import { world } from "#tests/support/world.ts";

const REST = "/api/server/v1";
const DAY_SECONDS = 86_400;

/** Kinds that this file has no row of, by what they need. Their keys are compared with the code all the same. */
const elsewhere: Readonly<Record<string, readonly string[]>> = {
  "a mail that came back": ["mailMark"],
  "more changes of an index than a short test makes": [
    ...["applicationColumns.values", "applicationColumns.column", "userNames.delta", "userNames.values"],
    ...["groupNames.delta", "groupNames.values", "userValues.values", "userValues.ids", "userValues.state"],
    ...["userValues.blocks"],
  ],
  "no row: the changes of an index of columns are in its ranges": ["applicationColumns.delta"],
  "more members than fit into one transaction": ["bulkStage", "bulkPart", "asideMembers"],
  "an answer that is too large for a row": ["answerPart"],
  "a browser in which somebody signs in": [
    ...["authorizationCode", "pushedRequest", "frontAnswer", "session", "sessionClient", "consent", "pairwiseKey"],
    ...[
      "logout",
      "waitingLogouts",
      "totp",
      "passkeys",
      "codeLock",
      "passkeyLock",
      "idTokenKeyRing",
      "idTokenSigningKeys",
    ],
  ],
  "a proof of possession": ["usedProof"],
  "a sign-in to a client of CAS": ["casTicket"],
  "a sign-in to a service provider of SAML": [
    "samlRequest",
    "samlKept",
    "samlName",
    "logoutChain",
    "samlKeyRing",
    "samlSigningKeys",
  ],
  "an event that is signed": ["eventKeyRing", "eventSigningKeys"],
  "the loop that indexes actors every minute": ["actorBlock", "actorsIndexed"],
  "a mail that waits for another attempt": ["waitingMails"],
  "a command of the operator": ["userIndexing", "restoration"],
};

const email = '[email]\nsender = "no-reply@example.com"\nprovider = "outbox"\n';
const started = world({ deployment: `${readFileSync("deployment.toml", "utf8")}\n${email}` });

const photo = (letter: string) => ({
  schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
  Operations: [{ op: "replace", path: "photos", value: [{ value: `data:image/png;base64,${letter.repeat(90_000)}` }] }],
});

describe("the rows of a service that was used", () => {
  let rows: readonly (Shown & { readonly of: readonly string[] })[] = [];

  beforeAll(async () => {
    const made = await everything(sender(started.url), DAY_SECONDS);
    const expected = async (status: number, method: string, path: string, body?: unknown, key?: string) => {
      const headers: Readonly<Record<string, string>> = key === undefined ? {} : { "idempotency-key": key };
      const answer = await started.ask(method, path, { body, headers });
      expect([method, path, answer.status, answer.status === status ? "" : answer.text]).toEqual([
        ...[method, path, status],
        "",
      ]);
    };
    await expected(200, "PATCH", `${REST}/applications/${made.application}`, { description: "Other" });
    for (const id of [made.many3, made.many4]) {
      await expected(201, "POST", `${REST}/applications/${made.application}/assignments`, { type: "user", id });
    }
    await expected(204, "DELETE", `${REST}/applications/${made.long}`);
    await expected(204, "DELETE", `/scim2/Users/${made.many3}`);
    await expected(201, "POST", "/scim2/Groups", { displayName: "Once" }, "one");
    const data = (displayName: string) => ({
      method: "POST",
      path: "/Groups",
      bulkId: displayName,
      data: { displayName },
    });
    const bulk = {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"],
      Operations: [data("Twice"), data("Thrice")],
    };
    await expected(200, "POST", "/scim2/Bulk", bulk, "two");
    for (const letter of ["A", "B"]) await expected(200, "PATCH", `/scim2/Users/${made.many4}`, photo(letter));
    await expected(201, "POST", `${REST}/oidc/scopes`, { name: "taxi", displayName: "Taxi", claims: ["email"] });
    await expected(201, "POST", `${REST}/webhooks`, {
      endpoint: "https://receiver.example/",
      name: "Billing",
      eventProfile: { name: "WSO2", uri: "https://schemas.identity.wso2.org/events" },
      channelsSubscribed: ["https://schemas.identity.wso2.org/events/user"],
    });
    await expected(201, "POST", "/ssf/streams", {});
    await expected(200, "PATCH", `${REST}/applications/${made.application}`, {
      ...{ accessUrl: "https://cars.example.com/", advancedConfigurations: { discoverableByEndUsers: true } },
    });
    for (const userName of ["invited", "invited-later"]) {
      const emails = [{ value: `${userName}@example.com` }];
      await expected(201, "POST", "/scim2/Users", { userName, emails, "urn:scim:wso2:schema": { askPassword: true } });
      if (userName === "invited") await started.service.sendMails();
    }
    const client = new DynamoDBClient(clientFor(started.service.endpoint));
    const { Items = [], LastEvaluatedKey } = await client.send(new ScanCommand({ TableName: TABLE_NAME }));
    client.destroy();
    expect(LastEvaluatedKey).toBeUndefined();
    rows = Items.map(({ PK, SK, ...rest }) => {
      const row = { PK: PK?.S ?? "", SK: SK?.S ?? "", attributes: Object.keys(rest) };
      return { ...row, of: kindsOf(row).map(({ name }) => name) };
    });
  });

  test("have a key and attributes of a kind of the page", () => {
    expect(rows.length).toBeGreaterThan(200);
    expect(rows.filter(({ of }) => of.length === 0)).toEqual([]);
  });

  test("are of every kind of the page, but for those that need more than requests", () => {
    const found = new Set(rows.flatMap(({ of }) => of));
    const needless = new Set(Object.values(elsewhere).flat());
    expect(kinds.map(({ name }) => name).filter((name) => !found.has(name) && !needless.has(name))).toEqual([]);
    expect([...needless].filter((name) => found.has(name))).toEqual([]);
  });

  test("expire where the page says so", () => {
    const ofKind = (name: string) => rows.filter(({ of }) => of[0] === name);
    const isEver = (name: string) => ofKind(name).some(({ attributes }) => attributes.includes("expiresAtSeconds"));
    const wrong = kinds.filter(({ name, expires }) => expires && ofKind(name).length > 0 && !isEver(name));
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});
