/**
 * A misspelt path opens no other door: with a doubled slash it is outside of every rule, and must not try credentials
 * that the rule of the path that was meant excludes.
 */
import { describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { TENANT, tableOf } from "#tests/support/people.ts";
import { withTwins } from "#tests/support/twins.ts";
import { ADMIN, basic, world } from "#tests/support/world.ts";

const api = world({
  deployment: await withTwins(`
    [[resource.access_control]]
    context = "/scim2/Users"
    http_method = "all"
    allowed_auth_handlers = ["OAuthAuthentication"]
  `),
});
const failuresOf = async (name: string) => {
  const { PK } = keys.lock(TENANT, "PRIMARY", name);
  return (await tableOf(api.service).queryAll({ PK, limit: 100 })).length;
};

describe.each(["//scim2/Users", "/scim2//Users", "///scim2///Users"])("%s", (path) => {
  const wrong = (name: string) => basic({ username: name, password: "wrong" });

  test("shows nothing to credentials that the rule excludes, right or wrong", async () => {
    const [right, none] = [await api.ask("GET", path), await api.ask("GET", path, { as: wrong("admin") })];
    expect([right.status, right.text.includes("/scim2/Users?")]).toEqual([none.status, false]);
    expect(right.text.replaceAll(/[0-9a-f-]{36}/g, "")).toBe(none.text.replaceAll(/[0-9a-f-]{36}/g, ""));
  });
  test("does not try them: a wrong password is neither checked nor counted", async () => {
    const name = `stranger${path.length}`;
    for (let at = 0; at < 3; at += 1) await api.ask("GET", path, { as: wrong(name) });
    expect(await failuresOf(name)).toBe(0);
  });
});

test("a misspelt path without such a rule tries them, and shows the path that was meant", async () => {
  const path = "//scim2/Groups";
  const { status, text } = await api.ask("GET", path, { as: basic(ADMIN) });
  expect([status, text.includes("/scim2/Groups")]).toEqual([404, true]);
  const stranger = await api.ask("GET", path, { as: basic({ username: "admin", password: "wrong" }) });
  expect(stranger.text).not.toBe(text);
});
