/** The authorizer: the cost of validating a token, and the decision that it passes on. */
import { beforeAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import type { Cost } from "#core/database/table/meter.ts";
import { REVOCATION_FRESH_MS } from "#core/sign-in/authentication/token-validity.ts";
import { digestOf } from "#core/tokens/opaque.ts";
import { revokingUser } from "#core/tokens/revocation-store.ts";
import { container } from "#tests/support/authorizer.ts";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { addUser, TENANT, tableOf } from "#tests/support/people.ts";
import { ADMIN, APPLICATIONS, basic, world } from "#tests/support/world.ts";

const api = world();
const { newClient, token, ownToken } = oauthOf(api);
const VIEW = "internal_application_mgt_view";
let opaqueClient: TestClient;
let jwtClient: TestClient;
beforeAll(async () => {
  opaqueClient = await newClient([VIEW]);
  jwtClient = await newClient([VIEW], {
    accessToken: { type: "JWT", applicationAccessTokenExpiryInSeconds: 30 * 86_400 },
  });
});
const asUser = async (client: TestClient, grant: { username: string; password: string } = ADMIN) =>
  (await token(client, { grant_type: "password", ...grant, scope: VIEW })).access_token;

describe("round trips", () => {
  test("a JWT of any caller: none while the container is warm; one every 30 seconds", async () => {
    const { ask, clock } = container(api);
    const [own, users] = [await ownToken(jwtClient, VIEW), await asUser(jwtClient)];
    const cost = async (text: string) => {
      const { context, cost: spent } = await ask(`Bearer ${text}`);
      expect(context.decision).toBe("allow");
      return spent.roundTrips;
    };
    expect(await cost(own)).toBe(1);
    expect([await cost(own), await cost(users), await cost(await ownToken(jwtClient, VIEW))]).toEqual([0, 0, 0]);
    clock.ms += REVOCATION_FRESH_MS + 1;
    expect([await cost(users), await cost(own), await cost(users)]).toEqual([1, 0, 0]);
  });
  test("an invalid JWT: none while the container is warm", async () => {
    const { ask } = container(api);
    const text = await ownToken(jwtClient, VIEW);
    await ask(`Bearer ${text}`);
    const { context, cost } = await ask(`Bearer ${text.slice(0, -4)}AAAA`);
    expect([context.decision, cost.roundTrips]).toEqual(["refuse", 0]);
  });
  test("an opaque token: one, which reads the latest revocations too; a text that is not a token: none", async () => {
    const { ask } = container(api);
    const text = await ownToken(opaqueClient, VIEW);
    for (let again = 0; again < 3; again += 1) {
      const { context, cost } = await ask(`Bearer ${text}`);
      expect([context.decision, cost.roundTrips, cost.writeUnits]).toEqual(["allow", 1, 0]);
    }
    for (const none of ["x", "at_short", `rt_${text.slice(3)}`, "a.b", "."]) {
      expect((await ask(`Bearer ${none}`)).cost.roundTrips).toBe(0);
    }
  });
  test("Basic: one when warm, of three units", async () => {
    const { ask } = container(api);
    const costs: Cost[] = [];
    for (let again = 0; again < 5; again += 1) costs.push((await ask(basic(ADMIN))).cost);
    const [, second, ...warm] = costs.map(({ roundTrips, readUnits }) => [roundTrips, readUnits]);
    expect(second).toEqual([2, 6]);
    expect(warm).toEqual([
      [1, 3],
      [1, 3],
      [1, 3],
    ]);
  });
});

describe("a JWT of more than a day", () => {
  test("is compared with the revocation marks of its subjects", async () => {
    const text = await ownToken(jwtClient, VIEW);
    const { ask, clock } = container(api);
    clock.ms += 2 * 86_400_000;
    const { context, cost } = await ask(`Bearer ${text}`);
    expect([context.decision, cost.roundTrips]).toEqual(["allow", 2]);
    expect((await ask(`Bearer ${text}`)).cost.roundTrips).toBe(1);
    await tableOf(api.service).forget(keys.client(jwtClient.clientId));
    expect((await ask(`Bearer ${text}`)).context.decision).toBe("refuse");
  });
});

describe("an opaque token", () => {
  test("is stored as a digest with an expiry time; it is not valid after that time, even if DynamoDB has not removed it", async () => {
    const text = await ownToken(opaqueClient, VIEW);
    const item = await tableOf(api.service).get(keys.accessToken(digestOf(text)));
    expect(JSON.stringify(item)).not.toContain(text.slice(3));
    const { ask, clock } = container(api);
    expect(item?.expiresAtSeconds).toBe(Math.floor(Number(item?.expiresAtSeconds)));
    clock.ms = Number(item?.expiresAtSeconds) * 1_000 - 1;
    expect((await ask(`Bearer ${text}`)).context.decision).toBe("allow");
    clock.ms += 1;
    expect((await ask(`Bearer ${text}`)).context.decision).toBe("refuse");
  });
  test("of a user ends with the user's other tokens, also in a container that has just accepted it", async () => {
    const id = await addUser(api.service, { username: "going", password: "a good password", scopes: [VIEW] });
    const text = await asUser(opaqueClient, { username: "going", password: "a good password" });
    const { ask } = container(api);
    expect((await ask(`Bearer ${text}`)).context.decision).toBe("allow");
    await tableOf(api.service).write(...revokingUser(TENANT, id));
    expect((await ask(`Bearer ${text}`)).context.decision).toBe("refuse");
  });
});

describe("the decision", () => {
  test("names the user with its store, or the application", async () => {
    const { ask } = container(api);
    for (const client of [opaqueClient, await newClient([VIEW], { accessToken: { type: "JWT" } })]) {
      const user = (await ask(`Bearer ${await asUser(client)}`)).context;
      expect(user).toMatchObject({ kind: "user", tenant: TENANT, username: "admin", userStore: "PRIMARY" });
      const own = (await ask(`Bearer ${await ownToken(client, VIEW)}`)).context;
      expect(own).toEqual({
        decision: "allow",
        operation: "listApplications",
        kind: "client",
        tenant: TENANT,
        subject: client.clientId,
        applicationId: client.applicationId,
        signIn: "token",
        clientId: client.clientId,
        traceId: expect.any(String),
      });
    }
  });
  test("has scopes only for operations that declare seesScopes", async () => {
    const { ask } = container(api);
    const path = `${APPLICATIONS}/x/authorized-apis`;
    expect((await ask(basic(ADMIN), path, "POST")).context.scopes?.split(" ")).toContain("internal_login");
    expect((await ask(basic(ADMIN), path, "GET")).context.scopes).toBeUndefined();
    const as = { username: "manifold", password: "a good password" };
    const own = Array.from({ length: 900 }, (_, at) => `taxi:${at}`);
    await addUser(api.service, { ...as, scopes: [...own, "internal_application_mgt_update"] });
    // Only scopes of this service: a tenant's own can be too many for a context.
    const told = (await ask(basic(as), path, "POST")).context.scopes;
    expect(told?.split(" ").sort()).toEqual(["internal_application_mgt_update", "internal_login"]);
  });
});
