/** Requests of people, one of them held up between what it has read and what it writes while others change that. */
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { readSessionCookie } from "#core/sign-in/sessions/session-store.ts";
import { setUp, TWO_STEPS } from "#tests/support/codes.ts";
import { between } from "#tests/support/holding.ts";
import type { TestClient } from "#tests/support/oauth.ts";
import { create, PASSKEY_STEP, use } from "#tests/support/passkeys.ts";
import { allItems } from "#tests/support/protocols.ts";
import { claimsIn, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";
import { codeAt, newAuthenticator, STEP_MS } from "#tools/examples/authenticator.ts";

const api = world();
const { newApplication, requestOf, enter, answerOf, redeem, browser } = signInOf(api);
const kim = PERSON;

beforeAll(async () => {
  await api.ask("POST", "/scim2/Users", { body: { userName: kim.username, password: kim.password } });
});

describe("the end of a session while a client gets its first code in it", () => {
  const endsTokens = () => newApplication({ accessToken: { revokeTokensWhenIDPSessionTerminated: true } });
  const asksConsent = () => newApplication({}, { advancedConfigurations: { skipLoginConsent: false } });
  const sidOf = (page: ReturnType<typeof browser>) => readSessionCookie(page.cookies.get("__Host-session"))?.sid ?? "";
  const signedIn = async (client: TestClient) => {
    const page = browser();
    await page.open(requestOf(client));
    const shown = await enter(page);
    return { page, sid: sidOf(page), shown };
  };
  const removes = (sid: string) => (transaction: string) =>
    transaction.includes('"Delete"') && transaction.includes(sid);
  const endByApi = ({ sid }: { readonly sid: string }) =>
    api.ask("DELETE", `/api/users/v1/me/sessions/${sid}`, { as: kim });
  type Held = Awaited<ReturnType<typeof signedIn>>;
  /** The ways to end the session of a browser. */
  const ends: Readonly<Record<string, (held: Held, client: TestClient) => Promise<unknown>>> = {
    "the API": endByApi,
    "a sign-out": async ({ page, shown }, client) => {
      const { body } = await redeem(client, answerOf(shown).code);
      expect(claimsIn(body.id_token).sid).toBe(sidOf(page));
      const other = browser();
      other.cookies.set("__Host-session", page.cookies.get("__Host-session") ?? "");
      return other.open(`/oidc/logout?id_token_hint=${body.id_token}`);
    },
    "another user in the browser": async ({ page }, client) => {
      const other = browser();
      other.cookies.set("__Host-session", page.cookies.get("__Host-session") ?? "");
      await other.open(requestOf(client, { prompt: "login" }));
      return enter(other, { username: "admin", password: "admin" });
    },
  };

  test.each(Object.entries(ends))("by %s ends the code and the tokens of that client too", async (_, end) => {
    const [first, second] = [await newApplication(), await endsTokens()];
    const held = await signedIn(first);
    const { page, sid } = held;
    let [redeemed, kept]: (string | undefined)[] = [];
    await between(
      () => end(held, first),
      removes(sid),
      async () => {
        redeemed = answerOf(await page.open(requestOf(second))).code;
        kept = answerOf(await page.open(requestOf(second))).code;
        const { status, body } = await redeem(second, redeemed);
        expect(status).toBe(200);
        redeemed = body.refresh_token;
      },
    );
    expect((await redeem(second, kept)).status).toBe(400);
    const basic = `Basic ${Buffer.from(`${second.clientId}:${second.clientSecret}`).toString("base64")}`;
    const refreshed = await api.ask("POST", "/oauth2/token", {
      as: basic,
      raw: `grant_type=refresh_token&refresh_token=${redeemed}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect(refreshed.status).toBe(400);
  });

  test("has that client told, also where it is the first one of the session", async () => {
    const [asking, told] = [await asksConsent(), await newApplication()];
    const { page, sid, shown } = await signedIn(asking);
    expect(shown.title).toContain("asks for access to");
    await between(
      () => endByApi({ sid }),
      removes(sid),
      async () => void answerOf(await page.open(requestOf(told))),
    );
    const rows = await allItems(api.service);
    // The work finds the clients that are left.
    expect(rows).toContainEqual(expect.objectContaining({ PK: keys.logouts("carbon.super"), kind: "session", sid }));
    expect(rows.filter(({ SK }) => SK.startsWith(sid)).map(({ clientId }) => clientId)).toEqual([told.clientId]);
  });
});

describe("a consent that is given while", () => {
  const storesConsent = (transaction: string) => transaction.includes("#CONS#");
  const asked = () => newApplication({}, { advancedConfigurations: { skipLoginConsent: false } });
  const apps = "/api/users/v1/me/authorized-apps";
  const scopesOf = async ({ applicationId }: TestClient): Promise<readonly string[] | undefined> => {
    const { body } = await api.ask("GET", apps, { as: kim });
    return body.find(({ id }: { id: string }) => id === applicationId)?.approvedScopes;
  };
  /** A browser in which kim has agreed to two scopes, and is asked for one more. */
  const askedAgain = async (client: TestClient) => {
    const page = browser();
    await page.open(requestOf(client, { scope: "openid email" }));
    await enter(page);
    const { code } = answerOf(await page.submit({ answer: "allow" }));
    expect((await redeem(client, code)).status).toBe(200);
    const shown = await page.open(requestOf(client, { scope: "openid profile" }));
    expect(shown.title).toContain("asks for access to");
    return page;
  };

  test("an earlier one is taken back is the only one: nothing of the earlier one comes back", async () => {
    const client = await asked();
    const page = await askedAgain(client);
    const shown = await between(
      () => page.submit({ answer: "allow" }),
      storesConsent,
      async () => {
        const { status } = await api.ask("DELETE", `${apps}/${client.applicationId}`, { as: kim });
        expect(status).toBe(204);
      },
    );
    expect(await scopesOf(client)).toEqual(["openid", "profile"]);
    expect((await redeem(client, answerOf(shown).code)).status).toBe(200);
  });

  test("another one is given keeps that one", async () => {
    const client = await asked();
    const page = await askedAgain(client);
    const other = browser();
    other.cookies.set("__Host-session", page.cookies.get("__Host-session") ?? "");
    await other.open(requestOf(client, { scope: "openid phone" }));
    const shown = await between(
      () => page.submit({ answer: "allow" }),
      storesConsent,
      async () => void answerOf(await other.submit({ answer: "allow" })),
    );
    expect([...((await scopesOf(client)) ?? [])].sort()).toEqual(["email", "openid", "phone", "profile"]);
    expect((await redeem(client, answerOf(shown).code)).status).toBe(200);
  });

  test("the first one is given keeps that one", async () => {
    const client = await asked();
    const [page, other] = [browser(), browser()];
    for (const [each, scope] of [
      [page, "openid email"],
      [other, "openid profile"],
    ] as const) {
      await each.open(requestOf(client, { scope }));
      await enter(each);
    }
    await between(
      () => page.submit({ answer: "allow" }),
      storesConsent,
      async () => void answerOf(await other.submit({ answer: "allow" })),
    );
    expect([...((await scopesOf(client)) ?? [])].sort()).toEqual(["email", "openid", "profile"]);
  });
});

describe("the proof of a second factor while its user is deleted", () => {
  const newPerson = async (username: string) => {
    const { body } = await api.ask("POST", "/scim2/Users", { body: { userName: username, password: kim.password } });
    return { username, password: kim.password, id: body.id as string };
  };
  const rowOf = async (id: string, SK: string) =>
    (await allItems(api.service)).find((item) => item.PK.endsWith(`#CRED#${id}`) && item.SK === SK);
  const deleting = (id: string) => async () => {
    expect((await api.ask("DELETE", `/scim2/Users/${id}`)).status).toBe(204);
  };
  const stores = (id: string, SK: string) => (transaction: string) =>
    transaction.includes(`#CRED#${id}`) && transaction.includes(SK);

  afterEach(() => {
    vi.useRealTimers();
  });

  test("by a code does not count, and leaves the sealed secret to expire", async () => {
    const client = await newApplication({}, TWO_STEPS);
    const person = await newPerson("coded");
    const page = browser();
    await page.open(requestOf(client));
    const { secret } = await setUp(page, await enter(page, person));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + STEP_MS });
    await page.open(requestOf(client, { prompt: "login" }));
    expect((await enter(page, person)).title).toBe("Enter your code");
    const send = () => page.submit({ code: codeAt(secret) });
    const shown = await between(send, stores(person.id, "TOTP"), deleting(person.id));
    expect(await rowOf(person.id, "TOTP")).toMatchObject({ expiresAtSeconds: expect.any(Number) });
    expect([shown.title, shown.location]).toEqual(["Enter your code", undefined]);
  });

  test("by a passkey does not count, and leaves the passkeys to expire", async () => {
    const client = await newApplication({}, PASSKEY_STEP);
    const person = await newPerson("keyed");
    const key = newAuthenticator(api.url);
    const page = browser();
    await page.open(requestOf(client));
    await create(page, await enter(page, person), key);
    await page.open(requestOf(client, { prompt: "login" }));
    const asked = await enter(page, person);
    const send = () => use(page, asked, key);
    const shown = await between(send, stores(person.id, "PASSKEYS"), deleting(person.id));
    expect(await rowOf(person.id, "PASSKEYS")).toMatchObject({ expiresAtSeconds: expect.any(Number) });
    expect([shown.title, shown.location]).toEqual([asked.title, undefined]);
  });
});
