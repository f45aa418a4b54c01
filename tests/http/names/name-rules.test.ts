/** `[user_name]`: names of one or two characters, and with blanks between words, by each door. */
import { describe, expect, test } from "vitest";
import { fresh, refusal, scimOf, URN } from "#tests/support/scim.ts";
import { scim1Of } from "#tests/support/scim1.ts";
import { world } from "#tests/support/world.ts";

const api = world({ deployment: "[user_name]\nmin_length = 1\nblanks = true\n" });
const scim = scimOf(api);
const scim1 = scim1Of(api);
const password = "a-good-Password-1";

test("a user with a short name or blanks is created, found, signed in, renamed and deleted", async () => {
  for (const [userName, create] of [
    ["k", scim.user],
    ["\u738b", scim1.user],
    ["kim lee", scim.user],
    ["ann maria lee", scim1.user],
  ] as const) {
    const { id } = await create({ userName: ` ${userName} `, password });
    expect(await scim.names(`userName eq ${JSON.stringify(userName)}`)).toEqual([userName]);
    const me = await api.ask("GET", "/scim2/Me", { as: { username: `${userName} `, password } });
    expect([me.status, me.body.userName], me.text).toEqual([200, userName]);
    const other = `${userName} b`;
    const renamed = await scim.patched(`/Users/${id}`, { op: "replace", path: "userName", value: other });
    expect(renamed.userName).toBe(other);
    expect((await scim.ask("DELETE", `/Users/${id}`)).status).toBe(204);
  }
});

test("the owner of a tenant has such a name, too", async () => {
  const domain = `${fresh("short")}.example`;
  const owners = [{ username: "k l", password, provisioningMethod: "inline-password" }];
  const made = await api.ask("POST", "/api/server/v1/tenants", { body: { domain, owners } });
  expect(made.status, made.text).toBe(201);
  const me = await api.ask("GET", `/t/${domain}/scim2/Me`, { as: { username: `k l@${domain}`, password } });
  expect([me.status, me.body.userName], me.text).toEqual([200, "k l"]);
});

describe("still refused", () => {
  test.each(["", "a  b", "a\u00a0b", "a\tb", "a*", "a:b"])("is the name %j", async (userName) => {
    refusal(
      await scim.ask("POST", "/Users", { body: { schemas: [URN.user], userName, password } }),
      400,
      "invalidValue",
    );
  });
});
