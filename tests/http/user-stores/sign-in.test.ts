/**
 * Sign-ins of users of secondary stores: by Basic, by the password grant and by a client certificate (AC-002, AC-012,
 * AC-021).
 */
import { beforeAll, describe, expect, test } from "vitest";
import { oauthOf, TOKEN } from "#tests/support/oauth.ts";
import { type Shown, scimOf } from "#tests/support/scim.ts";
import { CERTIFICATES, meByCertificate, TWO_STORES } from "#tests/support/user-stores.ts";
import { world } from "#tests/support/world.ts";

const api = world({
  hasMtls: true,
  deployment: `${CERTIFICATES}${TWO_STORES}`,
});
const scim = scimOf(api, "wso2");
const oauth = oauthOf(api);
const passwords = { kim: "first-password", "SECOND/kim": "second-password" } as const;
const ids: Record<string, string> = {};

beforeAll(async () => {
  for (const [userName, password] of Object.entries(passwords))
    ids[userName] = (await scim.user({ userName, password })).id;
});

const me = (username: string, password: string) => api.ask("GET", "/scim2/Me", { as: { username, password } });

describe("Basic", () => {
  test.each([
    ["SECOND/kim", "SECOND/kim"],
    ["second/KIM", "SECOND/kim"],
    ["SECOND/kim@carbon.super", "SECOND/kim"],
    ["PRIMARY/kim", "kim"],
    ["kim", "kim"],
  ] as const)("%s signs in as %s, with the password of that user only", async (username, meant) => {
    expect((await me(username, passwords[meant])).body).toMatchObject({ id: ids[meant], userName: meant });
    const other = meant === "kim" ? "SECOND/kim" : "kim";
    expect((await me(username, passwords[other])).status).toBe(401);
  });

  test("refuses an undeclared store and an unknown user of a store in the same way", async () => {
    const refused = await me("nobody", passwords.kim);
    for (const username of ["FOURTH/kim", "THIRD/kim", "INTERNAL/kim", "SECOND//kim", "/kim", "SECOND/"]) {
      const { status, body } = await me(username, passwords.kim);
      expect([status, body.detail]).toEqual([401, refused.body.detail]);
    }
  });

  test("locks a name in its own store only", async () => {
    const password = "a-good-password";
    for (const userName of ["locked", "SECOND/locked"]) await scim.user({ userName, password });
    for (let tries = 0; tries < 10; tries += 1) await me("SECOND/locked", "wrong-password");
    expect((await me("SECOND/locked", password)).status).toBe(401);
    expect((await me("locked", password)).status).toBe(200);
  });
});

describe("the password grant", () => {
  const grant = (client: Awaited<ReturnType<typeof oauth.newClient>>, username: string, password: string) =>
    oauth.post(TOKEN, { grant_type: "password", username, password, scope: "internal_login" }, client);

  test.each(["JWT", "Default"])("issues tokens (%s) for the user of the store, and refreshes them", async (type) => {
    const client = await oauth.newClient([], { accessToken: { type } });
    const answer = await grant(client, "second/kim", passwords["SECOND/kim"]);
    expect(answer.status, answer.text).toBe(200);
    const shown = async (token: string): Promise<Shown> =>
      (await oauth.post("/oauth2/introspect", { token }, client)).body;
    for (const token of [answer.body.access_token, answer.body.refresh_token]) {
      expect(await shown(token)).toMatchObject({
        active: true,
        username: "SECOND/kim@carbon.super",
        sub: ids["SECOND/kim"],
      });
    }
    const { body } = await api.ask("GET", "/scim2/Me", { as: `Bearer ${answer.body.access_token}` });
    expect(body).toMatchObject({ userName: "SECOND/kim" });
    const { refresh_token } = answer.body;
    const renewed = await oauth.post(TOKEN, { grant_type: "refresh_token", refresh_token }, client);
    expect(await shown(renewed.body.access_token)).toMatchObject({ username: "SECOND/kim@carbon.super" });
  });

  test("refuses an undeclared store as it refuses a wrong password", async () => {
    const client = await oauth.newClient();
    const wrong = await grant(client, "SECOND/kim", "wrong-password");
    const unknown = await grant(client, "FOURTH/kim", passwords.kim);
    expect([wrong.status, unknown.status]).toEqual([400, 400]);
    expect(unknown.body).toEqual(wrong.body);
  });
});

describe("client certificates", () => {
  test.each(["SECOND/kim", "second/kim@carbon.super"])(
    "authenticates %s as the user of that store",
    async (commonName) => {
      expect(await meByCertificate(api, commonName)).toMatchObject({ status: 200, body: { id: ids["SECOND/kim"] } });
    },
  );
  test.each(["FOURTH/kim", "THIRD/kim"])("refuses %s", async (commonName) => {
    expect((await meByCertificate(api, commonName)).status).toBe(401);
  });
});
