/**
 * `[password] history`: the last passwords of a user cannot be set again, at any door, and what sets one reads no hash
 * of them. Passwords that count are forgotten in their order.
 */
import { expect, test } from "vitest";
import { basic, type World, world } from "#tests/support/world.ts";

const api = world({ deployment: "[password]\nhistory = 3\n" });
const without = world();
const PATCH_OP = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const SENTENCE = /one of the last 3 passwords of this user/;
let made = 0;

const word = (number: number) => `maple-tree-number-${number}`;
const newUser = async (on: World, password = word(1)) => {
  made += 1;
  const userName = `former-${made}`;
  const { status, body } = await on.ask("POST", "/scim2/Users", { body: { userName, password } });
  expect(status).toBe(201);
  return { userName, id: body.id as string };
};
const patch = (password: string) => ({
  schemas: [PATCH_OP],
  Operations: [{ op: "replace", path: "password", value: password }],
});
const set = (on: World, id: string, password: string, headers: Readonly<Record<string, string>> = {}) =>
  on.ask("PATCH", `/scim2/Users/${id}`, { body: patch(password), headers });
const signsIn = async (on: World, username: string, password: string) =>
  (await on.ask("GET", "/scim2/Me", { as: basic({ username, password }) })).status !== 401;

test("the present one and the two before it are refused, an older one is not", async () => {
  const { id, userName } = await newUser(api);
  const asked = async (number: number) => (await set(api, id, word(number))).status;
  const statuses = [];
  for (const number of [1, 2, 1, 2, 3, 1, 4, 1, 3, 2, 5]) statuses.push(await asked(number));
  // 1 counts until 2, 3 and 4 were set after it.
  expect(statuses).toEqual([400, 200, 400, 400, 200, 400, 200, 200, 400, 200, 200]);
  expect(await signsIn(api, userName, word(5))).toBe(true);
  const { status, text } = await set(api, id, word(2));
  expect([status, text]).toEqual([400, expect.stringMatching(SENTENCE)]);
  expect(text).not.toContain(word(2));
  expect(await signsIn(api, userName, word(5))).toBe(true);
});

test("every form of one password is that password, and another user may have it", async () => {
  const { id } = await newUser(api, "B\u00e4ume im Wald 7");
  expect((await set(api, id, "Ba\u0308ume\u00a0im Wald 7")).status).toBe(400);
  expect((await set(api, (await newUser(api)).id, "B\u00e4ume im Wald 7")).status).toBe(200);
});

const doors: Readonly<Record<string, (person: { id: string; userName: string }, password: string) => Promise<number>>> =
  {
    replaceUser: async ({ id, userName }, password) =>
      (await api.ask("PUT", `/scim2/Users/${id}`, { body: { userName, password } })).status,
    patchMe: async ({ userName }, password) =>
      (
        await api.ask("PATCH", "/scim2/Me", {
          body: patch(password),
          as: basic({ username: userName, password: word(2) }),
        })
      ).status,
    replaceScim1User: async ({ id, userName }, password) =>
      (await api.ask("PUT", `/svc/scim/Users/${id}`, { body: { userName, password } })).status,
    patchScim1User: async ({ id }, password) =>
      (await api.ask("PATCH", `/svc/scim/Users/${id}`, { body: { password } })).status,
    bulk: async ({ id }, password) => {
      const body = { Operations: [{ method: "PATCH", path: `/Users/${id}`, data: patch(password) }] };
      const { status } = (await api.ask("POST", "/scim2/Bulk", { body })).body.Operations[0];
      return Number(status.code ?? status);
    },
    "a dry run": async ({ id }, password) =>
      (await api.ask("PATCH", `/scim2/Users/${id}?dryRun=true`, { body: patch(password) })).status,
    "a repeatable request": async ({ id }, password) =>
      (await set(api, id, password, { "idempotency-key": `"k-${id}-${password}"` })).status,
    "a change with If-Match": async ({ id }, password) => {
      const { headers } = await api.ask("GET", `/scim2/Users/${id}`);
      return (await set(api, id, password, { "if-match": headers.get("etag") ?? "" })).status;
    },
  };
test.each(Object.entries(doors))("%s refuses a former one and takes another", async (name, door) => {
  const person = await newUser(api);
  expect((await set(api, person.id, word(2))).status).toBe(200);
  expect(await door(person, word(1))).toBe(400);
  expect(await door(person, word(2))).toBe(400);
  expect([200, 204]).toContain(await door(person, word(3)));
  expect(await signsIn(api, person.userName, word(name === "a dry run" ? 2 : 3))).toBe(true);
});

test("the owner of a tenant too, from the first password on", async () => {
  const owner = { username: "keeper", email: "o@example.com", firstname: "O", lastname: "W" };
  const first = { ...owner, password: word(1), provisioningMethod: "inline-password" };
  const { headers } = await api.ask("POST", "/api/server/v1/tenants", {
    body: { domain: "former.example", owners: [first] },
  });
  const tenant = new URL(headers.get("location") ?? "", api.url).pathname;
  const [{ id }] = (await api.ask("GET", `${tenant}/owners`)).body;
  const change = async (password: string, query = "") => {
    const { email, firstname, lastname } = owner;
    return (await api.ask("PUT", `${tenant}/owners/${id}${query}`, { body: { email, firstname, lastname, password } }))
      .status;
  };
  expect(await change(word(1))).toBe(400);
  expect(await change(word(1), "?dryRun=true")).toBe(400);
  expect(await change(word(2))).toBe(200);
  expect(await change(word(1))).toBe(400);
});

test("two changes at once: what loses a race is refused where it is a former one by then", async () => {
  const { id } = await newUser(api);
  const answers = await Promise.all([1, 2, 2, 2].map((number) => set(api, id, word(number))));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
});

test("a user who was deleted and restored has the same former ones", async () => {
  const { id } = await newUser(api);
  expect((await set(api, id, word(2))).status).toBe(200);
  expect((await api.ask("DELETE", `/scim2/Users/${id}`)).status).toBe(204);
  expect((await api.ask("POST", `/api/server/v1/deleted-resources/${id}/restore`)).status).toBe(200);
  expect((await set(api, id, word(1))).status).toBe(400);
  expect((await set(api, id, word(3))).status).toBe(200);
});

test("without the setting no former one is kept or refused", async () => {
  const { id } = await newUser(without);
  for (const number of [1, 2, 1]) expect((await set(without, id, word(number))).status).toBe(200);
});
