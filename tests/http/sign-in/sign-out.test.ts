/** Applications sign people out (OpenID Connect RP-Initiated Logout 1.0), and pages ask them where that is not certain. */
import { SignJWT } from "jose";
import * as openid from "openid-client";
import { beforeAll, describe, expect, test } from "vitest";
import type { Browser } from "#tests/support/browsing.ts";
import type { TestClient } from "#tests/support/oauth.ts";
import { CALLBACK, claimsIn, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";
import { type LogLine, listening } from "#tools/bench/calls.ts";

const api = world();
const { newApplication, requestOf, enter, answerOf, redeem, browser, tokensOf } = signInOf(api);
const HOME = "https://cars.example.com/bye?from=idp";
let client: TestClient;

beforeAll(async () => {
  await api.ask("POST", "/scim2/Users", { body: { userName: PERSON.username, password: PERSON.password } });
  const owner = {
    ...{ username: "boss", password: "a-good-Password-4", email: "boss@acme.com", firstname: "B", lastname: "B" },
    provisioningMethod: "inline-password",
  };
  const { status } = await api.ask("POST", "/api/server/v1/tenants", { body: { domain: "acme.com", owners: [owner] } });
  expect(status).toBe(201);
  client = await newApplication({ callbackURLs: [CALLBACK, HOME] });
});

type Fields = Readonly<Record<string, string>>;
const logout = (fields: Fields = {}, prefix = "") => `${prefix}/oidc/logout?${new URLSearchParams(fields)}`;

/** Sends a form as the page of another site does: browsers send it without the cookie of the session. */
const sendForm = (fields: Fields, page?: Browser, path = "/oidc/logout") =>
  api.ask("POST", path, {
    as: null,
    raw: new URLSearchParams(fields).toString(),
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      ...(page && { cookie: [...page.cookies].map(([name, value]) => `${name}=${value}`).join("; ") }),
    },
  });

/** Whether a browser gets codes without a password. */
const isSignedIn = async (page: Browser, of = client) =>
  "code" in answerOf(await page.open(requestOf(of, { prompt: "none" })));

/** A browser that is signed in, with its ID token. */
const signedIn = async (of = client, fields: Fields = {}) => {
  const { browser: page, tokens } = await tokensOf(of, fields);
  return { page, hint: tokens.id_token ?? "" };
};

describe("endSession", () => {
  test("with the ID token of the session ends it at once, for every application, and goes to the address", async () => {
    const other = await newApplication();
    const { page, hint } = await signedIn();
    expect(await isSignedIn(page, other)).toBe(true);
    const shown = await page.open(
      logout({ id_token_hint: hint, post_logout_redirect_uri: HOME, state: "a b&c=\u00e9#<" }),
    );
    expect([shown.status, shown.location?.href.split("&")[0]]).toEqual([302, HOME]);
    expect(Object.fromEntries(shown.location?.searchParams ?? [])).toEqual({ from: "idp", state: "a b&c=\u00e9#<" });
    expect(shown.headers.getSetCookie()).toEqual([
      "__Host-session=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0",
      // Pages that are still open do not count any more.
      "__Host-sign-in=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0",
    ]);
    expect(answerOf(await page.open(requestOf(client, { prompt: "none" }))).error).toBe("login_required");
    expect(answerOf(await page.open(requestOf(other, { prompt: "none" }))).error).toBe("login_required");
  });

  test("ends the session at the service, not in the browser alone", async () => {
    const { page, hint } = await signedIn();
    const copy = browser();
    copy.cookies.set("__Host-session", page.cookies.get("__Host-session") ?? "");
    expect(await isSignedIn(copy)).toBe(true);
    await page.open(logout({ id_token_hint: hint }));
    expect(await isSignedIn(copy)).toBe(false);
  });

  test("without an address says that the person is signed out, in German too", async () => {
    const { page, hint } = await signedIn();
    expect(await page.open(logout({ id_token_hint: hint }))).toMatchObject({
      status: 200,
      location: undefined,
      title: "You are signed out",
    });
    expect((await page.open(logout({ ui_locales: "de" }))).title).toBe("Sie sind abgemeldet");
  });

  test.each([
    ["nothing", {}],
    ["the client alone", { client_id: "of the application" }],
    ["an address without the ID token", { client_id: "of the application", post_logout_redirect_uri: HOME }],
  ])("with %s asks the person, and ends nothing before the answer", async (_, fields) => {
    const { page } = await signedIn();
    const sent = { ...fields, ...("client_id" in fields && { client_id: client.clientId }) };
    const shown = await page.open(logout(sent));
    expect(shown).toMatchObject({ status: 200, location: undefined, title: "Sign out?" });
    expect(shown.html).toContain(`You are signed in as ${PERSON.username}.`);
    expect(await isSignedIn(page)).toBe(true);
    await page.open(logout(sent));
    const left = await page.submit({});
    if ("post_logout_redirect_uri" in fields) expect([left.status, left.location?.href]).toEqual([303, HOME]);
    else expect(left.title).toBe("You are signed out");
    expect(await isSignedIn(page)).toBe(false);
  });

  test("with the ID token of another session asks, also for the same user", async () => {
    const [first, second] = [await signedIn(), await signedIn()];
    const shown = await second.page.open(logout({ id_token_hint: first.hint, post_logout_redirect_uri: HOME }));
    expect(shown.title).toBe("Sign out?");
    expect(await isSignedIn(second.page)).toBe(true);
    expect(await isSignedIn(first.page)).toBe(true);
  });

  test("goes to the address where nobody is signed in, also a second time", async () => {
    const { page, hint } = await signedIn();
    const address = logout({ id_token_hint: hint, post_logout_redirect_uri: HOME, state: "s" });
    await page.open(address);
    expect((await page.open(address)).location?.href).toBe(`${HOME}&state=s`);
    expect(
      (await browser().open(logout({ client_id: client.clientId, post_logout_redirect_uri: CALLBACK }))).location?.href,
    ).toBe(CALLBACK);
  });

  test("takes an ID token that has expired, and one that ES256 signed", async () => {
    const own = await newApplication({ idToken: { expiryInSeconds: 1, idTokenSignedResponseAlg: "ES256" } });
    const { page, hint } = await signedIn(own);
    await expect.poll(() => claimsIn(hint).exp * 1_000 < Date.now(), { timeout: 5_000 }).toBe(true);
    expect((await page.open(logout({ id_token_hint: hint }))).title).toBe("You are signed out");
    expect(await isSignedIn(page, own)).toBe(false);
  });

  test("takes the ID token of an application with further audiences", async () => {
    const own = await newApplication({ idToken: { audience: ["https://first.example", "zz"], expiryInSeconds: 60 } });
    const { page, hint } = await signedIn(own);
    expect(claimsIn(hint).aud).toHaveLength(3);
    expect((await page.open(logout({ id_token_hint: hint, post_logout_redirect_uri: CALLBACK }))).location?.href).toBe(
      CALLBACK,
    );
  });

  test("an ID token that names a client as a further audience is no hint of that client", async () => {
    const own = await newApplication({ idToken: { audience: [client.clientId], expiryInSeconds: 60 } });
    const { page, hint } = await signedIn(own);
    expect(claimsIn(hint)).toMatchObject({ aud: [own.clientId, client.clientId], azp: own.clientId });
    const shown = await page.open(logout({ id_token_hint: hint, client_id: client.clientId }));
    expect([shown.status, shown.alert]).toEqual([400, expect.stringMatching(/^id_token_hint is not an ID token/)]);
    const asked = answerOf(await page.open(requestOf(client, { id_token_hint: hint, prompt: "none" })));
    expect(asked).toMatchObject({ error: "invalid_request" });
    expect(await isSignedIn(page)).toBe(true);
  });

  const parts = (jwt: string) => jwt.split(".");
  const hints: readonly [string, (hint: string) => string | Promise<string>][] = [
    ["empty", () => ""],
    ["no JWT", () => "x"],
    ["three dots", () => "..."],
    ["with another signature", (hint) => hint.replace(/\.[^.]+$/, `.${"A".repeat(342)}`)],
    ["without a signature", (hint) => hint.replace(/[^.]+$/, "")],
    [
      "of the algorithm none",
      (hint) => `${Buffer.from('{"alg":"none","typ":"JWT"}').toString("base64url")}.${parts(hint)[1]}.`,
    ],
    [
      "of the client's secret",
      (hint) =>
        new SignJWT(claimsIn(hint))
          .setProtectedHeader({ alg: "HS256", typ: "JWT" })
          .sign(Buffer.from((client.clientSecret ?? "").padEnd(32, "x"))),
    ],
    [
      "with other claims",
      (hint) =>
        [
          parts(hint)[0],
          Buffer.from(JSON.stringify({ ...claimsIn(hint), sid: "x" })).toString("base64url"),
          parts(hint)[2],
        ].join("."),
    ],
    ...[5, {}, [], [null, 7], "a#b"].map((aud): (typeof hints)[number] => [
      `for ${JSON.stringify(aud)}`,
      (hint) => `${parts(hint)[0]}.${Buffer.from(JSON.stringify({ aud })).toString("base64url")}.${parts(hint)[2]}`,
    ]),
    ["longer than any", (hint) => `${hint}${"A".repeat(6_000)}`],
  ];
  test.each(hints)("an ID token %s is refused on a page, and ends nothing", async (name, made) => {
    const { page, hint } = await signedIn();
    const sent = await made(hint);
    const shown = await page.open(logout({ id_token_hint: sent, post_logout_redirect_uri: HOME }));
    expect([name, shown.status, shown.location]).toEqual([name, 400, undefined]);
    // An empty parameter counts as none (RFC 6749 section 3.1).
    expect(shown.alert).toMatch(sent === "" ? /needs id_token_hint or client_id/ : /^id_token_hint is not an ID token/);
    expect(await isSignedIn(page)).toBe(true);
  });

  test("an access token is no ID token, though one key signs both", async () => {
    const own = await newApplication({
      accessToken: { type: "JWT" },
      idToken: { idTokenSignedResponseAlg: "ES256", expiryInSeconds: 60 },
    });
    const { browser: page, tokens } = await tokensOf(own);
    const shown = await page.open(logout({ client_id: own.clientId, id_token_hint: tokens.access_token ?? "" }));
    expect([shown.status, await isSignedIn(page, own)]).toEqual([400, true]);
  });

  test("the ID token of another client, tenant or issuer is refused", async () => {
    const { page, hint } = await signedIn();
    const other = await newApplication();
    const ofOther = await page.open(logout({ id_token_hint: hint, client_id: other.clientId }));
    expect([ofOther.status, ofOther.alert]).toEqual([400, expect.stringContaining("id_token_hint")]);
    expect((await page.open(logout({ id_token_hint: hint }, "/t/acme.com"))).status).toBe(400);
    expect((await page.open(logout({ id_token_hint: hint }, "/t/carbon.super"))).title).toBe("You are signed out");
  });

  const addresses = [
    ...["https://cars.example.com/back/", "https://cars.example.com/back?x", "https://cars.example.com/Back"],
    ...["https://cars.example.com.evil.example/back", "//evil.example", "https:evil.example", "javascript:alert(1)"],
    ...[
      "https://cars.example.com/back#x",
      "https://cars.example.com@evil.example/back",
      "http://cars.example.com/back",
    ],
    ...[
      "https://cars.example.com/bye",
      "/back",
      "https://cars.example.com/back\r\nset-cookie: a=b",
      " https://evil.example",
    ],
    ...["data:text/html,x", "https://cars.example.com\\@evil.example/back", "https://CARS.example.com/back"],
  ];
  test.each(addresses)("%j is not registered: nothing leads there, and the session stays", async (address) => {
    const { page, hint } = await signedIn();
    const named: readonly Fields[] = [{ id_token_hint: hint }, { client_id: client.clientId }];
    for (const fields of named) {
      const shown = await page.open(logout({ ...fields, post_logout_redirect_uri: address }));
      expect([shown.status, shown.headers.get("location")]).toEqual([400, null]);
      expect(shown.alert).toContain("post_logout_redirect_uri is not one of the callbackURLs");
      expect(shown.html).not.toContain("evil.example");
    }
    expect(await isSignedIn(page)).toBe(true);
  });

  test("an address needs the name of the application, and the client must exist", async () => {
    const bare = await browser().open(logout({ post_logout_redirect_uri: CALLBACK }));
    expect([bare.status, bare.alert]).toEqual([400, expect.stringContaining("needs id_token_hint or client_id")]);
    const unknown = await browser().open(logout({ client_id: "missing" }));
    expect([unknown.status, unknown.alert]).toEqual([400, "client_id: there is no such application here."]);
  });

  test("a state that no header can carry is refused", async () => {
    const { page, hint } = await signedIn();
    const fields = { id_token_hint: hint, post_logout_redirect_uri: HOME };
    expect((await page.open(logout({ ...fields, state: "x".repeat(4_097) }))).status).toBe(400);
    expect(await isSignedIn(page)).toBe(true);
    expect((await page.open(logout({ ...fields, state: "x".repeat(4_096) }))).status).toBe(302);
  });

  test("a session of one tenant is not that of another", async () => {
    const { page } = await signedIn();
    expect((await page.open(logout({}, "/t/acme.com"))).title).toBe("You are signed out");
    expect(await isSignedIn(page)).toBe(true);
  });

  test("openid-client builds the request from the metadata", async () => {
    const { page, hint } = await signedIn();
    const config = await openid.discovery(
      new URL(`${api.url}/oauth2/token`),
      client.clientId,
      { client_secret: client.clientSecret },
      undefined,
      { execute: [openid.allowInsecureRequests] },
    );
    const address = openid.buildEndSessionUrl(config, {
      id_token_hint: hint,
      post_logout_redirect_uri: CALLBACK,
      state: "s",
    });
    expect(address.href).toContain(`${api.url}/oidc/logout?`);
    expect((await page.open(address.href)).location?.href).toBe(`${CALLBACK}?state=s`);
  });

  test("costs three round trips with the write, and no password is hashed", async () => {
    const { page, hint } = await signedIn();
    const lines = await listening(async () => {
      await page.open(logout({ id_token_hint: hint, post_logout_redirect_uri: HOME }));
    });
    const [line] = lines.filter((each: LogLine) => each.service === "sign-in" && each.RoundTrips !== undefined);
    expect(line).toMatchObject({ RoundTrips: 3 });
  });

  test("leaves the tokens of the application as they are, and a code that waits", async () => {
    const { browser: page, tokens } = await tokensOf(client);
    const { code } = answerOf(await page.open(requestOf(client)));
    await page.open(logout({ id_token_hint: tokens.id_token ?? "" }));
    expect((await api.ask("GET", "/oauth2/userinfo", { as: `Bearer ${tokens.access_token}` })).status).toBe(200);
    expect((await redeem(client, code)).status).toBe(200);
  });
});

describe("endSessionByForm", () => {
  test("with the ID token of the session ends it at once, and the browser goes on by GET", async () => {
    const { page, hint } = await signedIn();
    const { status, headers } = await sendForm(
      { id_token_hint: hint, post_logout_redirect_uri: HOME, state: "s" },
      page,
    );
    expect([status, headers.get("location")]).toEqual([303, `${HOME}&state=s`]);
    expect(await isSignedIn(page)).toBe(false);
  });
  test("from another site comes without the cookie, so that the person is asked", async () => {
    const { page, hint } = await signedIn();
    const { status, text } = await sendForm({ id_token_hint: hint, post_logout_redirect_uri: HOME });
    expect([status, text]).toEqual([200, expect.stringContaining("Sign out?")]);
    expect(await isSignedIn(page)).toBe(true);
  });
});

describe("signOut", () => {
  const asked = async () => {
    const { page } = await signedIn();
    await page.open(logout({ client_id: client.clientId, post_logout_redirect_uri: HOME, state: "s" }));
    return page;
  };

  test("ends the session and goes to the address", async () => {
    const page = await asked();
    expect((await page.submit({})).location?.href).toBe(`${HOME}&state=s`);
    expect(await isSignedIn(page)).toBe(false);
  });

  test("a form of another browser, of another site, of another kind or changed is refused", async () => {
    const page = await asked();
    const { request = "" } = page.fields();
    const other = browser();
    await other.open(logout());
    const send = (text: string, from: Browser) => sendForm({ request: text }, from, "/oauth2/sign-out");
    expect((await send(request, other)).status).toBe(400);
    expect((await send(`${request}x`, page)).status).toBe(400);
    expect((await send("", page)).status).toBe(400);
    expect((await sendForm({ request }, page, "/t/acme.com/oauth2/sign-out")).status).toBe(400);
    expect((await sendForm({ request, username: "kim", password: "x" }, page, "/oauth2/sign-in")).status).toBe(400);
    expect((await page.submit({}, { "sec-fetch-site": "cross-site" })).status).toBe(400);
    await page.open(requestOf(client, { prompt: "login" }));
    expect((await send(page.fields().request ?? "", page)).status).toBe(400);
    expect(await isSignedIn(page)).toBe(true);
  });

  test("asks again where another user has signed in meanwhile", async () => {
    const page = await asked();
    const { request = "" } = page.fields();
    await api.ask("POST", "/scim2/Users", { body: { userName: "lee", password: PERSON.password } });
    await page.open(requestOf(client, { prompt: "login" }));
    await enter(page, { ...PERSON, username: "lee" });
    const again = await sendForm({ request }, page, "/oauth2/sign-out");
    expect(again.text).toContain("You are signed in as lee.");
    expect(await isSignedIn(page)).toBe(true);
  });

  test("does not go to an address that was removed while the page was open, and signs out", async () => {
    const own = await newApplication();
    const { page } = await signedIn(own);
    await page.open(logout({ client_id: own.clientId, post_logout_redirect_uri: CALLBACK }));
    await api.ask("PUT", `/api/server/v1/applications/${own.applicationId}/inbound-protocols/oidc`, {
      body: { grantTypes: ["authorization_code"], callbackURLs: ["https://new.example/back"] },
    });
    expect(await page.submit({})).toMatchObject({ location: undefined, title: "You are signed out" });
    expect(await isSignedIn(page)).toBe(false);
  });

  test("shows a user name as text", async () => {
    const username = "o'neil&lt;co";
    await api.ask("POST", "/scim2/Users", { body: { userName: username, password: PERSON.password } });
    const page = browser();
    await page.open(requestOf(client));
    await enter(page, { ...PERSON, username });
    const { html } = await page.open(logout());
    expect(html).toContain("You are signed in as o&#39;neil&amp;lt;co.");
  });
});
