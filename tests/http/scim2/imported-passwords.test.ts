/**
 * Users who come with a password hash of another system (decision 0098): they sign in with the password that they had,
 * the hash becomes the service's own, and only holders of the scope can bring one.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { credentialStore } from "#core/directory/credentials/store.ts";
import { vectors } from "#tests/support/imported-hashes.ts";
import { addUser, TENANT, tableOf } from "#tests/support/people.ts";
import { asScim, URN } from "#tests/support/scim.ts";
import { type Ask, world } from "#tests/support/world.ts";

const api = world();
const OWN = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;
const SSHA = "{SSHA}WxyYadHtXQA9yGXDcXMTT1Ro6joBAgMEBQYHCA==";
const PASSWORD = "Wso2@Test1";
const manager = { username: "hash-manager", password: "a-long-password" };

const stored = (id: string) => credentialStore(tableOf(api.service)).find(TENANT, id);
const send = (method: string, path: string, body: unknown, as?: Ask["as"]) =>
  api.ask(method, path, { body, headers: asScim, ...(as && { as }) });
const setPassword = (id: string, password: string, as?: Ask["as"]) => change(id, "password", password, as);
const change = (id: string, path: string, value: unknown, as?: Ask["as"]) =>
  send("PATCH", `/scim2/Users/${id}`, { schemas: [URN.patch], Operations: [{ op: "replace", path, value }] }, as);
const signIn = async (username: string, password: string): Promise<number> =>
  (await api.ask("GET", "/scim2/Me", { as: { username, password } })).status;
const create = async (userName: string, password: string, as?: typeof manager) => {
  const { status, body } = await send("POST", "/scim2/Users", { userName, password }, as);
  expect(status).toBe(201);
  return body.id as string;
};
let made = 0;
const fresh = () => {
  made += 1;
  return `moved-${made}`;
};

beforeAll(async () => {
  await addUser(api.service, {
    ...manager,
    scopes: ["internal_user_mgt_create", "internal_user_mgt_update", "internal_bulk_resource_create"],
  });
});

describe("a user with the hash of another system", () => {
  test.each(vectors)("$format: signs in, and has this service's hash afterwards", async ({ password, hash }) => {
    const name = fresh();
    const id = await create(name, hash);
    expect(await signIn(name, `${password}x`)).toBe(401);
    expect(await signIn(name, hash)).toBe(401);
    const before = await stored(id);
    expect(before).toMatchObject({ passwordHash: hash, isImported: true });
    expect(await signIn(name, password)).toBe(200);
    const after = await stored(id);
    expect(after?.passwordHash).toMatch(OWN);
    expect(after).toEqual({ passwordHash: after?.passwordHash, version: before?.version });
    expect(after?.passwordHash).not.toBe(hash);
    expect(await signIn(name, password)).toBe(200);
    expect(await signIn(name, `${password}x`)).toBe(401);
    expect(await stored(id)).toEqual(after);
  });

  test("many first sign-ins at once all succeed", async () => {
    const name = fresh();
    const id = await create(name, SSHA);
    expect(await Promise.all(Array.from({ length: 8 }, () => signIn(name, PASSWORD)))).toEqual(Array(8).fill(200));
    expect((await stored(id))?.passwordHash).toMatch(OWN);
  });

  test("signs in by the password grant", async () => {
    const name = fresh();
    const id = await create(name, SSHA);
    const application = await api.create({ name: `app of ${name}` });
    const path = `/api/server/v1/applications/${application}/inbound-protocols/oidc`;
    const { body } = await api.ask("PUT", path, { body: { grantTypes: ["password"] } });
    const { clientId, clientSecret } = body ?? (await api.ask("GET", path)).body;
    const token = (password: string) =>
      api.ask("POST", "/oauth2/token", {
        as: { username: clientId, password: clientSecret },
        raw: new URLSearchParams({ grant_type: "password", username: name, password }).toString(),
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
    expect((await token("wrong")).status).toBe(400);
    expect((await token(PASSWORD)).status).toBe(200);
    expect((await stored(id))?.passwordHash).toMatch(OWN);
  });

  test("an inactive one is refused, and its hash stays until it may sign in", async () => {
    const name = fresh();
    const { body } = await send("POST", "/scim2/Users", { userName: name, password: SSHA, active: false });
    expect(await signIn(name, PASSWORD)).toBe(401);
    expect(await stored(body.id)).toMatchObject({ isImported: true });
    await change(body.id, "active", true);
    expect(await signIn(name, PASSWORD)).toBe(200);
  });

  test("a new password replaces the hash", async () => {
    const name = fresh();
    const id = await create(name, SSHA);
    await setPassword(id, "another-password");
    expect(await signIn(name, PASSWORD)).toBe(401);
    expect(await signIn(name, "another-password")).toBe(200);
    expect(await stored(id)).not.toHaveProperty("isImported");
  });

  test("comes by SCIM 1.1 and by both bulk requests", async () => {
    const [one, bulk, bulk1] = [fresh(), fresh(), fresh()];
    expect((await send("POST", "/svc/scim/Users", { userName: one, password: SSHA })).status).toBe(201);
    const operation = (userName: string) => ({
      method: "POST",
      path: "/Users",
      bulkId: userName,
      data: { userName, password: SSHA },
    });
    const body = { schemas: [URN.bulk], failOnErrors: 1, Operations: [operation(bulk)] };
    expect((await send("POST", "/scim2/Bulk", body)).status).toBe(200);
    await send("POST", "/svc/scim/Bulk", { schemas: ["urn:scim:schemas:core:1.0"], Operations: [operation(bulk1)] });
    for (const name of [one, bulk, bulk1]) expect(await signIn(name, PASSWORD)).toBe(200);
  });

  test("is shown in no response, record or history", async () => {
    const id = await create(fresh(), SSHA);
    const digest = SSHA.slice(6);
    for (const path of [
      `/scim2/Users/${id}`,
      `/scim2/Users/${id}?attributes=password`,
      `/scim2/Users/${id}/history`,
      `/api/server/v1/changes?resourceId=${id}`,
    ]) {
      const { text } = await api.ask("GET", path);
      expect(text).not.toContain(digest);
    }
  });
});

describe("refuses", () => {
  test.each([
    ["{bcrypt}$2b$31$abcdefghijklmnopqrstuutZSBtmaYBvJm.v9mH8jgux8eda7ecdq", "cost of bcrypt"],
    ["{MD5}X03MO1qnZdYdgyfeuILPmQ==", "format is unknown"],
    ["$argon2id$v=19$m=4194304,t=9,p=1$AAECAwQFBgcICQoLDA0ODw$qY2BWBf5Z8kGihYDrhqX+TmIEj5vVaFvDtTbFBUbxuk", "memory"],
  ])("%s", async (password, sentence) => {
    const { status, text } = await send("POST", "/scim2/Users", { userName: fresh(), password });
    expect(status).toBe(400);
    expect(text).toContain(sentence);
    expect(text).not.toContain(password.slice(12));
  });

  test("a hash where a password is changed, by PUT and PATCH", async () => {
    const name = fresh();
    const id = await create(name, "a-long-password");
    for (const { status, text } of [
      await send("PUT", `/scim2/Users/${id}`, { userName: name, password: SSHA }),
      await setPassword(id, SSHA),
    ]) {
      expect(status).toBe(400);
      expect(text).toContain("accepted only when the user is created");
    }
    expect(await signIn(name, "a-long-password")).toBe(200);
  });
});

describe("without the scope internal_user_hash_import the text is a plain password", () => {
  test("when a user is created and changed", async () => {
    const name = fresh();
    const short = "{SSHA}abcdefghijklmnopqr";
    const id = await create(name, short, manager);
    expect((await stored(id))?.passwordHash).toMatch(OWN);
    expect(await signIn(name, short)).toBe(200);
    const other = `${short}x`;
    await setPassword(id, other, manager);
    expect(await signIn(name, other)).toBe(200);
  });

  test("in a bulk request", async () => {
    const name = fresh();
    const password = "{MD5}is-no-hash-here";
    const operation = { method: "POST", path: "/Users", bulkId: "1", data: { userName: name, password } };
    await send("POST", "/scim2/Bulk", { schemas: [URN.bulk], failOnErrors: 1, Operations: [operation] }, manager);
    expect(await signIn(name, password)).toBe(200);
  });
});
