/**
 * The token of a sign-in permits its scopes alone (decision 0114): tried with every operation of the catalogue, for an
 * administrator, whose roles would permit all of them.
 */
import { expect, test } from "vitest";
import { PUBLIC, SIGNED_IN } from "#core/kernel/operation/operation.ts";
import { operations } from "#core/service/catalogue.ts";
import { oauthOf } from "#tests/support/oauth.ts";
import { signInOf } from "#tests/support/sign-in.ts";
import { ADMIN, world } from "#tests/support/world.ts";

const api = world();
const { newApplication, requestOf, enter, answerOf, redeem, browser } = signInOf(api);
const { post } = oauthOf(api);

const scoped = Object.entries(operations).filter(([, { scope }]) => scope !== PUBLIC);
const ID = "00000000-0000-4000-8000-000000000000";

/** The operations that a token is not refused at for a scope. */
const permitted = async (token: string): Promise<string[]> => {
  const found: string[] = [];
  for (const [id, { method, path }] of scoped) {
    const { status } = await api.ask(method, path.replaceAll(/\{\w+\}/g, ID), { as: `Bearer ${token}` });
    if (status !== 403) found.push(`${id} ${status}`);
  }
  return found;
};
const names = (found: readonly string[]) => found.map((each) => each.replace(/ \d+$/, "")).sort();
const own = scoped.filter(([, { scope }]) => scope === SIGNED_IN).map(([id]) => id);

test.each(["Default", "JWT"])("of type %s, as it was issued and refreshed", { timeout: 60_000 }, async (type) => {
  const client = await newApplication({ accessToken: { type } });
  const tokensOf = async (scope: string) => {
    const page = browser();
    await page.open(requestOf(client, { scope }));
    const entered = await enter(page, ADMIN);
    const { code } = answerOf(entered.location ? entered : await page.submit({ answer: "allow" }));
    const { body } = await redeem(client, code);
    const refreshed = await post(
      "/oauth2/token",
      { grant_type: "refresh_token", refresh_token: body.refresh_token },
      client,
    );
    return [String(body.access_token), String(refreshed.body.access_token)] as const;
  };
  expect(scoped.length).toBeGreaterThan(200);
  const [plain, again] = await tokensOf("openid");
  // The first one of them stays valid where it is a JWT; an opaque one is replaced.
  if (type === "JWT") expect(await permitted(plain)).toEqual([]);
  expect(await permitted(again)).toEqual([]);
  const [, account] = await tokensOf("openid internal_login");
  expect(names(await permitted(account))).toEqual([...own].sort());
});
