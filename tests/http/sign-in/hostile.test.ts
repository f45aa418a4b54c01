/** Hostile requests to sign-in: each is refused, and leads the browser nowhere. */
import { beforeAll, describe, expect, test } from "vitest";
import type { TestClient } from "#tests/support/oauth.ts";
import { CALLBACK, PERSON, signInOf, withoutOwnScript } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { newApplication, requestOf, enter, answerOf, browser } = signInOf(api);
let client: TestClient;
const MARKED = 'Kim"><script>alert(1)</script>\u202Egro.live';

beforeAll(async () => {
  await api.ask("POST", "/scim2/Users", { body: { userName: PERSON.username, password: PERSON.password } });
  client = await newApplication({ callbackURLs: [CALLBACK, "http://127.0.0.1/native", "com.example.cars:/back"] });
});

describe("a redirect_uri that is not registered gets a page, and no redirection", () => {
  const host = "cars.example.com";
  const forms: readonly string[] = [
    ...["https://evil.example", "//evil.example", "/back", "back", "https:evil.example", "https:/evil.example"],
    ...[`https://evil.example/${host}/back`, `https://${host}.evil.example/back`, `https://evil-${host}/back`],
    ...[`https://${host}@evil.example/back`, `https://evil.example@${host}/back`, `https://u:p@${host}/back`],
    ...[`https://${host}:443/back`, `https://${host}:8443/back`, `http://${host}/back`, `HTTPS://${host}/back`],
    ...[`https://CARS.example.com/back`, `https://${host}./back`, `https://${host}/Back`, `https://${host}/back/`],
    ...[`https://${host}/back/x`, `https://${host}/back/..`, `https://${host}/back/../evil`, `https://${host}/./back`],
    ...[`https://${host}/%62ack`, `https://${host}/back%00`, `https://${host}/back%0d%0aX: y`, `https://${host}//back`],
    ...[`https://${host}/back?x=1`, `https://${host}/back?`, `https://${host}/back#`, `https://${host}/back#x`],
    ...[`https://${host}/back;x`, `https://${host}\\@evil.example/back`, `https://evil.example\\${host}/back`],
    ...[
      `https://evil.example#@${host}/back`,
      `https://evil.example?${host}/back`,
      `https://evil.example/?=${CALLBACK}`,
    ],
    ...[`${CALLBACK} `, ` ${CALLBACK}`, `${CALLBACK}\n`, `${CALLBACK}\t`, `${CALLBACK}\u0000`, `${CALLBACK}\u00a0`],
    ...[`${CALLBACK},https://evil.example`, `${CALLBACK}|x`, `${CALLBACK}*`, `${CALLBACK}\u200b`],
    ...[
      "javascript:alert(1)",
      "data:text/html,x",
      "vbscript:x",
      "file:///etc/passwd",
      "blob:https://x/y",
      "about:blank",
    ],
    ...["http://127.0.0.1/other", "http://127.0.0.1:80@evil.example/native", "http://localhost/native"],
    ...[
      "http://127.0.0.1.evil.example/native",
      "https://127.0.0.1/native",
      "http://127.0.0.2/native",
      "http://[::1]/native",
    ],
    ...["http://127.0.0.1:8000/native/x", "http://127.0.0.1:8000/native?x", "http://0177.0.0.1/native"],
    ...["com.example.cars://back", "com.example.cars:/back/x", "com.example.cars:/", "COM.example.cars:/back"],
    ...[
      "http://xn--crs-hoa.example.com/back",
      "https://cаrs.example.com/back",
      "",
      "null",
      "undefined",
      "x".repeat(3_000),
    ],
  ];
  test("more than sixty forms", () => expect(forms.length).toBeGreaterThan(60));
  test.each(forms)("%j", async (redirect_uri) => {
    const page = browser();
    for (const fields of [{}, { prompt: "none" }, { response_type: "wrong" }, { response_mode: "form_post" }]) {
      const shown = await page.open(requestOf(client, { redirect_uri, state: "s", ...fields }));
      expect([shown.status, shown.location, shown.html.includes("<form")]).toEqual([400, undefined, false]);
    }
  });
  test.each(["http://127.0.0.1:8123/native", "http://127.0.0.1/native", "com.example.cars:/back", CALLBACK])(
    "%s is one that is registered",
    async (redirect_uri) => {
      const page = browser();
      await page.open(requestOf(client, { redirect_uri }));
      expect((await enter(page)).headers.get("location")).toMatch(
        new RegExp(`^${redirect_uri.replace("?", ".")}\\?code=`),
      );
    },
  );
  test("twice in one request, and no client", async () => {
    const page = browser();
    const twice = `${requestOf(client)}&redirect_uri=https%3A%2F%2Fevil.example`;
    expect(await page.open(twice)).toMatchObject({ status: 400, location: undefined });
    for (const client_id of ["", "unknown", "../x", "\u0000", `${client.clientId} `]) {
      expect(await page.open(requestOf(client, { client_id }))).toMatchObject({ status: 400, location: undefined });
    }
  });
  test("an expression matches the whole address, and never one that a browser runs", async () => {
    const own = await newApplication({ callbackURLs: ["regexp=(https://a.example/back|.*/very/special)"] });
    const page = browser();
    for (const redirect_uri of [
      ...["https://a.example/backx", "xhttps://a.example/back", "https://a.example/back#x", "javascript:/very/special"],
      ...["https://u:p@evil.example/very/special", "https://a.example/back\n", "data:text/html,/very/special"],
    ]) {
      expect(await page.open(requestOf(own, { redirect_uri }))).toMatchObject({ status: 400, location: undefined });
    }
    expect((await page.open(requestOf(own, { redirect_uri: "https://a.example/back" }))).status).toBe(200);
  });
});

describe("text of others", () => {
  const texts = [MARKED, "<img src=x onerror=alert(1)>", "'\"`&{{7*7}}", "\r\nSet-Cookie: x=y", "\u0000", "%0d%0aX: y"];
  test.each(texts)("%j in a parameter is text in the page, and breaks no header", async (text) => {
    const page = browser();
    for (const name of ["login_hint", "state", "nonce", "ui_locales", "scope", "acr_values", "id_token_hint", "x"]) {
      const shown = await page.open(requestOf(client, { [name]: text }));
      expect(withoutOwnScript(shown.html)).not.toMatch(/<script|<img|onerror=alert\(1\)>/);
      expect(shown.headers.get("x")).toBeNull();
      expect(shown.headers.getSetCookie().every((set) => set.startsWith("__Host-"))).toBe(true);
    }
    await page.open(requestOf(client, { state: text }));
    const done = await enter(page);
    expect([done.status, answerOf(done).state]).toEqual([303, text]);
    expect(done.headers.getSetCookie().length).toBe(2);
  });
  test("in the names of an application, a user and a scope", async () => {
    const name = "Cars and more";
    const own = await newApplication({}, { name, advancedConfigurations: { skipLoginConsent: false } });
    await api.ask("POST", "/api/server/v1/oidc/scopes", {
      body: { name: "odd", displayName: MARKED, description: MARKED, claims: ["email"] },
    });
    const page = browser();
    await page.open(requestOf(own, { scope: "openid odd <b>bold</b>" }));
    const shown = await enter(page);
    expect(shown.title).toContain(name);
    expect(shown.html).toContain("&lt;script&gt;");
    expect(shown.html).not.toMatch(/<script|<b>|\u202E/);
  });
  test("an error description has the characters that clients expect", async () => {
    const shown = await browser().open(requestOf(client, { response_mode: 'x"\\\r\n' }));
    expect(answerOf(shown).error_description).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/);
  });
});

describe("pages", () => {
  test("run no script but that of the service, are in no frame and load nothing", async () => {
    const { headers, html } = await browser().open(requestOf(client));
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+'; script-src 'self'; form-action 'self'/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|script-src (?!'self';)|report-to|sandbox/);
    expect([headers.get("x-frame-options"), headers.get("cache-control"), headers.get("referrer-policy")]).toEqual([
      ...["DENY", "no-store", "no-referrer"],
    ]);
    expect(withoutOwnScript(html)).not.toMatch(/<script|javascript:|<link|<img|\son\w+=/i);
  });
  test("failures are pages too, with a reference and no cookie of a session", async () => {
    const shown = await browser().open("/oauth2/authorize?client_id=unknown");
    expect([shown.status, shown.headers.get("content-type")]).toEqual([400, "text/html; charset=utf-8"]);
    expect(shown.html).toMatch(/Reference: [\w-]{36}/);
    expect(shown.headers.getSetCookie()).toEqual([]);
  });
});

describe("cookies", () => {
  const values = [
    ...["", "x", "a.b", ".ss_x", `${Buffer.from("[]").toString("base64url")}.ss_${"a".repeat(43)}`],
    ...[`${Buffer.from('["carbon.super","x","PRIMARY"]').toString("base64url")}.ss_${"a".repeat(43)}`],
    ...[`${Buffer.from('["carbon.super",{"a":1},"PRIMARY"]').toString("base64url")}.ss_${"a".repeat(43)}`],
    ...[`${Buffer.from('["carbon.super","a#b","PRIMARY"]').toString("base64url")}.ss_${"a".repeat(43)}`],
  ];
  const SID = "00000000-0000-4000-8000-000000000000";
  const named = (...name: string[]) =>
    `${Buffer.from(JSON.stringify([...name, SID])).toString("base64url")}.ss_${"A".repeat(43)}`;
  test.each([
    ["a long user id", named("carbon.super", "a".repeat(2_100), "PRIMARY")],
    ["a user id that is no text", named("carbon.super", "\ud800", "PRIMARY")],
    ["a long tenant", named("a".repeat(2_100), "1", "PRIMARY")],
    ["a long user store", named("carbon.super", "1", "A".repeat(2_100))],
  ])("%s that anyone can write is no session", async (_, value) => {
    for (const path of [requestOf(client), "/oidc/logout"]) {
      const page = browser();
      page.cookies.set("__Host-session", value);
      expect((await page.open(path)).status).toBe(200);
    }
  });
  test.each(values)("%j is no session", async (value) => {
    const page = browser();
    page.cookies.set("__Host-session", value);
    expect((await page.open(requestOf(client))).title).toContain("Sign in to");
  });
  test("a session that is sent twice counts as none, and the cookie of another name as nothing", async () => {
    const page = browser();
    await page.open(requestOf(client));
    await enter(page);
    const session = page.cookies.get("__Host-session") ?? "";
    const thief = browser();
    const twice = { cookie: `__Host-session=${session}; __Host-session=x` };
    expect((await thief.open(requestOf(client), twice)).title).toContain("Sign in to");
    expect((await thief.open(requestOf(client), { cookie: `session=${session}` })).title).toContain("Sign in to");
    expect((await thief.open(requestOf(client), { cookie: `__Host-session=${session}` })).location).toBeDefined();
  });
  test("the session of one user does not open that of another", async () => {
    const page = browser();
    await page.open(requestOf(client));
    await enter(page);
    const [name = "", secret = ""] = (page.cookies.get("__Host-session") ?? "").split(".");
    const [tenant, , store] = JSON.parse(Buffer.from(name, "base64url").toString());
    const { body } = await api.ask("GET", '/scim2/Users?filter=userName%20eq%20"admin"');
    const other = Buffer.from(JSON.stringify([tenant, body.Resources[0].id, store])).toString("base64url");
    const thief = browser();
    thief.cookies.set("__Host-session", `${other}.${secret}`);
    expect((await thief.open(requestOf(client))).title).toContain("Sign in to");
  });
});

test("a form that was sealed for consent does not sign in, nor the other way round", async () => {
  const own = await newApplication({}, { advancedConfigurations: { skipLoginConsent: false } });
  const page = browser();
  await page.open(requestOf(own));
  const { request: ofSignIn = "" } = page.fields();
  await enter(page);
  const { request: ofConsent = "" } = page.fields();
  const cookie = [...page.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const send = (path: string, fields: Readonly<Record<string, string>>) =>
    api.ask("POST", path, {
      as: null,
      raw: new URLSearchParams(fields).toString(),
      headers: { cookie, "content-type": "application/x-www-form-urlencoded" },
    });
  expect((await send("/oauth2/consent", { request: ofSignIn, answer: "allow" })).status).toBe(400);
  expect((await send("/oauth2/sign-in", { request: ofConsent, ...PERSON })).status).toBe(400);
  expect((await send("/t/carbon.super/oauth2/consent", { request: ofConsent, answer: "allow" })).status).toBe(303);
});

test("a callback that was removed while the page was open gets no code", async () => {
  const own = await newApplication();
  const page = browser();
  await page.open(requestOf(own));
  await api.ask("PUT", `/api/server/v1/applications/${own.applicationId}/inbound-protocols/oidc`, {
    body: { grantTypes: ["authorization_code"], callbackURLs: ["https://new.example/back"] },
  });
  expect(await enter(page)).toMatchObject({ status: 400, location: undefined });
});

test("an application that was switched off while the page was open signs nobody in", async () => {
  const own = await newApplication();
  const page = browser();
  await page.open(requestOf(own));
  await api.ask("PATCH", `/api/server/v1/applications/${own.applicationId}`, { body: { applicationEnabled: false } });
  expect(await enter(page)).toMatchObject({ status: 400, location: undefined });
});
